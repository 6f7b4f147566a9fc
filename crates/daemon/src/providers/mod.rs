//! The providers that this daemon knows, and which one is used when none is named.

mod models;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use parking_lot::Mutex;
use paseo_core::address::Allowed;
use paseo_core::provider::Added;
use paseo_runtime::acp::{self, Acp};
use paseo_runtime::claude::Claude;
use paseo_runtime::codex::Codex;
use paseo_runtime::external::{self, External};
use paseo_runtime::openai::OpenAi;
use paseo_runtime::pi::Pi;
use paseo_runtime::provider::{Capabilities, Check, Options, Provider, Readiness};
use paseo_runtime::scripted::Scripted;
use paseo_wire::error::Code;
use paseo_wire::provider::ProviderView;
use paseo_wire::words;

use self::models::Models;
use self::view::{locked_out, view};
use crate::failure::Failure;
use crate::settings::SettingsCell;

/// An agent without a model: only ever used when it is named.
const SCRIPTED: &str = "scripted";

/// All providers, in the order in which a default is looked for.
#[derive(Clone)]
pub(crate) struct Providers {
    /// Those that are built in.
    all: Vec<Arc<dyn Provider>>,
    default: Option<String>,
    /// Knows which commands people added: they count from then on.
    settings: SettingsCell,
    /// The error of each provider whose last turn failed for want of a login: ACP agents report it in no other way.
    locked: Arc<Mutex<BTreeMap<String, String>>>,
    /// What they said last about their models.
    pub(crate) models: Models,
}

/// The provider of a session, and why it is this one.
pub(crate) struct Choice {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) reason: Reason,
}

/// Why a provider is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    AskedFor,
    Configured,
    /// None was named, and it is the first that could be used.
    FirstReady,
}

impl From<Reason> for words::ProviderReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::AskedFor => Self::AskedFor,
            Reason::Configured => Self::Configured,
            Reason::FirstReady => Self::FirstReady,
        }
    }
}

impl Providers {
    pub(crate) fn new(
        default: Option<String>,
        options: &BTreeMap<String, Options>,
        settings: SettingsCell,
        reachable: Allowed,
    ) -> Self {
        let of = |name: &str| options.get(name).cloned().unwrap_or_default();
        let variable = |name: &str| std::env::var(name).ok();
        let all: Vec<Arc<dyn Provider>> = vec![
            Arc::new(Claude::new(of("claude"))),
            Arc::new(Codex::new(of("codex"))),
            Arc::new(Pi::new(of("pi"))),
            Arc::new(OpenAi::new(variable)),
            Arc::new(OpenAi::compatible(variable)),
            Arc::new(External::new(reachable)),
            Arc::new(Scripted),
        ];
        Self { all, default, settings, locked: Arc::default(), models: Models::default() }
    }

    /// Returns those that speak ACP: the agents that are known, and those that people added. They are used when they
    /// are named, and never else.
    fn speakers(&self) -> Vec<Arc<dyn Provider>> {
        let settings = self.settings.get();
        let known = acp::PRESETS.iter().filter(|preset| !settings.providers.contains_key(preset.name));
        let known = known.map(|preset| Arc::new(Acp::known(preset)) as Arc<dyn Provider>);
        let added = settings.providers.iter().map(|(name, agent)| Arc::new(added(name, agent)) as _);
        known.chain(added).collect()
    }

