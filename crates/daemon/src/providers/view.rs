//! Providers as the API shows them.

use std::time::Duration;

use paseo_runtime::provider::{Capabilities, Lifetime, Provider, Readiness};
use paseo_wire::provider::{CapabilitiesView, ProviderView};
use paseo_wire::words;

use super::Reason;

/// How long a program may take to print its version.
const VERSION_PATIENCE: Duration = Duration::from_secs(5);

/// Returns a provider as it is now. Runs its program to learn the version.
pub(super) async fn view(provider: &dyn Provider, default: Option<(&str, Reason)>) -> ProviderView {
    let readiness = provider.readiness();
    let problem = readiness.problem();
    let (readiness, program) = match readiness {
        Readiness::Ready { program } => (words::Readiness::Ready, program),
        Readiness::NoLogin { program, .. } => (words::Readiness::NoLogin, Some(program)),
        Readiness::Unset { .. } => (words::Readiness::Unset, None),
        Readiness::Missing { .. } => (words::Readiness::Missing, None),
    };
    let said = match readiness {
        words::Readiness::Missing => Ok(None),
        _ => tokio::time::timeout(VERSION_PATIENCE, provider.version()).await.unwrap_or(Ok(None)),
    };
    // A user that can't run the program can't log in to it either.
    let (readiness, problem, version) = match said {
        Ok(version) => (readiness, problem, version),
        Err(broken) => (words::Readiness::Broken, Some(broken.problem()), None),
    };
    let (problem, hint) = problem.unzip();
    let reason = default.filter(|(name, _)| *name == provider.name()).map(|(_, reason)| reason);
    ProviderView {
        name: provider.name().to_owned(),
        added: false,
        readiness,
        program: program.map(|program| program.display().to_string()),
        version,
        problem,
        hint,
        default: reason.is_some(),
        default_reason: reason.map(Into::into),
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
        permissions: permissions.iter().copied().map(Into::into).collect(),
        withholds: withholds.iter().map(|power| power.tool().into()).collect(),
        mcp,
        thinking,
        cost,
        own_turns,
        guard,
        terminal,
        attachments: attachments.words().into_iter().map(Into::into).collect(),
        lifetime: match lifetime {
            Lifetime::Pipe => words::Lifetime::Pipe,
            Lifetime::Reattach => words::Lifetime::Reattach,
            Lifetime::Remote => words::Lifetime::Remote,
        },
    }
}

/// Marks a provider as not logged in, and quotes its own error.
pub(super) fn locked_out(view: ProviderView, words: &str) -> ProviderView {
    ProviderView {
        readiness: words::Readiness::NoLogin,
        problem: Some("is not logged in".to_owned()),
        hint: Some(format!("log in and send another message; its last turn reported: {words}")),
        ..view
    }
}
