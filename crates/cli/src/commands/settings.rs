//! `paseo settings`

use paseo_core::settings::Key;
use paseo_wire::error::Exit;
use paseo_wire::settings::SettingsView;

use crate::args::{SettingsArgs, SettingsCommand, Switch};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table};

pub(crate) async fn run(context: &Context, args: SettingsArgs) -> Result<Exit, Failure> {
    match args.command.unwrap_or(SettingsCommand::Get { key: None, output: args.output }) {
        SettingsCommand::Get { key, output } => {
            let key = key.as_deref().map(known).transpose()?;
            let view = context.client()?.settings().await?;
            show(&context.printer.with(output), &view, key)?;
        }
        SettingsCommand::Set { key, value, output } => {
            let key = known(&key)?;
            let view = context.client()?.put_setting(key, value == Switch::On).await?;
            show(&context.printer.with(output), &view, Some(key))?;
        }
    }
    Ok(Exit::Ok)
}

fn known(word: &str) -> Result<&'static str, Failure> {
    Key::parse(word).map(Key::word).ok_or_else(|| {
        let all: Vec<&str> = Key::ALL.iter().map(|key| key.word()).collect();
        Failure::usage(format!("unknown setting `{word}`")).hint(format!("use one of {}", all.join(", ")))
    })
}

fn show(printer: &Printer, view: &SettingsView, key: Option<&str>) -> Result<(), Failure> {
    let chosen = || view.settings.iter().filter(|(name, _)| key.is_none_or(|key| key == name.as_str()));
    match printer.mode() {
        Mode::Json => printer.json(&chosen().collect::<std::collections::BTreeMap<_, _>>()),
        Mode::Quiet if key.is_some() => chosen().try_for_each(|(_, on)| printer.line(word(*on))),
        Mode::Quiet => chosen().try_for_each(|(name, on)| printer.line(&format!("{name} {}", word(*on)))),
        Mode::Normal => {
            let mut table = Table::new([Column::fixed(""), Column::wrapped("")]);
            for (name, on) in chosen() {
                table.row([(Style::Plain, name.to_string()), (Style::Bold, word(*on).to_owned())]);
            }
            printer.table(&table)
        }
    }
}

fn word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}