    /// Returns their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.all.iter().chain(&self.speakers()).map(|provider| provider.name().to_owned()).collect()
    }

    /// Returns the names of those that could be used now.
    pub(crate) fn ready_names(&self) -> Vec<String> {
        let speakers = self.speakers();
        let all = self.all.iter().chain(&speakers).filter(|one| is_ready(one.as_ref()));
        all.map(|provider| provider.name().to_owned()).collect()
    }

    /// Finds a provider by name.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<dyn Provider>> {
        self.all.iter().chain(&self.speakers()).find(|provider| provider.name() == name).cloned()
    }

    /// Returns the provider that was asked for, or the default, if it can do what is wanted.
    ///
    /// `callers_default` is what the caller has configured, which beats what the daemon was started with.
    pub(crate) fn choose(
        &self,
        name: Option<&str>,
        callers_default: Option<&str>,
        check: &Check,
    ) -> Result<Choice, Failure> {
        let choice = match (name, callers_default) {
            (Some(name), _) => Choice { provider: self.named(name)?, reason: Reason::AskedFor },
            (None, Some(name)) => Choice { provider: self.named(name)?, reason: Reason::Configured },
            (None, None) => self.default()?,
        };
        let provider = &choice.provider;
        provider.check(check).map_err(|error| Failure {
            hint: error.hint.clone(),
            ..unavailable(format!("{}: {error}", provider.name()))
        })?;
        if let Readiness::Missing { hint } = provider.readiness() {
            return Err(unavailable(format!("{} is not installed", provider.name())).hint(hint));
        }
        supported(provider.name(), provider.capabilities(), check)?;
        Ok(choice)
    }

    /// Returns the provider of a worker: the one that was asked for, or else the first that is ready, the default one
    /// before others. It must be able to run in a terminal, and to be guarded if it is to be.
    pub(crate) fn in_terminal(
        &self,
        name: Option<&str>,
        callers_default: Option<&str>,
        guarded: bool,
    ) -> Result<String, Failure> {
        let able = |provider: &Arc<dyn Provider>| {
            let able = provider.capabilities();
            able.terminal && (able.guard || !guarded)
        };
        let what = if guarded { "run in a terminal and be guarded there" } else { "run in a terminal" };
        let names = |all: &mut dyn Iterator<Item = &Arc<dyn Provider>>| {
            let able = all.filter(|provider| able(provider));
            able.map(|provider| provider.name()).collect::<Vec<_>>().join(", ")
        };
        if let Some(name) = name {
            let provider = self.named(name)?;
            return match able(&provider) {
                true => Ok(provider.name().to_owned()),
                false => Err(unavailable(format!("{name} cannot {what}"))
                    .hint(format!("use one of: {}", names(&mut self.all.iter())))),
            };
        }
        let configured = callers_default.or(self.default.as_deref());
        let configured = configured.map(|name| self.named(name)).transpose()?;
        let mut all =
            configured.into_iter().filter(able).chain(self.candidates().filter(|one| able(one)).cloned());
        match all.find(|provider| is_ready(provider.as_ref())) {
            Some(provider) => Ok(provider.name().to_owned()),
            None => Err(unavailable(format!("no ready provider can {what}")).hint(format!(
                "set up one of: {}; `paseo providers` says what each of them needs",
                names(&mut self.candidates())
            ))),
        }
    }

    /// Returns all of them as the API shows them.
    pub(crate) async fn views(&self) -> Vec<ProviderView> {
        let default = self.default().ok();
        let default = default.as_ref().map(|choice| (choice.provider.name(), choice.reason));
        let all: Vec<_> = self.all.iter().cloned().chain(self.speakers()).collect();
        let added = self.settings.get();
        let view = |provider: &Arc<dyn Provider>| {
            let (provider, added) = (Arc::clone(provider), added.providers.contains_key(provider.name()));
            let locked = self.locked.lock().get(provider.name()).cloned();
            async move {
                let view = ProviderView { added, ..view(provider.as_ref(), default).await };
                match locked {
                    Some(words) if view.readiness == words::Readiness::Ready => locked_out(view, &words),
                    _ => view,
                }
            }
        };
        join_all(all.iter().map(view)).await
    }

    /// Records whether a provider's turn failed because it is not logged in, with its error.
    pub(crate) fn turn_ended(&self, name: &str, wants_login: Option<&str>) {
        match wants_login {
            Some(words) => drop(self.locked.lock().insert(name.to_owned(), words.to_owned())),
            None => drop(self.locked.lock().remove(name)),
        }
    }

    fn named(&self, name: &str) -> Result<Arc<dyn Provider>, Failure> {
        self.get(name).ok_or_else(|| self.unknown(name))
    }

    /// Refuses a name that no provider has.
    pub(crate) fn unknown(&self, name: &str) -> Failure {
        let name: String = name.chars().take(60).flat_map(char::escape_debug).collect();
        unavailable(format!("unknown provider `{name}`"))
            .hint(format!("choose one of: {}", self.names().join(", ")))
    }

    /// Returns the name of the provider of sessions that name none, if one is ready.
    pub(crate) fn default_name(&self) -> Option<String> {
        self.default().ok().map(|choice| choice.provider.name().to_owned())
    }

    fn default(&self) -> Result<Choice, Failure> {
        if let Some(name) = &self.default {
            let provider = self.get(name).ok_or_else(|| {
                let failure = self.unknown(name);
                Failure { message: format!("config.toml: {}", failure.message), ..failure }
            })?;
            return Ok(Choice { provider, reason: Reason::Configured });
        }
        match self.candidates().find(|provider| is_ready(provider.as_ref())) {
            Some(provider) => Ok(Choice { provider: Arc::clone(provider), reason: Reason::FirstReady }),
            None => Err(self.none_ready()),
        }
    }

    /// Returns those that may be chosen without being named.
    fn candidates(&self) -> impl Iterator<Item = &Arc<dyn Provider>> {
        self.all.iter().filter(|provider| ![SCRIPTED, external::NAME].contains(&provider.name()))
    }

    fn none_ready(&self) -> Failure {
        let lines = self.candidates().map(|provider| {
            let (problem, hint) = provider.readiness().problem().unwrap_or_default();
            format!("\n{} {problem}: {hint}", provider.name())
        });
        unavailable(format!("cannot choose a provider: none of these is ready{}", lines.collect::<String>())).hint(
            "try `paseo demo` or `--provider scripted` to look around without one; `paseo providers` lists \
             all",
        )
    }
}

