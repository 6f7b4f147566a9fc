//! What runs an agent: its type, provider, models and efforts.

use std::ops::RangeInclusive;

use super::fields::{Keys, directory};
use super::node::{Node, Value};
use super::reader::Fields;
use super::words::{self, EFFORTS, PROVIDERS};
use super::{Definition, Kind, Model};
use crate::address::Target;

/// What runs elsewhere: a type of agent, and no provider.
const EXTERNAL: &str = "external";
/// How long an attempt to post a message may take.
const TIMEOUT_SECONDS: RangeInclusive<u64> = 1..=600;

/// Less than this holds no conversation.
const CONTEXT_LEAST: u64 = 1_000;

/// What was said about models, in whichever place.
#[derive(Default)]
struct Choice {
    provider: Option<String>,
    /// Models with the lines that they stand on.
    chain: Option<Vec<(Model, usize)>>,
    effort: Option<(String, usize)>,
}

impl Model {
    /// Makes one of which only the name is said.
    fn named(model: &str) -> Self {
        Self { model: model.trim().to_owned(), key: None, effort: None, context: None }
    }
}

/// Reads it.
pub(super) fn read(fields: &mut Fields<'_>, definition: &mut Definition, keys: &Keys) {
    let line = fields.line("type");
    let kind = fields.text("type").map(|(word, _)| word);
    let is_external = kind.as_deref() == Some("external");
    if let Some(word) = kind.as_deref().filter(|word| !matches!(*word, "chat" | "external")) {
        fields.error(line, format!("unknown type `{word}`; expected chat or external"));
    }
    let mut choice =
        Choice { provider: provider(fields), chain: models(fields, keys), effort: fields.text("effort") };
    one_model(fields, &mut choice);
    let chat = fields.table("chat", "chat.");
    // `chat` alone means the provider that was once the only one for chats.
    let says_chat = chat.is_some() || kind.as_deref() == Some("chat");
    if let Some((inner, at)) = chat {
        if is_external {
            fields.error(at, "agents of type external cannot have `chat`");
        }
        within(fields, inner, at, &mut choice, definition, keys);
    }
    if is_external && choice.provider.is_some() {
        fields.error(line, "agents of type external cannot have a provider");
    }
    definition.provider =
        choice.provider.or_else(|| (says_chat && !is_external).then(|| "openai".to_owned()));
    definition.effort = choice.effort.and_then(|(word, line)| effort(fields, word, line));
    for (model, line) in choice.chain.unwrap_or_default() {
        check_key(fields, &model, line, definition.provider.as_deref(), keys);
        let effort = model.effort.or_else(|| definition.effort.clone());
        definition.models.push(Model { effort, ..model });
    }
    match (fields.table("external", "external."), is_external) {
        (Some((inner, at)), true) => {
            definition.kind = external(fields, inner, at);
            out_of_reach(fields, definition);
        }
        (None, true) => {
            fields.error(
                line,
                "agents of type external need `external.inputUrl`, the URL that messages are posted to",
            );
        }
        (Some((_, at)), false) => fields.error(at, "only agents of type external can have `external`"),
        (None, false) => {}
    }
}

fn provider(fields: &mut Fields<'_>) -> Option<String> {
    let (word, line) = fields.text("provider")?;
    let known = words::any_provider(&word);
    if word == EXTERNAL {
        fields.error(
            line,
            "`provider` cannot be external: set `type` = \"external\" and `external.inputUrl`, the URL \
             that messages are posted to",
        );
        return None;
    }
    if known.is_none() {
        fields.error(line, format!("unknown provider `{word}`; known: {}", PROVIDERS.join(", ")));
    }
    known
}

/// Reads the one model of those who name only one.
fn one_model(fields: &mut Fields<'_>, choice: &mut Choice) {
    let Some((model, line)) = fields.text("model").filter(|(model, _)| model != "inherit") else { return };
    if choice.chain.is_some() {
        fields.error(line, "both `model` and `models` are set; keep one of them");
    }
    choice.chain = Some(vec![(Model::named(&model), line)]);
}

/// Reads `chat`.
fn within(
    fields: &mut Fields<'_>,
    mut chat: Fields<'_>,
    line: usize,
    choice: &mut Choice,
    definition: &mut Definition,
    keys: &Keys,
) {
    let (provider, models) = (provider(&mut chat), models(&mut chat, keys));
    if provider.is_some() && choice.provider.is_some() && provider != choice.provider {
        chat.error(line, "`provider` and `chat.provider` contradict each other");
    }
    if models.is_some() && choice.chain.is_some() {
        chat.error(line, "models are set both here and outside `chat`; keep one of them");
    }
    choice.provider = provider.or(choice.provider.take());
    choice.chain = models.or(choice.chain.take());
    // A list says what may be chosen; its first is what is.
    let first = chat.words("thinking").and_then(|words| words.into_iter().next());
    choice.effort = choice.effort.take().or(first);
    config(&mut chat, definition);
    fields.absorb(chat);
}

