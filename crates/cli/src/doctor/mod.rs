//! Looking at what Paseo needs on this machine. Changes nothing and starts no daemon.

mod daemon;
mod definitions;
mod external;
mod home;
mod keys;
mod programs;
mod providers;

use serde::Serialize;

use crate::context::Context;
use crate::environment::TERM;
use crate::settings::Settings;

/// What `paseo doctor --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Diagnosis {
    /// Nothing fails; there may be warnings.
    pub(crate) ok: bool,
    pub(crate) checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) found: String,
    /// What to do about it.
    pub(crate) fix: Option<String>,
}

/// How it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Ok,
    /// Something does not work, the rest does.
    Warn,
    Fail,
}

impl Check {
    fn ok(name: impl Into<String>, found: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Ok, found: found.into(), fix: None }
    }

    fn warn(name: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Warn, found: found.into(), fix: Some(fix.into()) }
    }

    fn fail(name: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Fail, found: found.into(), fix: Some(fix.into()) }
    }
}

/// Looks at everything.
pub(crate) async fn examine(context: &Context) -> Diagnosis {
    let settings = &context.settings;
    let mut checks = home::examine(settings);
    checks.push(config(settings));
    checks.extend(daemon::examine(context).await);
    checks.extend(programs::examine(context).await);
    checks.extend(providers::examine(context).await);
    checks.extend(definitions::examine(context).await);
    checks.extend(keys::examine(settings, |name| std::env::var_os(name)));
    checks.push(external::examine(settings));
    checks.push(terminal(context));
    Diagnosis { ok: checks.iter().all(|check| check.verdict != Verdict::Fail), checks }
}

fn config(settings: &Settings) -> Check {
    const NAME: &str = "config";
    let path = settings.home.join("config.toml");
    match &settings.problem {
        Some(problem) => {
            let fix = problem.hint.clone().unwrap_or_else(|| format!("edit {}", path.display()));
            Check::fail(NAME, problem.message.clone(), fix)
        }
        None if path.exists() => Check::ok(NAME, path.display().to_string()),
        None => Check::ok(NAME, "none; using defaults"),
    }
}

fn terminal(context: &Context) -> Check {
    const NAME: &str = "terminal";
    let kind = TERM.value().map(|kind| kind.to_string_lossy().into_owned()).unwrap_or_default();
    if !context.printer.is_watched() {
        return Check::ok(NAME, "none; plain output");
    }
    if !context.printer.is_screen() {
        let found = format!("{kind}: no colours and no live updates");
        return Check::warn(NAME, found, "set TERM to your terminal type, for example xterm-256color");
    }
    Check::ok(NAME, kind)
}
