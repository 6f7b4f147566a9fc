//! Every format, with what people write in it.

use proptest::prelude::*;

use super::*;
use crate::tool::REGISTRY;

/// A configuration as it is written elsewhere, to the letter.
const EXAMPLE: &str = include_str!("example.json");

fn keys() -> Keys {
    [("work".to_owned(), "claude".to_owned()), ("other".to_owned(), "codex".to_owned())].into()
}

fn read(path: &str, text: &str) -> Parsed {
    let format = match path {
        "config.toml" => Format::ConfigToml,
        "config.json" => Format::ConfigJson,
        path if path.starts_with(".claude/") => Format::Claude,
        path if path.ends_with(".toml") => Format::Toml,
        _ => Format::Markdown,
    };
    parse(&File { path, text, format, origin: Origin::Home }, &keys())
}

fn one(path: &str, text: &str) -> Definition {
    let parsed = read(path, text);
    assert_eq!(parsed.problems, []);
    let [definition] = parsed.definitions.try_into().unwrap();
    definition
}

fn problems(parsed: &Parsed) -> Vec<String> {
    parsed
        .problems
        .iter()
        .map(|problem| format!("{}:{}: {}", problem.file, problem.line, problem.message))
        .collect()
}

fn names(globs: &[Glob]) -> Vec<&str> {
    globs.iter().map(Glob::as_str).collect()
}

fn allowed(definition: &Definition) -> Vec<&str> {
    names(definition.scope.tools.allow.as_deref().unwrap())
}

#[test]
fn a_configuration_from_elsewhere_loads_unchanged() {
    let parsed = read("config.json", EXAMPLE);
    // It names tools that are not here; nothing of that is wrong.
    assert!(parsed.problems.iter().all(|problem| problem.severity == Severity::Warning), "{parsed:?}");
    let found = problems(&parsed);
    assert_eq!(found.len(), 7, "{found:?}");
    assert!(found[0].starts_with("config.json:7: unknown tool `reading_list_*`"), "{found:?}");
    assert!(
        found[1].starts_with("config.json:8: this entry denies nothing: unknown tool `reading_list_delete`")
    );
    assert!(found[2].starts_with("config.json:10: unknown plugin `notes`"), "{found:?}");
    let slugs: Vec<&str> = parsed.definitions.iter().map(|definition| definition.slug.as_str()).collect();
    assert_eq!(slugs, ["reading-list", "todo", "journal", "general"]);
    let [reading, _, _, general] = &parsed.definitions[..] else { panic!("{slugs:?}") };
    assert_eq!((reading.name.as_str(), &reading.description), ("Reading List Manager", &None));
    assert!(reading.prompt.as_ref().unwrap().starts_with("You are a reading list manager."));
    assert_eq!(allowed(reading), ["reading_list_*"]);
    assert_eq!(names(&reading.scope.tools.deny), ["reading_list_delete"]);
    assert_eq!(names(reading.scope.capabilities.allow.as_ref().unwrap()), ["lists.*"]);
    assert_eq!(names(&reading.scope.capabilities.deny), ["lists.write"]);
    assert_eq!(names(reading.skills.allow.as_ref().unwrap()), ["notes"]);
    assert_eq!((reading.exposure, reading.ui_visible, reading.api_exposed), (Exposure::Mixed, true, false));
    assert!(reading.sees(&parsed.definitions[1]) && !reading.sees(general));
    // Null is as good as missing: everything.
    assert!(general.scope.is_open() && general.provider.is_none() && !general.is_subagent);
}

#[test]
fn a_plugin_that_is_denied_as_a_skill_must_exist() {
    let parsed = read("agents/x.toml", "skill_denylist = ['to*', 'notes']");
    assert!(parsed.definitions.is_empty());
    let known = "agents, summon, tabs, team, threads, todo";
    assert_eq!(
        problems(&parsed),
        [format!("agents/x.toml:1: this entry denies nothing: unknown plugin `notes`; known: {known}")]
    );
    let parsed = read("agents/x.toml", "skill_allowlist = ['todo', 'summn']\nskill_denylist = ['ag*']");
    assert_eq!(problems(&parsed), ["agents/x.toml:1: unknown plugin `summn`; did you mean `summon`?"]);
    assert_eq!(names(&parsed.definitions[0].skills.deny), ["ag*"]);
}