/// Reads `chat.config`: of all that it once held, only the directory has a meaning here.
fn config(chat: &mut Fields<'_>, definition: &mut Definition) {
    let Some((mut inner, _)) = chat.table("config", "chat.config.") else { return };
    definition.directory = directory(&mut inner, "workdir");
    if let Some(node) = inner.take("extraArgs") {
        inner.error(
            node.line,
            "`chat.config.extraArgs` is not supported: Paseo builds the command line itself; use \
             `permissions`, `model` and `effort`",
        );
    }
    for name in ["baseUrl", "apiKey"] {
        if let Some(node) = inner.take(name) {
            inner.error(
                node.line,
                format!(
                    "`chat.config.{name}` is not supported: put keys under `[[keys]]` in config.toml and \
                     refer to them by `key_id`"
                ),
            );
        }
    }
    chat.absorb(inner);
}

/// Reads a chain of models: names, or tables with a name, a key and an effort.
fn models(fields: &mut Fields<'_>, keys: &Keys) -> Option<Vec<(Model, usize)>> {
    let node = fields.take("models")?;
    let Value::List(items) = &node.value else { return fields.mistaken("models", node, "a list of models") };
    Some(items.iter().filter_map(|item| model(fields, item, keys)).collect())
}

fn model(fields: &mut Fields<'_>, item: &Node, keys: &Keys) -> Option<(Model, usize)> {
    let entries = match &item.value {
        Value::Text(model) if !model.trim().is_empty() => {
            return Some((Model::named(model), item.line));
        }
        Value::Table(entries) => entries,
        _ => return fields.mistaken("models", item, "a list of models"),
    };
    let mut inner = fields.within("models.", entries);
    let model = inner.text("modelId");
    if model.is_none() {
        inner.error(item.line, "this model has no `models.modelId`");
    }
    let key = inner.text("keyId").map(|(key, line)| {
        if !keys.contains_key(&key) {
            let known: Vec<&str> = keys.keys().map(String::as_str).collect();
            let known = if known.is_empty() {
                "no keys are configured".to_owned()
            } else {
                format!("known: {}", known.join(", "))
            };
            inner.error(
                line,
                format!(
                    "unknown key `{key}`: not in `[[keys]]` of config.toml, which the daemon reads at \
                     startup; {known}"
                ),
            );
        }
        key
    });
    let effort = inner.text("effort").and_then(|(word, line)| effort(&mut inner, word, line));
    let context = context(&mut inner);
    fields.absorb(inner);
    model.map(|(model, _)| (Model { model, key, effort, context }, item.line))
}

/// Reads how much a model takes.
fn context(fields: &mut Fields<'_>) -> Option<u64> {
    let expected = format!(
        "`models.contextTokens` is the model's context size in tokens: a whole number, at least \
         {CONTEXT_LEAST}"
    );
    whole_number(fields, "contextTokens", CONTEXT_LEAST..=u64::MAX, expected)
}

/// Reads a number that lies in a range; `expected` says what it should have been.
fn whole_number(
    fields: &mut Fields<'_>,
    name: &'static str,
    range: RangeInclusive<u64>,
    expected: String,
) -> Option<u64> {
    let node = fields.take(name)?;
    let number = match &node.value {
        Value::Number(written) => {
            written.replace('_', "").parse().ok().filter(|number| range.contains(number))
        }
        _ => None,
    };
    if number.is_none() {
        fields.error(node.line, expected);
    }
    number
}

fn check_key(fields: &mut Fields<'_>, model: &Model, line: usize, provider: Option<&str>, keys: &Keys) {
    let Some((key, of)) = model.key.as_ref().and_then(|key| Some((key, keys.get(key)?))) else { return };
    if let Some(provider) = provider.filter(|provider| provider != of) {
        fields.error(line, format!("the key `{key}` is for {of}, but this agent runs on {provider}"));
    }
}

/// Checks an effort. One that does not exist is left out: the agent thinks as hard as it does by itself.
fn effort(fields: &mut Fields<'_>, word: String, line: usize) -> Option<String> {
    if EFFORTS.contains(&word.as_str()) {
        return Some(word);
    }
    fields.warning(line, format!("unknown effort `{word}`, ignored; known: {}", EFFORTS.join(", ")));
    None
}

fn external(fields: &mut Fields<'_>, mut inner: Fields<'_>, line: usize) -> Kind {
    let (input, callback) = (inner.text("inputUrl"), inner.text("callbackBaseUrl"));
    if input.is_none() {
        inner.error(line, "`external.inputUrl` is missing: the URL that messages are posted to");
    }
    for (url, line) in input.iter().chain(&callback) {
        if let Err(refused) = Target::parse(url) {
            inner.error(*line, refused.to_string());
        }
    }
    if let Some((url, line)) = callback.as_ref().filter(|(url, _)| url.contains('?')) {
        inner.error(*line, format!("`{url}` must not have a query: callbacks use a path below it"));
    }
    let (least, most) = (TIMEOUT_SECONDS.start(), TIMEOUT_SECONDS.end());
    let expected = format!(
        "`external.timeoutSeconds` is the timeout for posting a message: a whole number of seconds from \
         {least} to {most}"
    );
    let timeout_seconds = whole_number(&mut inner, "timeoutSeconds", TIMEOUT_SECONDS, expected);
    fields.absorb(inner);
    Kind::External {
        input_url: input.map(|(url, _)| url).unwrap_or_default(),
        callback_base_url: callback.map(|(url, _)| url),
        timeout_seconds,
    }
}

