//! The driver: which models an agent is started with, and with what they are paid for.

use paseo_core::attachment::Accepts;
use paseo_core::permission::{Mode, Power};

use super::setup::{Endpoint, Setup};
use crate::models;
use crate::own_agent;
use crate::process::{self, Program};
use crate::provider::{
    Access, BoxFuture, Broken, Capabilities, Check, Choice, Harness, Launch, Lifetime, Memory, Provider,
    Readiness, StartError,
};

/// Default context size of a model, in tokens.
const CONTEXT: u64 = 128_000;
/// Where the path ends that people copy from other programs.
const PATH: &str = "/chat/completions";

/// One of the two providers: they differ in where they look for a server and a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAi {
    family: &'static Family,
    environment: Environment,
}

/// Names.
#[derive(Debug, PartialEq, Eq)]
struct Family {
    name: &'static str,
    key: &'static str,
    base_url: &'static str,
    model: &'static str,
    /// The default server.
    home: Option<&'static str>,
}

const OPENAI: Family = Family {
    name: "openai",
    key: "OPENAI_API_KEY",
    base_url: "OPENAI_BASE_URL",
    model: "OPENAI_MODEL",
    home: Some("https://api.openai.com/v1"),
};

const COMPATIBLE: Family = Family {
    name: "openai-compatible",
    key: "OPENAI_COMPATIBLE_API_KEY",
    base_url: "OPENAI_COMPATIBLE_BASE_URL",
    model: "OPENAI_COMPATIBLE_MODEL",
    home: None,
};

/// What the daemon's environment holds for agents whose definition names no key.
#[derive(Clone, Default, PartialEq, Eq)]
struct Environment {
    key: Option<String>,
    base_url: Option<String>,
    model: Option<String>,
}

/// Shown without the key: what is printed ends up in logs.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl OpenAi {
    /// The provider `openai`. `variable` looks one up in the environment.
    pub fn new(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self::of(&OPENAI, variable)
    }

    /// The provider `openai-compatible`: any other server that speaks Chat Completions.
    pub fn compatible(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self::of(&COMPATIBLE, variable)
    }

    fn of(family: &'static Family, variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name: &str| {
            variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let environment =
            Environment { key: text(family.key), base_url: text(family.base_url), model: text(family.model) };
        Self { family, environment }
    }

    /// Returns what a choice comes to.
    fn endpoint(&self, choice: Choice) -> Result<Endpoint, StartError> {
        let Choice { model, effort, context, access } = choice;
        let model = model.or_else(|| self.environment.model.clone()).ok_or_else(|| self.no_model())?;
        // A key goes to the server that it is for: the environment's address is for the environment's key.
        let (key, secret, given) = match access {
            Some(Access { key, secret, base_url }) => (Some(key), Some(secret), base_url),
            None => (None, self.environment.key.clone(), self.environment.base_url.clone()),
        };
        if secret.is_none() && given.is_none() && self.family.home.is_some() {
            return Err(self.no_key());
        }
        let home = self.family.home.map(str::to_owned);
        let base_url = given.or(home).ok_or_else(|| self.no_server(key.as_deref()))?;
        if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
            return Err(StartError {
                message: format!("{}: `{base_url}` is not a valid URL", self.family.name),
                hint: Some(format!("start {} with https:// or http://", self.family.base_url)),
            });
        }
        if base_url.split('/').nth(2).is_some_and(|authority| authority.contains('@')) {
            return Err(StartError {
                message: format!(
                    "{}: the URL contains a user name or password, and URLs are shown to people",
                    self.family.name
                ),
                hint: Some("remove it from the URL, and set it as the key".to_owned()),
            });
        }
        let base_url = base_url.trim_end_matches('/').trim_end_matches(PATH).trim_end_matches('/').to_owned();
        Ok(Endpoint { model, effort, key, secret, base_url, context: context.unwrap_or(CONTEXT) })
    }

    fn setup(&self, launch: &mut Launch) -> Result<Setup, StartError> {
        let mut choices = std::mem::take(&mut launch.chain);
        if choices.is_empty() {
            let (model, effort) = (launch.model.clone(), launch.effort.clone());
            choices.push(Choice { model, effort, context: None, access: None });
        }
        Ok(Setup {
            directory: launch.directory.clone(),
            prompt: std::mem::take(&mut launch.prompt),
            withheld: withheld(launch),
            confined: launch.permissions != Mode::Full,
            chain: choices.into_iter().map(|choice| self.endpoint(choice)).collect::<Result<_, _>>()?,
            tools: std::mem::take(&mut launch.tools),
            past: std::mem::take(&mut launch.past),
        })
    }

    fn no_model(&self) -> StartError {
        StartError {
            message: format!("provider `{}` needs a model", self.family.name),
            hint: Some(format!(
                "pass --model, set the variable {}, or list `models` in an agent definition; see \"Any model\" in the documentation",
                self.family.model
            )),
        }
    }

    fn no_key(&self) -> StartError {
        StartError {
            message: format!("provider `{}` needs an API key", self.family.name),
            hint: Some(set(&[self.family.key])),
        }
    }

    fn no_server(&self, key: Option<&str>) -> StartError {
        let hint = match key {
            Some(key) => {
                format!(
                    "set `base_url` for the key `{key}` in config.toml, so that the key is sent only to \
                     its own server"
                )
            }
            None => set(&[self.family.base_url]),
        };
        let message = format!("provider `{}` needs a server URL", self.family.name);
        StartError { message, hint: Some(hint) }
    }
}

