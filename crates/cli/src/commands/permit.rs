//! `paseo permit`

use std::io::IsTerminal;

use paseo_client::Client;
use paseo_core::permission::ON_SCREEN;
use paseo_wire::error::{Code, Exit};
use paseo_wire::permission::{AnswerPermission, PermissionRequest, RuleView};

use super::ls::under_home;
use super::worse;
use crate::args::{Output, PermitArgs, PermitCommand};
use crate::asks::{self, short, what};
use crate::context::Context;
use crate::failure::Failure;
use crate::filling::Given;
use crate::printer::{Column, Mode, Printer, Style, Table};

/// Fewest characters of a hash, as of a handle.
const LEAST: usize = 4;
/// From so many characters on it was no handle that was typed.
const SURELY: usize = 8;

pub(crate) async fn run(context: &Context, command: PermitCommand) -> Result<Exit, Failure> {
    match command {
        PermitCommand::Ls { output } => list(context, output).await,
        PermitCommand::Allow(args) => {
            let unseen = if args.yes { Unseen::Allowed } else { Unseen::Confirmed };
            let given = Given::read(args.fields, args.answers.as_deref())?;
            let decision = Decision { message: args.message, verdict: Verdict::Allow(given) };
            answer_all(context, &args.answer, &decision, unseen).await
        }
        // A denial does no harm, seen or unseen.
        PermitCommand::Deny(args) => {
            let decision = Decision { message: args.message, verdict: Verdict::Deny { cancel: args.cancel } };
            answer_all(context, &args.answer, &decision, Unseen::Allowed).await
        }
        PermitCommand::Rules { output } => rules(context, output).await,
        PermitCommand::Forget { rule, output } => forget(context, &rule, output).await,
    }
}

async fn list(context: &Context, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let page = context.client()?.open_requests(None).await?;
    let open = &page.asks;
    if open.is_empty() && printer.mode() == Mode::Normal {
        printer.note("No open permission requests.");
    }
    match printer.mode() {
        Mode::Json => printer.json(&page)?,
        Mode::Quiet => open.iter().try_for_each(|ask| printer.line(&ask.hash))?,
        Mode::Normal => open.iter().try_for_each(|ask| asks::show(&printer, ask))?,
    }
    let first = open.iter().find(|ask| ask.tool.as_deref() != Some(ON_SCREEN));
    // A form says itself how to fill it in.
    if let (Mode::Normal, Some(first)) = (printer.mode(), first.filter(|first| first.fields.is_empty())) {
        printer.aside(&match first.questions.is_empty() {
            true => asks::commands(&first.hash),
            false => format!("`paseo permit allow {} -m \"…\"`", short(&first.hash)),
        });
    }
    Ok(Exit::Ok)
}

/// How to treat a request that was not named by its hash, and may not have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unseen {
    Allowed,
    Confirmed,
}

/// What a person decides, and tells the agent.
struct Decision {
    message: Option<String>,
    verdict: Verdict,
}

enum Verdict {
    Allow(Given),
    Deny { cancel: bool },
}

/// Answers every request that was named, even if some fail. Returns the worst exit code.
async fn answer_all(
    context: &Context,
    args: &PermitArgs,
    decision: &Decision,
    unseen: Unseen,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for which in &args.which {
        match answer(context, args, which, decision, unseen).await {
            Ok(code) => exit = worse(exit, code),
            Err(failure) if args.which.len() == 1 => return Err(failure),
            Err(failure) => {
                exit = worse(exit, failure.exit);
                context.printer.with(args.output).failure(&failure);
            }
        }
    }
    Ok(exit)
}

async fn answer(
    context: &Context,
    args: &PermitArgs,
    which: &str,
    decision: &Decision,
    unseen: Unseen,
) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    let ask = find(client, which).await?;
    let named = which.len() >= SURELY && ask.hash.starts_with(&which.to_ascii_lowercase());
    // Refuse a request that only its terminal can answer before asking for confirmation.
    let elsewhere = ask.terminal.is_some();
    if !named && !elsewhere && unseen == Unseen::Confirmed && !confirmed(&printer, &ask, which)? {
        printer.note("nothing decided");
        return Ok(Exit::Refused);
    }
    let mut wanted = AnswerPermission {
        message: decision.message.clone(),
        always: args.always,
        ..AnswerPermission::default()
    };
    match &decision.verdict {
        Verdict::Allow(given) => {
            wanted.allow = true;
            if !elsewhere {
                (wanted.answers, wanted.fields) = given.to(&ask, decision.message.is_some(), &printer)?;
            }
        }
        Verdict::Deny { cancel } => wanted.cancel = *cancel,
    }
    let allow = wanted.allow;
    let answered = client.answer_permission(&ask.session, &ask.hash, &wanted).await?;
    match printer.mode() {
        Mode::Json => printer.json(&answered)?,
        Mode::Quiet => printer.line(&answered.handle)?,
        Mode::Normal => {
            let deed = match allow {
                true => "Allowed",
                false if wanted.cancel => "Canceled",
                false => "Denied",
            };
            printer.line(&format!("{deed} {}: {}", answered.handle, what(&ask)))?;
            if let Some(rule) = &answered.rule {
                let covers = format!("{} in {}", rule.covers, under_home(&rule.project));
                printer.note(&format!("Remembered for {covers}. To list rules: paseo permit rules"));
                printer.detail(&format!("rule {}", rule.id));
            }
        }
    }
    Ok(Exit::Ok)
}