/// Refuses what would only seem to bind an agent that runs elsewhere, with powers of its own.
fn out_of_reach(fields: &mut Fields<'_>, definition: &Definition) {
    let binding = [
        "model",
        "models",
        "effort",
        "permissions",
        "permissionMode",
        "guard",
        "tools",
        "toolAllowlist",
        "toolDenylist",
        "disallowedTools",
        "capabilityAllowlist",
        "capabilityDenylist",
        "toolExposure",
    ];
    for (name, line) in binding.iter().filter_map(|name| Some((name, definition.lines.get(*name)?))) {
        fields.error(
            *line,
            format!(
                "`{name}` is not supported: Paseo cannot restrict an external agent, which runs elsewhere; \
                 remove it"
            ),
        );
    }
    if definition.prompt.is_some() {
        let line = definition.lines.get("systemPrompt").or(definition.lines.get("")).copied().unwrap_or(1);
        fields.warning(line, "the prompt is not sent to an external agent, which has its own");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{File, Format, Origin, Parsed, parse};

    fn read(text: &str) -> Parsed {
        let file = File { path: "agents/x.toml", text, format: Format::Toml, origin: Origin::Home };
        parse(&file, &Keys::new())
    }

    fn one(text: &str) -> Definition {
        read(text).definitions.pop().unwrap()
    }

    #[test]
    fn what_runs_elsewhere_is_a_type_and_no_provider() {
        let told = read("provider = 'external'").problems.remove(0).message;
        assert!(told.starts_with("`provider` cannot be external: set `type` = \"external\""), "{told}");
    }

    #[test]
    fn an_external_agent_may_be_given_more_time() {
        let text = |rest: &str| {
            format!("type = 'external'\n[external]\ninput_url = 'http://127.0.0.1:9/in'\n{rest}")
        };
        let Kind::External { timeout_seconds, .. } = one(&text("timeout_seconds = 90")).kind else {
            panic!()
        };
        assert_eq!(timeout_seconds, Some(90));
        for wrong in ["0", "601", "1.5", "'10'"] {
            let problems = read(&text(&format!("timeout_seconds = {wrong}"))).problems;
            assert!(
                problems[0].message.starts_with("`external.timeout_seconds` is the timeout"),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn a_field_is_named_as_its_file_spells_it() {
        let told = |text: &str| read(text).problems.remove(0).message;
        for (name, text) in [
            ("tool_allowlist", "tool_allowlist = 7"),
            ("toolAllowlist", "toolAllowlist = 7"),
            ("tool-allowlist", "tool-allowlist = 7"),
        ] {
            assert!(told(text).starts_with(&format!("`{name}` must be")), "{}", told(text));
        }
        // What is not there is spelled like its neighbours.
        assert!(told("tool_allowlst = []\nis_subagent = true").contains("did you mean `tool_allowlist`?"));
        assert!(told("toolAllowlst = []\nisSubagent = true").contains("did you mean `toolAllowlist`?"));
        assert!(told("[[models]]\nmodel_id = 'm'\nx = 1").contains("known: model_id, "));
        assert!(told("[[models]]\nkey_id = 'k'").contains("`models.model_id`"));
        assert!(
            told("type = 'external'\n[external]\ncallbackBaseUrl = 'https://a.example'")
                .contains("`external.inputUrl`")
        );
        // What is no field is left as it is.
        assert!(told("system_prompt = 'x'\nprovider = 'myOwn'").contains("unknown provider `myOwn`"));
    }

    #[test]
    fn a_session_tries_its_model_and_those_after_it() {
        let chat = one("provider = 'openai'\nmodels = ['a', 'b', 'c']");
        let tried = |provider, model| -> Vec<&str> {
            chat.chain(provider, model).iter().map(|model| model.model.as_str()).collect()
        };
        assert_eq!(tried("openai", Some("b")), ["b", "c"]);
        assert!(tried("openai", Some("z")).is_empty() && tried("codex", Some("b")).is_empty());
    }

    #[test]
    fn a_model_may_say_how_much_it_takes() {
        let known = read("[[models]]\nmodel_id = 'm'\ncontext_tokens = 32_000\n");
        assert_eq!(known.definitions[0].models[0].context, Some(32_000));
        for wrong in ["7", "'many'", "2.5", "-4000"] {
            let odd = read(&format!("[[models]]\nmodel_id = 'm'\ncontext_tokens = {wrong}\n"));
            assert!(
                odd.problems[0].message.contains("`models.context_tokens` is the model's context size"),
                "{:?}",
                odd.problems
            );
        }
    }
}
