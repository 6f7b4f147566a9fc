//! `paseo providers`

use paseo_core::provider::is_relative;
use paseo_wire::error::Exit;
use paseo_wire::provider::{AddProvider, CapabilitiesView, ModelList, ProviderView};
use paseo_wire::words::{ModelSource, ProviderReason, Readiness};

use crate::args::{Output, ProvidersArgs, ProvidersCommand};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table};

/// Every permission mode there is.
const MODES: [&str; 3] = ["full", "ask", "read-only"];
/// What a harness can do by itself.
const POWERS: [(&str, &str); 4] = [
    ("native_read", "reading"),
    ("native_write", "writing"),
    ("native_shell", "commands"),
    ("native_net", "network access"),
];

/// The kinds of files that a message may have.
const FILES: [(&str, &str); 3] = [("image", "images"), ("pdf", "PDF documents"), ("text", "text files")];

pub(crate) async fn run(context: &Context, args: ProvidersArgs) -> Result<Exit, Failure> {
    match args.command {
        Some(command) => change(context, command).await,
        None => list(context, args.output).await,
    }
}

async fn change(context: &Context, command: ProvidersCommand) -> Result<Exit, Failure> {
    let (printer, list, done) = match command {
        ProvidersCommand::Add { name, preset, mode, asks, env, output, command } => {
            let environment = env.iter().map(|set| variable(set)).collect::<Result<_, _>>()?;
            if let Some(program) = command.first().filter(|program| is_relative(program)) {
                return Err(relative(program, &name));
            }
            let preset = preset.as_deref().map(Into::into);
            let added = AddProvider { name: name.clone(), command, preset, mode, asks, environment };
            let list = context.client()?.add_provider(&added).await?;
            (
                context.printer.with(output),
                list,
                format!("Added provider {name}. Try it: paseo run --provider {name} \"…\""),
            )
        }
        ProvidersCommand::Models { name, output } => return models(context, &name, output).await,
        ProvidersCommand::Rm { name, output } => {
            let list = context.client()?.remove_provider(&name).await?;
            (context.printer.with(output), list, format!("Removed provider {name}"))
        }
    };
    match printer.mode() {
        Mode::Json => printer.json(&list)?,
        Mode::Quiet => {}
        Mode::Normal => printer.line(&done)?,
    }
    Ok(Exit::Ok)
}

async fn models(context: &Context, name: &str, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let list = context.client()?.models(name).await?;
    match printer.mode() {
        Mode::Json => printer.json(&list)?,
        Mode::Quiet => list.models.iter().try_for_each(|model| printer.line(&model.id))?,
        Mode::Normal => {
            if !list.models.is_empty() {
                printer.table(&models_table(&list))?;
            }
            printer.aside(&match (&list.source, list.models.is_empty()) {
                (ModelSource::Configuration, true) => {
                    format!("{name} cannot list its models. Pass one by name: paseo run --provider {name} --model …")
                }
                (ModelSource::Configuration, false) => {
                    format!("{name} cannot list its models; these are from your definitions")
                }
                (_, true) => format!("{name} offers no models"),
                (source, false) => format!("listed by its {source}"),
            });
        }
    }
    Ok(Exit::Ok)
}

fn models_table(list: &ModelList) -> Table<3> {
    let mut table = Table::new([
        Column::fixed("MODEL"),
        Column::flexible("NAME").optional(),
        Column::wrapped("EFFORTS").optional(),
    ]);
    for model in &list.models {
        let default = if model.default { " (default)" } else { "" };
        let efforts = if model.efforts.is_empty() { &list.efforts } else { &model.efforts };
        table.row([
            (Style::Bold, format!("{}{default}", model.id)),
            (Style::Plain, model.name.clone().unwrap_or_default()),
            (Style::Dim, efforts.join(", ")),
        ]);
    }
    table
}

/// Says which file a relative path means here: the daemon is elsewhere, and so are agents.
fn relative(program: &str, name: &str) -> Failure {
    let whole = std::path::absolute(program).map(|whole| whole.display().to_string());
    let hint = match whole {
        Ok(whole) => format!("use the absolute path: paseo providers add {name} -- {whole} …"),
        Err(_) => "use the absolute path".to_owned(),
    };
    Failure::usage(format!("`{program}` is a relative path, but agents run in many directories")).hint(hint)
}

/// Reads `NAME=VALUE`.
fn variable(set: &str) -> Result<(String, String), Failure> {
    let (name, value) =
        set.split_once('=').ok_or_else(|| Failure::usage(format!("--env {set}: expected NAME=VALUE")))?;
    Ok((name.to_owned(), value.to_owned()))
}