/// Says how to give what is missing.
fn set(variables: &[&str]) -> String {
    format!(
        "set {} in the daemon's environment and run `paseo restart`; see \"Any model\" in the documentation \
         for other ways",
        variables.join(" and ")
    )
}

impl Provider for OpenAi {
    fn name(&self) -> &str {
        self.family.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            steer: true,
            resume: true,
            models: true,
            efforts: &["none", "minimal", "low", "medium", "high", "xhigh"],
            permissions: &Mode::ALL,
            withholds: &Power::ALL,
            mcp: false,
            native_tools: true,
            memory: Memory::Ours,
            thinking: true,
            cost: false,
            answer_messages: true,
            own_turns: false,
            guard: true,
            terminal: false,
            attachments: Accepts::IMAGES_AND_TEXT,
            lifetime: Lifetime::Pipe,
        }
    }

    /// Without a definition that says more, it needs a server, a key where the server wants one, and a model.
    fn readiness(&self) -> Readiness {
        let Environment { key, base_url, model } = &self.environment;
        let mut missing = Vec::new();
        if base_url.is_none() {
            match self.family.home {
                Some(_) if key.is_none() => missing.push(("an API key", self.family.key)),
                Some(_) => {}
                None => missing.push(("a server URL", self.family.base_url)),
            }
        }
        if model.is_none() {
            missing.push(("a model", self.family.model));
        }
        if missing.is_empty() {
            let any = Choice { model: Some(String::new()), effort: None, context: None, access: None };
            return match self.endpoint(any) {
                Ok(_) => Readiness::Ready { program: None },
                Err(StartError { message, hint }) => Readiness::Unset {
                    needs: format!("another URL: {message}"),
                    hint: hint.unwrap_or_default(),
                },
            };
        }
        let (needs, variables): (Vec<&str>, Vec<&str>) = missing.into_iter().unzip();
        Readiness::Unset { needs: needs.join(" and "), hint: set(&variables) }
    }

    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
        Box::pin(async { Ok(None) })
    }

    fn check(&self, request: &Check) -> Result<(), StartError> {
        if request.model.is_none() && self.environment.model.is_none() {
            return Err(self.no_model());
        }
        Ok(())
    }

    fn models(&self, ask: models::Ask) -> BoxFuture<'_, Result<models::Offered, models::Error>> {
        Box::pin(async move {
            // Which model does not matter: the server is asked for all of them.
            let any = Choice { model: Some(String::new()), effort: None, context: None, access: ask.access };
            let Endpoint { base_url, secret, .. } = self.endpoint(any).map_err(models::Error::Unset)?;
            models::ask_server(models::Server { base_url, secret }).await
        })
    }

    fn start(&self, mut launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(async move {
            let setup = self.setup(&mut launch)?;
            let failed = |error: String| StartError {
                message: format!("cannot start the agent: {error}"),
                hint: Some(format!("check that {} is a directory", launch.directory.display())),
            };
            let first = serde_json::to_string(&setup).map_err(|error| failed(error.to_string()))?;
            let process = process::start(Program {
                shim: launch.executable.clone(),
                program: launch.executable.clone().into_os_string(),
                arguments: vec!["chat-agent".into()],
                directory: launch.directory.clone(),
                session: launch.session,
                environment: launch.environment,
                removed: [launch.removed, secrets(&setup, std::env::vars_os())].concat(),
            })
            .map_err(|error| failed(error.to_string()))?;
            Ok(own_agent::carry(process, self.family.name, Some(first)))
        })
    }
}

