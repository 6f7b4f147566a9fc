//! Looking at what Paseo needs on this machine. Changes nothing and starts no daemon.

mod daemon;
mod definitions;
mod external;
mod home;
mod keys;
mod programs;
mod providers;
mod running;

use paseo_wire::diagnosis::{Check, Diagnosis};

use crate::context::Context;
use crate::environment::TERM;
use crate::settings::Settings;

pub(crate) use running::Running;

/// Looks at everything, from where the command runs.
pub(crate) async fn examine(context: &Context) -> Diagnosis {
    let project = std::env::current_dir().ok().map(|here| here.display().to_string());
    let running = Running::ask(&context.settings, context.client_as_is(), project).await;
    let mut checks = machine(&context.settings, &running).await;
    checks.push(terminal(context));
    Diagnosis::new(checks)
}

/// Looks at everything that does not depend on a terminal.
pub(crate) async fn machine(settings: &Settings, running: &Running) -> Vec<Check> {
    let mut checks = home::examine(settings);
    checks.push(config(settings));
    checks.extend(daemon::examine(settings, running));
    checks.extend(programs::examine(running.seen()).await);
    checks.extend(providers::examine(settings, running.seen()).await);
    checks.extend(definitions::examine(running.seen()));
    checks.extend(keys::examine(settings, |name| std::env::var_os(name)));
    checks.push(external::examine(settings));
    checks
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