fn is_ready(provider: &dyn Provider) -> bool {
    matches!(provider.readiness(), Readiness::Ready { .. })
}

/// Makes the provider for a command that someone added.
pub(crate) fn added(name: &str, agent: &Added) -> Acp {
    let Added { command, preset, mode, asks, environment } = agent.clone();
    Acp::added(name, acp::Agent { command, preset, mode, asks, environment })
}

/// Refuses what a provider cannot do, with what it can.
fn supported(name: &str, capabilities: Capabilities, check: &Check) -> Result<(), Failure> {
    let Capabilities { models, efforts, permissions, .. } = capabilities;
    if check.model.is_some() && !models {
        return Err(unavailable(format!("{name} does not support choosing a model")).hint("leave it out"));
    }
    if let Some(effort) = check.effort.as_deref().filter(|effort| !efforts.contains(effort)) {
        return Err(match efforts {
            [] => unavailable(format!("{name} has no effort setting")).hint("leave out --effort"),
            efforts => unavailable(format!("{name} does not support the effort `{}`", shown(effort)))
                .hint(format!("choose one of {}", efforts.join(", "))),
        });
    }
    if !permissions.contains(&check.permissions) {
        let known: Vec<&str> = permissions.iter().map(|mode| mode.word()).collect();
        return Err(unavailable(format!(
            "{name} does not support the permission mode `{}`",
            check.permissions.word()
        ))
        .hint(format!("choose one of {}", known.join(", "))));
    }
    Ok(())
}

fn unavailable(message: String) -> Failure {
    Failure::new(Code::ProviderUnavailable, message)
}