/// Shows an ask and lets a person confirm that this is what they mean. Without a person, refuses.
fn confirmed(printer: &Printer, ask: &PermissionRequest, typed: &str) -> Result<bool, Failure> {
    if !(std::io::stdin().is_terminal() && printer.is_watched() && printer.mode() == Mode::Normal) {
        let hash = short(&ask.hash);
        let kind = if ask.destructive { " (destructive)" } else { "" };
        let message =
            format!("confirmation needs a terminal; {} requests permission{kind}: {}", ask.handle, what(ask));
        // Fewer characters may be a handle as well.
        let wanted = match ask.hash.starts_with(&typed.to_ascii_lowercase()) {
            true => format!("type at least {SURELY} characters of the hash"),
            false => "name the request instead of the agent".to_owned(),
        };
        return Err(
            Failure::usage(message).hint(format!("{wanted}: `paseo permit allow {hash}`; or pass --yes"))
        );
    }
    asks::show(printer, ask)?;
    printer.note(match ask.destructive {
        true => "this is destructive and may be irreversible; allow exactly this? [y/N]",
        false => "allow exactly this? [y/N]",
    });
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Finds the ask that is meant: by the beginning of its hash, or as the only one of an agent.
async fn find(client: &Client, typed: &str) -> Result<PermissionRequest, Failure> {
    let wanted = typed.to_ascii_lowercase();
    let open = client.open_asks(None).await?;
    let by_hash = |ask: &&PermissionRequest| wanted.len() >= LEAST && ask.hash.starts_with(&wanted);
    let mut meant: Vec<&PermissionRequest> = open.iter().filter(by_hash).collect();
    match client.session(typed).await {
        Ok(answer) => {
            let session = answer.session;
            meant.extend(open.iter().filter(|ask| ask.session == session.id));
            if meant.is_empty() {
                let message =
                    format!("{} has no permission request; its status is {}", session.handle, session.status);
                return Err(Failure::new(Exit::Refused, message).hint("run `paseo permit ls`"));
            }
        }
        // The hash is all that is needed.
        Err(error) if error.code().is_some() && !meant.is_empty() => {}
        Err(error) if error.code() == Some(Code::NotFound) && is_hash(&wanted) => {
            return Err(Failure::new(Exit::Refused, format!("no open request has the hash `{typed}`"))
                .hint("run `paseo permit ls`; it may have been answered or withdrawn"));
        }
        Err(error) if error.code() == Some(Code::NotFound) => {
            let message = format!("`{typed}` is neither an open permission request nor an agent");
            return Err(Failure::new(Exit::NotFound, message).hint("run `paseo permit ls`"));
        }
        Err(error) => return Err(error.into()),
    }
    meant.dedup_by(|one, other| one.hash == other.hash);
    match meant.as_slice() {
        [one] => Ok((*one).clone()),
        several => {
            let lines = several.iter().map(|ask| format!("\n{} {}", short(&ask.hash), what(ask)));
            let message =
                format!("`{typed}` matches {} requests:{}", several.len(), lines.collect::<String>());
            Err(Failure::new(Exit::NotFound, message)
                .hint("choose one by its hash, the first word of its line"))
        }
    }
}

fn is_hash(typed: &str) -> bool {
    typed.len() >= SURELY && typed.bytes().all(|byte| byte.is_ascii_hexdigit())
}

async fn rules(context: &Context, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let list = context.client()?.rules().await?;
    match printer.mode() {
        Mode::Json => printer.json(&list)?,
        Mode::Quiet => list.rules.iter().try_for_each(|rule| printer.line(&rule.id))?,
        Mode::Normal if list.rules.is_empty() => {
            printer.note("No permission rules. Create one: paseo permit allow HASH --always");
        }
        Mode::Normal => printer.table(&table(&list.rules))?,
    }
    Ok(Exit::Ok)
}

fn table(rules: &[RuleView]) -> Table<5> {
    let mut table = Table::new([
        Column::fixed("RULE"),
        Column::fixed("ANSWER"),
        Column::fixed("TOOL"),
        Column::flexible("PROJECT").optional(),
        Column::wrapped("COVERS"),
    ]);
    for rule in rules {
        let (style, answer) = if rule.allow { (Style::Green, "allow") } else { (Style::Red, "deny") };
        table.row([
            (Style::Bold, rule.id.to_string()),
            (style, answer.to_owned()),
            (Style::Plain, rule.tool.clone()),
            (Style::Dim, under_home(&rule.project)),
            (Style::Plain, rule.covers.clone()),
        ]);
    }
    table
}

async fn forget(context: &Context, rule: &str, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let list = context.client()?.forget_rule(rule).await?;
    match printer.mode() {
        Mode::Json => printer.json(&list)?,
        Mode::Quiet => {}
        Mode::Normal => printer.line(&format!("Deleted rule {rule}"))?,
    }
    Ok(Exit::Ok)
}