#[test]
fn what_is_passed_on_has_two_names() {
    for field in ["ceiling", "pass_on", "passOn"] {
        let definition = one("agents/x.toml", &format!("{field} = ['read', 'todo']"));
        assert_eq!(names(definition.ceiling.as_ref().unwrap()), ["native_read", "todo"]);
    }
    let parsed = read("agents/x.toml", "ceiling = ['*']\npass_on = ['read']");
    assert_eq!(
        problems(&parsed),
        ["agents/x.toml:2: `ceiling` and `pass_on` mean the same; keep one of them"]
    );
}

#[test]
fn a_scope_is_global_or_project() {
    assert_eq!(one("agents/x.toml", "scope = 'global'").route, Some(Route::Global));
    assert_eq!(one("agents/x.toml", "scope = 'project'").route, Some(Route::Project));
    assert_eq!(one("agents/x.toml", "name = 'x'").route, None);
    let parsed = read("agents/x.toml", "scope = 'world'");
    assert_eq!(problems(&parsed), ["agents/x.toml:1: unknown scope `world`; expected global or project"]);
}

#[test]
fn chats_and_their_providers() {
    let read = |fields: &str| one("config.json", &format!("{{\"agents\":[{{\"agentId\":\"a\",{fields}}}]}}"));
    let provider = |fields: &str| read(fields).provider;
    assert_eq!(provider(r#""type":"chat""#).as_deref(), Some("openai"));
    assert_eq!(provider(r#""chat":{}"#).as_deref(), Some("openai"));
    assert_eq!(provider(r#""displayName":"A""#), None);
    for (word, expected) in
        [("claude-cli", "claude"), ("codex-cli", "codex"), ("pi-cli", "pi"), ("openai", "openai")]
    {
        assert_eq!(
            provider(&format!(r#""type":"chat","chat":{{"provider":"{word}"}}"#)).as_deref(),
            Some(expected)
        );
    }
    let full = read(
        r#""chat":{"provider":"claude-cli","models":["opus","sonnet"],"thinking":["high","low"],"config":{"workdir":"/w"}}"#,
    );
    let chain: Vec<(&str, Option<&str>)> =
        full.models.iter().map(|model| (model.model.as_str(), model.effort.as_deref())).collect();
    assert_eq!(chain, [("opus", Some("high")), ("sonnet", Some("high"))]);
    assert_eq!(full.directory.as_deref(), Some("/w"));
    // Without a model the effort is not lost.
    assert_eq!(read(r#""chat":{"provider":"codex","thinking":"low"}"#).effort.as_deref(), Some("low"));
}

#[test]
fn external_agents_have_an_address() {
    let text = r#"{"agents":[{"agentId":"far","type":"external","external":{"inputUrl":"http://127.0.0.1:9/in","callbackBaseUrl":null}},
        {"agentId":"lost","type":"external"},
        {"agentId":"odd","type":"external","external":{"inputUrl":"file:///etc"}},
        {"agentId":"near","external":{"inputUrl":"http://a"}},
        {"agentId":"bound","type":"external","external":{"inputUrl":"http://a"},"permissions":"ask"}]}"#;
    let parsed = read("config.json", text);
    assert_eq!(parsed.definitions.len(), 1);
    assert_eq!(
        parsed.definitions[0].kind,
        Kind::External {
            input_url: "http://127.0.0.1:9/in".to_owned(),
            callback_base_url: None,
            timeout_seconds: None
        }
    );
    assert_eq!(
        problems(&parsed),
        [
            "config.json:2: agents of type external need `external.inputUrl`, the URL that messages are posted to",
            "config.json:3: invalid URL `file:///etc`: it must start with http:// or https://",
            "config.json:4: only agents of type external can have `external`",
            "config.json:5: `permissions` is not supported: Paseo cannot restrict an external agent, which runs elsewhere; remove it",
        ]
    );
}

#[test]
fn one_bad_entry_does_not_lose_the_others() {
    let text = "[[agents]]\nagentId = 'a'\ntoolDenyList = ['x']\n\n[[agents]]\nagent_id = 'b'\ndisplay_name = 'B'\n\
        \n[[agents]]\nagentId = '../c'\n[[agents]]\ndescription = 3\n[[agents]]\nagentId = 'b'\n";
    let parsed = read("config.toml", text);
    let slugs: Vec<&str> = parsed.definitions.iter().map(|definition| definition.slug.as_str()).collect();
    assert_eq!((slugs, parsed.definitions[0].name.as_str()), (vec!["b"], "B"));
    assert_eq!(
        problems(&parsed),
        [
            "config.toml:3: unknown field `toolDenyList`; did you mean `toolDenylist`?",
            "config.toml:10: invalid slug `../c`: use at most 64 letters, digits, `_` and `-`",
            "config.toml:11: this agent has no `agentId`",
            "config.toml:12: `description` must be text, but is a number",
            "config.toml:13: agent `b` is already defined above",
        ]
    );
    assert_eq!(parsed.problems[0].slug.as_deref(), Some("a"));
    // The rest of the user's own file does not matter here.
    assert_eq!(read("config.toml", "listen = '127.0.0.1:1'\n"), Parsed::default());
    let project = File {
        path: "p/config.toml",
        text: "listen = 1\n",
        format: Format::ConfigToml,
        origin: Origin::Project,
    };
    assert!(parse(&project, &keys()).problems[0].message.contains("only `agents` is read"));
}

#[test]
fn a_file_of_its_own() {
    let text = "name = 'Flash'\ndescription = 'A cheap subagent'\nskills = ['global:todo']\n\
        tools = ['read', 'bash', 'read', 'send_to_tab']\ncwd = '/w'\nis_subagent = true\nsystem_prompt = 'Be quick.'\n\
        permissions = 'ask'\nceiling = ['edit']\n\n[[models]]\nkey_id = 'work'\nmodel_id = 'haiku'\neffort = 'low'\n\
        [[models]]\nmodel_id = 'opus'\n";
    let flash = one("agents/flash.toml", text);
    assert_eq!((flash.slug.as_str(), flash.name.as_str(), flash.is_subagent), ("flash", "Flash", true));
    assert_eq!(allowed(&flash), ["native_read", "native_shell", "native_net", "send_to_tab", "todo"]);
    assert_eq!(names(flash.skills.allow.as_ref().unwrap()), ["todo"]);
    assert_eq!(names(flash.ceiling.as_ref().unwrap()), ["native_write"]);
    assert_eq!((flash.directory.as_deref(), flash.permissions), (Some("/w"), Some(Mode::Ask)));
    let [first, second] = &flash.models[..] else { panic!("{:?}", flash.models) };
    assert_eq!(
        (first.model.as_str(), first.key.as_deref(), first.effort.as_deref()),
        ("haiku", Some("work"), Some("low"))
    );
    assert_eq!((second.key.as_deref(), second.effort.as_deref()), (None, None));
    let bare = one("agents/x.toml", "");
    assert!(!bare.is_subagent && !bare.guarded);
    for (file, text) in [
        ("agents/x.toml", "guard = 'lease'"),
        ("agents/x.md", "---\nguard: lease\n---\nBe quick."),
        ("config.json", r#"{"agents": [{"agentId": "x", "guard": "lease"}]}"#),
        ("config.toml", "[[agents]]\nagentId = 'x'\nguard = 'lease'"),
    ] {
        assert!(one(file, text).guarded, "{file}");
    }
    assert_eq!(allowed(&one("agents/x.toml", "tools = []")), ["todo"]);
    assert_eq!(allowed(&one("agents/x.toml", "tools = ['todo', 'edit']")), ["todo", "native_write"]);

    let odd = read("agents/x.toml", "[[models]]\nmodel_id = 'm'\neffort = 'enormous'\n");
    assert_eq!(odd.definitions[0].models[0].effort, None);
    assert_eq!(
        problems(&odd),
        [
            "agents/x.toml:3: unknown effort `enormous`, ignored; known: none, minimal, low, medium, high, xhigh, max, ultra"
        ]
    );
}

#[test]
fn keys_must_exist_and_fit() {
    let unknown = read("agents/x.toml", "[[models]]\nmodel_id = 'm'\nkey_id = 'lost'\n");
    assert_eq!(
        problems(&unknown),
        [
            "agents/x.toml:3: unknown key `lost`: not in `[[keys]]` of config.toml, which the daemon reads at startup; known: other, work"
        ]
    );
    assert!(unknown.definitions.is_empty());
    let foreign = read("agents/x.toml", "provider = 'codex'\n[[models]]\nmodel_id = 'm'\nkey_id = 'work'\n");
    assert_eq!(
        problems(&foreign),
        ["agents/x.toml:2: the key `work` is for claude, but this agent runs on codex"]
    );
}

#[test]
fn markdown_is_fields_and_a_prompt() {
    let text = "---\nname: Reviewer\ndescription: Looks closely.\ntools: Read, Grep, Edit, Bash, WebFetch\n\
        model: opus\npermissions: read-only\n---\n\nYou review.\n";
    let reviewer = one("agents/reviewer.md", text);
    assert_eq!(reviewer.prompt.as_deref(), Some("You review."));
    assert_eq!(allowed(&reviewer), ["native_read", "native_write", "native_shell", "native_net", "todo"]);
    assert_eq!((reviewer.models[0].model.as_str(), reviewer.permissions), ("opus", Some(Mode::ReadOnly)));
    assert!(!reviewer.is_subagent);
    let list = one("agents/x.md", "---\ntools:\n  - Grep\n  - summon\n---\n");
    assert_eq!((allowed(&list), list.name.as_str()), (vec!["native_read", "summon", "todo"], "x"));
    assert_eq!(one("agents/x.md", "Just a prompt.\n").prompt.as_deref(), Some("Just a prompt."));

    let twice = read("agents/x.md", "---\nsystem_prompt: a\n---\nb\n");
    assert_eq!(
        problems(&twice),
        ["agents/x.md:2: two prompts: this field and the text below the fields; keep one of them"]
    );
    let number = read("agents/x.md", "---\nname: 12\n---\n");
    assert_eq!(problems(&number), ["agents/x.md:2: `name` must be text, but is a number"]);
    let list = read("agents/x.md", "---\n- a\n---\n");
    assert!(problems(&list)[0].starts_with("agents/x.md:2: expected `name: value`"));
}

#[test]
fn icons_and_colors_are_read_and_mistakes_name_what_there_is() {
    let bug = one("agents/x.toml", "icon = '🐛'\ncolor = 'orange'\n");
    assert_eq!((bug.icon, bug.color), (Icon::parse("🐛").ok(), Some(Color::Orange)));
    let plain = one("agents/x.toml", "");
    assert_eq!((plain.icon, plain.color), (None, None));
    let wrong = read("agents/x.toml", "icon = 'a bug'\ncolor = 'mauve'\n");
    assert!(wrong.definitions.is_empty());
    let [icon, color] = &problems(&wrong)[..] else { panic!("{wrong:?}") };
    assert!(icon.starts_with("agents/x.toml:1: unknown icon `a bug`; expected one emoji"), "{icon}");
    assert!(
        color.starts_with("agents/x.toml:2: unknown color `mauve`; expected one of gray, red"),
        "{color}"
    );
}

#[test]
fn claudes_own_files_are_subagents() {
    let text = "---\nname: helper\ndescription: Use it when: needed\nmodel: inherit\ncolor: red\nmemory: user\n\
        permissionMode: plan\ndisallowedTools: Bash, mcp__x__y\n---\nHelp.\n";
    let parsed = read(".claude/agents/helper.md", text);
    let helper = &parsed.definitions[0];
    assert!(helper.is_subagent && helper.models.is_empty());
    assert_eq!(helper.color, Some(Color::Red));
    // Colours that only Claude Code knows are no mistake.
    let teal = read(".claude/agents/x.md", "---\ncolor: teal\n---\n");
    assert_eq!((teal.definitions[0].color, problems(&teal)), (None, Vec::new()));
    assert_eq!(
        (helper.description.as_deref(), helper.permissions),
        (Some("Use it when: needed"), Some(Mode::ReadOnly))
    );
    assert_eq!(names(&helper.scope.tools.deny), ["native_shell", "native_net"]);
    assert_eq!(
        problems(&parsed),
        [
            ".claude/agents/helper.md:6: `memory` has no effect here; only Claude Code itself uses it",
            ".claude/agents/helper.md:8: `mcp__x__y` belongs to your own MCP server; Paseo neither grants nor withholds it",
        ]
    );
    assert!(!one(".claude/agents/x.md", "---\nis_subagent: false\n---\n").is_subagent);
    let narrow = read(".claude/agents/x.md", "---\ntools: Read, Bash(git diff:*, ls)\n---\n");
    assert!(narrow.definitions.is_empty());
    assert!(problems(&narrow)[0].contains("`Bash(git diff:*, ls)` is not supported"), "{narrow:?}");
}

#[test]
fn what_would_deny_nothing_is_an_error() {
    for (text, expected) in [
        (
            "name = 'a'\ntoolDenylist = ['summn']",
            "2: this entry denies nothing: unknown tool `summn`; did you mean `summon`?",
        ),
        (
            "tool_denylist = ['Summon']",
            "1: this entry denies nothing: unknown tool `Summon`; did you mean `summon`?",
        ),
        ("disallowed_tools = ['teleport']", "1: this entry denies nothing: unknown tool `teleport`; known: "),
        (
            "toolDenylist = ['native_shel_*']",
            "1: this entry denies nothing: unknown tool `native_shel_*`; known: ",
        ),
        (
            "capability_denylist = ['todo.writ']",
            "1: this entry denies nothing: unknown capability `todo.writ`; did you mean `todo.write`?",
        ),
        ("toolAllowlist = ['native_*']\ntoolDenylist = ['native_shel']", "2: this entry denies nothing: "),
        ("toolDenylist = ['Bash(git:*)']", "1: `Bash(git:*)` is not supported"),
    ] {
        let parsed = read("agents/x.toml", text);
        assert!(parsed.definitions.is_empty(), "{text}");
        let found = problems(&parsed);
        assert!(
            found.iter().any(|found| found.starts_with(&format!("agents/x.toml:{expected}"))),
            "{text}: {found:?}"
        );
    }
    let known = problems(&read("agents/x.toml", "toolDenylist = ['teleport']"));
    assert!(REGISTRY.iter().all(|spec| known[0].contains(spec.name)), "{known:?}");
}

#[test]
fn what_is_denied_may_be_named_in_everybodys_words() {
    let denied = |text: &str| one("agents/x.toml", text).scope.tools.deny;
    for name in ["toolDenylist", "tool_denylist", "disallowedTools"] {
        for (word, expected) in [
            ("bash", &["native_shell", "native_net"][..]),
            ("Bash", &["native_shell", "native_net"]),
            ("Read", &["native_read"]),
            ("edit", &["native_write"]),
            ("native_*", &["native_*"]),
            ("todo", &["todo"]),
        ] {
            assert_eq!(names(&denied(&format!("{name} = ['{word}']"))), expected, "{name} {word}");
        }
    }
    // A plan is nothing that could be withheld.
    let planning = read("agents/x.toml", "disallowedTools = ['ExitPlanMode']");
    assert_eq!(
        problems(&planning),
        ["agents/x.toml:1: `ExitPlanMode` cannot be denied: every agent may ask and plan"]
    );
    assert_eq!(planning.definitions.len(), 1);
}

#[test]
fn what_would_allow_nothing_is_a_warning() {
    for (text, expected) in [
        ("tools = ['summn']", "unknown tool `summn`; did you mean `summon`?"),
        ("toolAllowlist = ['summn']", "unknown tool `summn`; did you mean `summon`?"),
        ("ceiling = ['summn']", "unknown tool `summn`; did you mean `summon`?"),
        ("capabilityAllowlist = ['todo.x']", "unknown capability `todo.x`; known: "),
    ] {
        let parsed = read("agents/x.toml", text);
        assert_eq!(parsed.definitions.len(), 1, "{text}");
        let [problem] = &parsed.problems[..] else { panic!("{text}: {parsed:?}") };
        assert!(problem.message.starts_with(expected), "{text}: {problem:?}");
    }
}

#[test]
fn warnings_that_nobody_reads_are_no_error() {
    let names: Vec<String> = (0..20).map(|number| format!("'notes_{number}_*'")).collect();
    let parsed = read("agents/x.toml", &format!("tools = [{}]", names.join(",")));
    assert_eq!((parsed.definitions.len(), parsed.problems.len()), (1, 11));
    assert_eq!(parsed.problems[10].message, "and 10 more");
    let denied = read("agents/x.toml", &format!("tools = [{}]\ntoolDenylist = ['x']", names.join(",")));
    assert!(denied.definitions.is_empty(), "an error among them counts");
    let many = format!("agentDenylist = [{}]", vec!["'x'"; 501].join(","));
    assert_eq!(
        problems(&read("agents/x.toml", &many)),
        ["agents/x.toml:1: `agentDenylist` has more than 500 entries"]
    );
}

#[test]
fn odd_names_of_files_harm_nobody() {
    for name in ["agents/...md", "agents/a b.md", "agents/.md", "agents/ä.md"] {
        let parsed = read(name, "Hi.");
        assert!(parsed.definitions.is_empty(), "{name}");
        assert!(problems(&parsed)[0].contains("invalid slug"), "{name}: {parsed:?}");
    }
    assert_eq!(one("../../etc/passwd.md", "Hi.").slug, "passwd");
    assert!(is_slug(&"a".repeat(64)) && !is_slug(&"a".repeat(65)) && !is_slug(""));
}

#[test]
fn impossible_fields_are_errors() {
    for (text, expected) in [
        ("toolExposure = 'all'", "unknown tool exposure `all`; expected tools, skills or mixed"),
        ("name = 'a'\nguard = 'hard'", "x.toml:2: unknown guard `hard`; known: lease"),
        ("guard = true", "`guard` must be text, but is"),
        ("permissions = 'some'", "unknown permission mode `some`; known: full, ask, read-only"),
        (
            "provider = 'Clod!'",
            "unknown provider `Clod!`; known: claude, codex, pi, acp, openai, openai-compatible, scripted",
        ),
        ("type = 'room'", "unknown type `room`; expected chat or external"),
        (
            "tools = []\ntoolAllowlist = []",
            "`tools` and `toolAllowlist` both set the allowed tools; keep one of them",
        ),
        ("name = 'a'\ndisplayName = 'b'", "`name` and `displayName` mean the same; keep one of them"),
        ("name = 'a'\nis_subagent = 'yes'", "`is_subagent` must be true or false, but is text"),
        ("model = 'a'\nmodels = ['b']", "both `model` and `models` are set; keep one of them"),
        ("[chat]\nconfig = { extraArgs = ['-x'] }", "`chat.config.extraArgs` is not supported"),
        ("[chat]\nmodle = 'x'", "unknown field `chat.modle`"),
        ("tools = ['a']\ntool_s = 1", "unknown field `tool_s`"),
        ("name = 'a'\n\nname = 'b'", "invalid TOML: duplicate key"),
    ] {
        let parsed = read("agents/x.toml", text);
        assert!(parsed.definitions.is_empty(), "{text}");
        let found = problems(&parsed);
        assert!(found.iter().any(|problem| problem.contains(expected)), "{text}: {found:?}");
    }
}

#[test]
fn nobody_is_told_more_than_they_can_read() {
    let fields: String = (0..40_000).map(|number| format!("a{number}: 1\n")).collect();
    let parsed = read("agents/x.md", &format!("---\n{fields}---\n"));
    assert_eq!((parsed.problems.len(), parsed.problems[10].message.as_str()), (11, "and 39990 more"));
    let agents: String = (0..1_000).map(|number| format!("[[agents]]\nagentId = 'a{number}'\n")).collect();
    let parsed = read("config.toml", &agents);
    assert_eq!((parsed.definitions.len(), parsed.problems.len()), (500, 1));
    assert_eq!(parsed.problems[0].line, 1_001);
}

#[test]
fn the_built_in_one_grants_what_can_be_switched() {
    let definition = Definition::built_in();
    assert!(REGISTRY.iter().all(|spec| definition.scope.admits(spec)
        == (spec.power.is_some() || !spec.switches_for(&definition).is_empty())));
}

const FORMATS: [Format; 5] =
    [Format::ConfigToml, Format::ConfigJson, Format::Toml, Format::Markdown, Format::Claude];

fn survives(text: &str) {
    for format in FORMATS {
        let parsed = parse(&File { path: "agents/x.md", text, format, origin: Origin::Home }, &keys());
        let lines = text.lines().count().max(1) + 1;
        assert!(
            parsed.problems.iter().all(|problem| (1..=lines).contains(&problem.line)),
            "{text:?}: {parsed:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        survives(&text);
        survives(&format!("---\n{text}\n---\n"));
    }

    /// What looks like a definition, with pieces of syntax where they do not belong.
    #[test]
    fn no_near_miss_makes_it_panic(pieces in proptest::collection::vec(proptest::sample::select(vec![
        "---\n", "name", ": ", "\n", "  ", "- ", "[", "]", "{", "}", "\"", "'", "agents", "=", ",", "tools", "|\n", ">-\n",
        "&a ", "*a ", "!t ", "# ", "\t", "\r\n", "é", "\u{feff}", "\0", "models", "chat", "null", "1.5", "true", "[[", "]]",
        "agentId", "<<", "? ", "%YAML 1.2\n", "...\n", "\\u12", "Bash(", ")",
    ]), 0..40)) {
        let text = pieces.concat();
        survives(&text);
        survives(&format!("---\n{text}\n---\nbody"));
    }
}