/// Returns the powers that the agent has no tools for: what was withheld from it, and what its mode never grants.
fn withheld(launch: &Launch) -> Vec<Power> {
    let missing = |power: &Power| !launch.permissions.grants(*power) || launch.withheld.contains(power);
    Power::ALL.into_iter().filter(missing).collect()
}

/// Returns the variables that hold a key of the agent: its commands have no use for them.
fn secrets(
    setup: &Setup,
    variables: impl Iterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
) -> Vec<String> {
    let is_secret = |value: &str| {
        setup
            .chain
            .iter()
            .filter_map(|endpoint| endpoint.secret.as_deref())
            .any(|secret| value.trim() == secret)
    };
    let known = [OPENAI.key, COMPATIBLE.key].map(str::to_owned);
    let found = variables.filter_map(|(name, value)| {
        value.to_str().is_some_and(is_secret).then(|| name.to_string_lossy().into_owned())
    });
    known.into_iter().chain(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(CONTEXT, 128_000);
    }

    fn provider(compatible: bool, variables: &[(&str, &str)]) -> OpenAi {
        let of = if compatible { &COMPATIBLE } else { &OPENAI };
        OpenAi::of(of, |wanted| {
            variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
        })
    }

    fn choice(access: Option<(&str, Option<&str>)>) -> Choice {
        let access = access.map(|(secret, base_url)| Access {
            key: "work".into(),
            secret: secret.into(),
            base_url: base_url.map(str::to_owned),
        });
        Choice { model: Some("m".into()), effort: None, context: None, access }
    }

    #[test]
    fn a_key_wins_over_the_environment() {
        let openai =
            provider(false, &[("OPENAI_API_KEY", " sk-own\n"), ("OPENAI_BASE_URL", "http://own/v1/")]);
        let own = openai.endpoint(choice(None)).unwrap();
        assert_eq!((own.secret.as_deref(), own.base_url.as_str()), (Some("sk-own"), "http://own/v1"));
        let named = openai.endpoint(choice(Some(("sk-work", Some("http://w/v1/chat/completions"))))).unwrap();
        assert_eq!((named.secret.as_deref(), named.base_url.as_str()), (Some("sk-work"), "http://w/v1"));
        assert_eq!(named.name(), "m (key work)");
        // What pays one server is not sent to another.
        let elsewhere = openai.endpoint(choice(Some(("sk-work", None)))).unwrap();
        assert_eq!(elsewhere.base_url, "https://api.openai.com/v1");
    }

    #[test]
    fn what_is_missing_is_said_with_what_to_do() {
        let hint = |error: StartError| error.hint.unwrap_or_default();
        let openai = provider(false, &[]);
        assert!(hint(openai.endpoint(choice(None)).unwrap_err()).contains("OPENAI_API_KEY"));
        let keyed = openai.endpoint(choice(Some(("sk", None)))).unwrap();
        assert_eq!(keyed.base_url, "https://api.openai.com/v1");
        let compatible = provider(true, &[]);
        assert!(hint(compatible.endpoint(choice(None)).unwrap_err()).contains("OPENAI_COMPATIBLE_BASE_URL"));
        for variables in [&[][..], &[("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:1/v1")]] {
            let no_server = provider(true, variables).endpoint(choice(Some(("sk", None)))).unwrap_err();
            assert!(hint(no_server).contains("`base_url` for the key `work`"));
        }
        // A server at home needs no key.
        let local = provider(true, &[("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:11434/v1")]);
        assert_eq!(local.endpoint(choice(None)).unwrap().secret, None);
        let wrong = provider(true, &[("OPENAI_COMPATIBLE_BASE_URL", "ftp://x")]).endpoint(choice(None));
        assert!(wrong.unwrap_err().message.contains("is not a valid URL"));
        let telling =
            provider(true, &[("OPENAI_COMPATIBLE_BASE_URL", "http://me:sk@x/v1")]).endpoint(choice(None));
        assert!(telling.unwrap_err().message.contains("a user name or password"));
        let check = Check { directory: "/".into(), model: None, effort: None, permissions: Mode::Full };
        assert!(hint(openai.check(&check).unwrap_err()).contains("--model"));
    }

    #[test]
    fn it_is_ready_when_nothing_more_has_to_be_said() {
        let ready = |variables: &[(&str, &str)]| {
            matches!(provider(false, variables).readiness(), Readiness::Ready { .. })
        };
        assert!(ready(&[("OPENAI_API_KEY", "sk"), ("OPENAI_MODEL", "m")]));
        assert!(!ready(&[("OPENAI_API_KEY", "sk")]));
        assert!(!ready(&[("OPENAI_MODEL", "m")]));
        assert!(!ready(&[("OPENAI_API_KEY", " "), ("OPENAI_MODEL", "m")]));
        let problem = |compatible, variables: &[(&str, &str)]| {
            provider(compatible, variables).readiness().problem().unwrap()
        };
        assert_eq!(problem(false, &[]).0, "needs an API key and a model");
        let (what, hint) = problem(false, &[("OPENAI_API_KEY", "sk")]);
        assert_eq!(what, "needs a model");
        assert!(hint.contains("OPENAI_MODEL") && !hint.contains("OPENAI_API_KEY"), "{hint}");
        assert_eq!(problem(true, &[]).0, "needs a server URL and a model");
        let (what, hint) =
            problem(true, &[("OPENAI_COMPATIBLE_BASE_URL", "x"), ("OPENAI_COMPATIBLE_MODEL", "m")]);
        assert!(
            what.contains("`x` is not a valid URL") && hint.contains("OPENAI_COMPATIBLE_BASE_URL"),
            "{what}: {hint}"
        );
    }

    #[test]
    fn commands_do_not_find_the_keys() {
        let openai = provider(false, &[("OPENAI_API_KEY", "sk-own")]);
        let chain = vec![
            openai.endpoint(choice(None)).unwrap(),
            openai.endpoint(choice(Some(("sk-work", None)))).unwrap(),
        ];
        let setup = Setup {
            directory: "/".into(),
            prompt: String::new(),
            withheld: Vec::new(),
            confined: false,
            chain,
            tools: Vec::new(),
            past: Vec::new(),
        };
        let variables = [("WORK_KEY", "sk-work "), ("COPY", "sk-own"), ("PATH", "/bin")];
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        let removed = secrets(&setup, variables);
        assert_eq!(removed, ["OPENAI_API_KEY", "OPENAI_COMPATIBLE_API_KEY", "WORK_KEY", "COPY"]);
    }
}
