//! Providers as the API shows them.

use std::time::Duration;

use paseo_core::permission::Mode;
use paseo_runtime::provider::{Capabilities, Lifetime, Provider, Readiness};
use paseo_wire::provider::{CapabilitiesView, ProviderView};

use super::Reason;

/// How long a program may take to print its version.
const VERSION_PATIENCE: Duration = Duration::from_secs(5);

/// Returns a provider as it is now. Runs its program to learn the version.
pub(super) async fn view(provider: &dyn Provider, default: Option<(&str, Reason)>) -> ProviderView {
    let readiness = provider.readiness();
    let problem = readiness.problem();
    let (readiness, program) = match readiness {
        Readiness::Ready { program } => ("ready", program),
        Readiness::NoLogin { program, .. } => ("no_login", Some(program)),
        Readiness::Unset { .. } => ("unset", None),
        Readiness::Missing { .. } => ("missing", None),
    };
    let said = match readiness {
        "missing" => Ok(None),
        _ => tokio::time::timeout(VERSION_PATIENCE, provider.version()).await.unwrap_or(Ok(None)),
    };
    // A user that can't run the program can't log in to it either.
    let (readiness, problem, version) = match said {
        Ok(version) => (readiness, problem, version),
        Err(broken) => ("broken", Some(broken.problem()), None),
    };
    let (problem, hint) = problem.unzip();
    let reason = default.filter(|(name, _)| *name == provider.name()).map(|(_, reason)| reason);
    ProviderView {
        name: provider.name().to_owned(),
        added: false,
        readiness: readiness.to_owned(),
        program: program.map(|program| program.display().to_string()),
        version,
        problem,
        hint,
        default: reason.is_some(),
        default_reason: reason.map(|reason| reason.word().to_owned()),
        capabilities: capabilities(provider.capabilities()),
    }
}

fn capabilities(able: Capabilities) -> CapabilitiesView {
    // Without `..`: a new one shall not be forgotten here.
    let Capabilities {
        steer,
        resume,
        models,
        efforts,
        permissions,
        withholds,
        mcp,
        // How it is told, and who remembers, is between it and us.
        native_tools: _,
        memory: _,
        thinking,
        cost,
        own_turns,
        // What it does not carry reaches the agent all the same.
        answer_messages: _,
        guard,
        terminal,
        attachments,
        lifetime,
    } = able;
    CapabilitiesView {
        steer,
        resume,
        models,
        efforts: efforts.iter().map(|effort| (*effort).to_owned()).collect(),
        permissions: permissions.iter().copied().map(Mode::word).map(str::to_owned).collect(),
        withholds: withholds.iter().map(|power| power.tool().to_owned()).collect(),
        mcp,
        thinking,
        cost,
        own_turns,
        guard,
        terminal,
        attachments: attachments.words().into_iter().map(str::to_owned).collect(),
        lifetime: match lifetime {
            Lifetime::Pipe => "pipe",
            Lifetime::Reattach => "reattach",
            Lifetime::Remote => "remote",
        }
        .to_owned(),
    }
}

/// Marks a provider as not logged in, and quotes its own error.
pub(super) fn locked_out(view: ProviderView, words: &str) -> ProviderView {
    ProviderView {
        readiness: "no_login".to_owned(),
        problem: Some("is not logged in".to_owned()),
        hint: Some(format!("log in to it, then send a message again; at its last turn it said: {words}")),
        ..view
    }
}
