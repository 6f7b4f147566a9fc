//! `paseo token`

use paseo_wire::error::Exit;
use paseo_wire::id::TokenId;
use paseo_wire::settings::{CreateToken, TokenList};

use super::run::directory;
use crate::args::TokenCommand;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table, relative};
use crate::short::short;

/// Returns whom a token acts as, in few words: the id of a thread is as long as a line.
fn whom(actor: &str) -> String {
    match actor.strip_prefix("seat:").and_then(|seat| seat.split_once('/')) {
        Some((_, participant)) => format!("participant {participant}"),
        None => actor.to_owned(),
    }
}

pub(crate) async fn run(context: &Context, command: TokenCommand) -> Result<Exit, Failure> {
    match command {
        TokenCommand::Create { name, cwd, output } => {
            let printer = context.printer.with(output);
            let wanted = CreateToken { name, directory: Some(directory(cwd.as_deref())?) };
            let token = context.client()?.create_token(&wanted).await?;
            match printer.mode() {
                Mode::Json => printer.json(&token)?,
                Mode::Quiet | Mode::Normal => {
                    printer.note(&format!("Created token {}. Its secret is shown only once:", token.name));
                    printer.detail(&format!("token {}", token.id));
                    printer.line(&token.secret)?;
                }
            }
        }
        TokenCommand::Ls { output } => {
            let printer = context.printer.with(output);
            let list = context.client()?.tokens().await?;
            match printer.mode() {
                Mode::Json => printer.json(&list)?,
                Mode::Quiet => list.tokens.iter().try_for_each(|token| printer.line(&token.id))?,
                Mode::Normal if list.tokens.is_empty() => {
                    printer.note("No tokens. Create one: paseo token create --name ci");
                }
                Mode::Normal => {
                    let mut table = Table::new([
                        Column::key("ID"),
                        Column::flexible("NAME"),
                        Column::flexible("ACTS AS"),
                        Column::flexible("DIRECTORY").optional(),
                        Column::fixed("CREATED").optional(),
                    ])
                    .strict();
                    let ids: Vec<TokenId> = list.tokens.iter().map(|token| token.id.clone()).collect();
                    for token in list.tokens {
                        table.row([
                            (Style::Bold, short(&token.id, &ids)),
                            (Style::Plain, token.name),
                            (Style::Plain, whom(&token.actor)),
                            (Style::Plain, token.directory.unwrap_or_default()),
                            (Style::Dim, relative(token.created_at)),
                        ]);
                    }
                    printer.table(&table)?;
                }
            }
        }
        TokenCommand::Revoke { token, output } => {
            let printer = context.printer.with(output);
            let client = context.client()?;
            let id = named(client.tokens().await?, &token)?;
            let list = client.revoke_token(id.as_deref().unwrap_or(&token)).await?;
            match printer.mode() {
                Mode::Json => printer.json(&list)?,
                Mode::Quiet => {}
                Mode::Normal => printer.line(&format!("Revoked token {token}"))?,
            }
        }
    }
    Ok(Exit::Ok)
}

/// Returns the id of the token with this name, if there is one.
fn named(list: TokenList, name: &str) -> Result<Option<String>, Failure> {
    let mut ids: Vec<String> = list
        .tokens
        .into_iter()
        .filter(|token| token.name == name)
        .map(|token| token.id.to_string())
        .collect();
    match ids.len() {
        0 | 1 => Ok(ids.pop()),
        several => Err(Failure::new(Exit::NotFound, format!("{several} tokens are named `{name}`"))
            .hint(format!("use an id in place of the name: {}", ids.join(" or ")))),
    }
}