async fn list(context: &Context, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let mut list = context.client()?.providers().await?;
    let lost = list.configured.clone().filter(|_| context.settings.problem.is_some());
    if let Some(configured) = context.settings.provider.clone().or(lost) {
        // What is configured here beats what the daemon was started with.
        for provider in &mut list.providers {
            provider.default = provider.name == configured;
            provider.default_reason = provider.default.then_some(ProviderReason::Configured);
        }
    }
    match printer.mode() {
        Mode::Json => printer.json(&list)?,
        Mode::Quiet => {
            for provider in list.providers.iter().filter(|provider| provider.readiness == Readiness::Ready) {
                printer.line(&provider.name)?;
            }
        }
        Mode::Normal => {
            let mut table = Table::new([
                Column::fixed("NAME"),
                Column::flexible("READY"),
                Column::flexible("VERSION").optional(),
                Column::wrapped("NOT SUPPORTED").optional(),
            ]);
            for provider in &list.providers {
                let (style, ready) = ready(provider);
                table.row([
                    (Style::Bold, provider.name.clone()),
                    (style, ready),
                    (Style::Plain, provider.version.clone().unwrap_or_default()),
                    (Style::Plain, missing(&provider.capabilities)),
                ]);
            }
            printer.table(&table)?;
            for provider in &list.providers {
                let problem = provider.problem.as_deref().unwrap_or("is not ready");
                if let Some(hint) = &provider.hint {
                    printer.aside(&format!("{} {problem}: {hint}", provider.name));
                }
            }
        }
    }
    Ok(Exit::Ok)
}

fn ready(provider: &ProviderView) -> (Style, String) {
    let (style, word) = match &provider.readiness {
        Readiness::Ready => (Style::Green, "yes"),
        Readiness::NoLogin => (Style::Yellow, "not logged in"),
        Readiness::Unset => (Style::Yellow, "not set up"),
        Readiness::Missing => (Style::Dim, "not installed"),
        Readiness::Broken => (Style::Red, "not working"),
        Readiness::Other(word) => (Style::Plain, word.as_ref()),
    };
    let default = match provider.default_reason {
        Some(ProviderReason::Configured) => ", default (configured)",
        Some(_) => ", default (first ready)",
        None => "",
    };
    (style, format!("{word}{default}"))
}

/// Returns the capabilities that a provider lacks.
fn missing(able: &CapabilitiesView) -> String {
    let mut lacks: Vec<String> = Vec::new();
    let mut lack = |able: bool, words: &str| {
        if !able {
            lacks.push(words.to_owned());
        }
    };
    lack(able.steer, "steering");
    lack(able.resume, "resume");
    lack(able.models, "models");
    lack(!able.efforts.is_empty(), "efforts");
    lack(able.mcp, "MCP tools");
    lack(able.thinking, "thinking");
    lack(able.cost, "costs");
    lack(able.terminal, "terminals");
    let taken = |kind: &str| able.attachments.iter().any(|taken| taken.as_str() == kind);
    lacks.extend(FILES.iter().filter(|(kind, _)| !taken(kind)).map(|(_, words)| (*words).to_owned()));
    let modes = MODES.iter().filter(|mode| !able.permissions.iter().any(|known| known.as_str() == **mode));
    lacks.extend(modes.map(|mode| format!("`{mode}`")));
    let withholds = |power: &str| able.withholds.iter().any(|known| known.as_str() == power);
    let powers = POWERS.iter().filter(|(power, _)| !withholds(power));
    lacks.extend(powers.map(|(_, words)| format!("ban on {words}")));
    lacks.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lacking_is_named() {
        let mut able = CapabilitiesView {
            steer: true,
            resume: true,
            models: true,
            efforts: vec!["low".to_owned()],
            permissions: MODES.map(Into::into).into(),
            withholds: POWERS.map(|(power, _)| power.into()).into(),
            mcp: true,
            thinking: true,
            cost: true,
            own_turns: true,
            guard: false,
            terminal: true,
            attachments: FILES.map(|(kind, _)| kind.into()).into(),
            lifetime: "pipe".into(),
        };
        assert_eq!(missing(&able), "");
        able.steer = false;
        able.terminal = false;
        able.efforts.clear();
        able.attachments.retain(|kind| kind.as_str() != "pdf");
        able.permissions.retain(|mode| mode.as_str() != "ask");
        able.withholds.retain(|power| power.as_str() != "native_net");
        assert_eq!(
            missing(&able),
            "steering, efforts, terminals, PDF documents, `ask`, ban on network access"
        );
    }
}