fn shown(typed: &str) -> String {
    typed.chars().take(60).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use paseo_core::permission::Mode;
    use paseo_runtime::provider::{BoxFuture, Broken, Harness, Launch, StartError};

    use super::*;

    #[test]
    fn presets_are_those_of_the_wire() {
        let known: Vec<&str> = acp::PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(known, words::Preset::WORDS);
    }

    /// A provider that is only asked.
    struct Fake(&'static str, Readiness);

    impl Provider for Fake {
        fn name(&self) -> &str {
            self.0
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities {
                models: false,
                efforts: &["low", "high"],
                permissions: &[Mode::Full, Mode::Ask],
                ..Scripted.capabilities()
            }
        }

        fn readiness(&self) -> Readiness {
            self.1.clone()
        }

        fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
            Box::pin(async { Ok(Some("1.2.3".to_owned())) })
        }

        fn check(&self, _: &Check) -> Result<(), StartError> {
            Ok(())
        }

        fn start(&self, _: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
            Box::pin(async { Err(StartError { message: "only a fake".to_owned(), hint: None }) })
        }
    }

    fn missing() -> Readiness {
        Readiness::Missing { hint: "install it".to_owned() }
    }

    fn no_login() -> Readiness {
        Readiness::NoLogin { program: "/bin/b".into(), hint: "log in".to_owned() }
    }

    fn ready() -> Readiness {
        Readiness::Ready { program: Some("/bin/c".into()) }
    }

    fn providers(default: Option<&str>, fakes: Vec<Fake>) -> Providers {
        let mut all: Vec<Arc<dyn Provider>> = vec![Arc::new(Scripted)];
        all.extend(fakes.into_iter().map(|fake| Arc::new(fake) as Arc<dyn Provider>));
        let settings = SettingsCell::default();
        Providers {
            all,
            default: default.map(str::to_owned),
            settings,
            locked: Arc::default(),
            models: Models::default(),
        }
    }

    fn check() -> Check {
        Check { directory: "/".into(), model: None, effort: None, permissions: Mode::Full }
    }

    fn refused(providers: &Providers, name: Option<&str>, check: &Check) -> (String, String) {
        match providers.choose(name, None, check) {
            Ok(choice) => panic!("{} was chosen", choice.provider.name()),
            Err(failure) => {
                assert_eq!(failure.code, Code::ProviderUnavailable);
                (failure.message, failure.hint.unwrap_or_default())
            }
        }
    }

    #[test]
    fn the_first_that_is_ready_is_used_and_never_the_scripted_one() {
        let all = vec![Fake("a", missing()), Fake("b", no_login()), Fake("c", ready()), Fake("d", ready())];
        let choice = providers(None, all).choose(None, None, &check()).unwrap();
        assert_eq!((choice.provider.name(), choice.reason), ("c", Reason::FirstReady));
    }

    #[test]
    fn a_default_is_looked_for_among_claude_codex_and_pi_first() {
        let all = Providers::new(None, &BTreeMap::new(), SettingsCell::default(), Allowed::default());
        assert_eq!(all.names()[..3], ["claude", "codex", "pi"]);
    }

    #[test]
    fn what_is_configured_or_named_is_used() {
        let all = || vec![Fake("c", ready())];
        let configured = providers(Some("scripted"), all()).choose(None, None, &check()).unwrap();
        assert_eq!((configured.provider.name(), configured.reason), ("scripted", Reason::Configured));
        let named = providers(Some("scripted"), all()).choose(Some("c"), None, &check()).unwrap();
        assert_eq!((named.provider.name(), named.reason), ("c", Reason::AskedFor));
    }

    #[test]
    fn when_none_is_ready_each_says_what_it_needs() {
        let none = providers(None, vec![Fake("a", missing()), Fake("b", no_login())]);
        let (message, hint) = refused(&none, None, &check());
        assert_eq!(
            message,
            "cannot choose a provider: none of these is ready\na is not installed: install it\nb is not logged in: log in"
        );
        assert!(hint.contains("paseo demo") && hint.contains("--provider scripted"), "{hint}");
        assert_eq!(refused(&none, Some("a"), &check()).1, "install it");
        // A login may be in an unknown place: naming the provider still tries it.
        assert!(none.choose(Some("b"), None, &check()).is_ok());
    }

    #[test]
    fn what_it_cannot_do_is_refused_with_what_it_can() {
        let all = providers(None, vec![Fake("c", ready())]);
        let effort = Check { effort: Some("max".to_owned()), ..check() };
        assert_eq!(
            refused(&all, None, &effort),
            ("c does not support the effort `max`".to_owned(), "choose one of low, high".to_owned())
        );
        let mode = Check { permissions: Mode::ReadOnly, ..check() };
        assert_eq!(refused(&all, None, &mode).1, "choose one of full, ask");
        let model = Check { model: Some("m".to_owned()), ..check() };
        assert!(refused(&all, None, &model).0.contains("does not support choosing a model"));
        let (_, hint) = refused(&all, Some("scripted"), &effort);
        assert_eq!(hint, "leave out --effort");
    }

    #[test]
    fn what_people_add_is_there_at_once_and_takes_the_place_of_what_was_known() {
        let agent =
            |program: &str| Added { command: vec![program.to_owned()], asks: true, ..Added::default() };
        let mut settings = paseo_core::settings::Settings::default();
        settings.providers.insert("helper".to_owned(), agent("/bin/sh"));
        settings.providers.insert("opencode".to_owned(), agent("/bin/sh"));
        let all = Providers { settings: SettingsCell::of(settings), ..providers(None, Vec::new()) };
        let names = all.names();
        assert_eq!(names.iter().filter(|name| *name == "opencode").count(), 1, "{names:?}");
        assert!(names.contains(&"gemini".to_owned()) && names.contains(&"helper".to_owned()), "{names:?}");
        let ask = Check { permissions: Mode::Ask, ..check() };
        assert!(all.choose(Some("helper"), None, &ask).is_ok());
        assert!(matches!(all.get("opencode").unwrap().readiness(), Readiness::Ready { .. }));
        assert!(refused(&all, None, &check()).0.starts_with("cannot choose a provider"), "it must be named");
    }

    #[tokio::test]
    async fn the_list_says_which_is_the_default_and_why() {
        let all = vec![Fake("a", missing()), Fake("c", ready())];
        let views = providers(None, all).views().await;
        let found: Vec<_> = views
            .iter()
            .take(3)
            .map(|view| {
                (
                    view.name.as_str(),
                    view.readiness.as_str(),
                    view.default_reason.as_ref().map(words::ProviderReason::as_str),
                )
            })
            .collect();
        assert_eq!(
            found,
            [("scripted", "ready", None), ("a", "missing", None), ("c", "ready", Some("first_ready"))]
        );
        assert_eq!((views[1].version.as_deref(), views[2].version.as_deref()), (None, Some("1.2.3")));
        assert_eq!(views[1].hint.as_deref(), Some("install it"));
        assert_eq!(views[2].capabilities.efforts, ["low", "high"]);
    }
}
