//! `paseo thread`

mod shown;
mod tail;

use std::cmp::Reverse;

use paseo_core::skill::word;
use paseo_wire::error::{Code, Exit};
use paseo_wire::thread::{
    CreateSeatToken, CreateThread, PatchThread, PostMessage, ThreadAnswer, ThreadQuery, ThreadView,
};
use paseo_wire::worker::WorkerQuery;
use serde_json::{Value, json};

use super::run::directory;
use super::worse;
use crate::args::{InviteArgs, OneThread, Output, PostArgs, SeatsArgs, ThreadCommand, ToggleArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::lists::ThreadList;
use crate::printer::{Column, Mode, Printer, Style, Table};
use crate::{consent, harnesses, prompt};

pub(crate) async fn run(context: &Context, command: ThreadCommand) -> Result<Exit, Failure> {
    match command {
        ThreadCommand::New { name, cwd, output } => {
            let place = Some(directory(cwd.as_deref())?);
            let made =
                context.client()?.create_thread(&CreateThread { name, directory: place }, None).await?;
            context.explain_version();
            let printer = context.printer.with(output);
            warn_of_namesakes(context, &printer, &made.thread).await?;
            match printer.mode() {
                Mode::Json => printer.json(&made.thread)?,
                Mode::Quiet => printer.line(&made.thread.id)?,
                Mode::Normal => {
                    printer.line(&format!("Created thread {}", made.thread.name))?;
                    printer.detail(&format!("thread {}", made.thread.id));
                    printer.note(&shown::lonely(context.client()?, &made.thread.name).await);
                }
            }
        }
        ThreadCommand::Ls { output } => list(context, output).await?,
        ThreadCommand::Show { thread, output } => {
            let client = context.client()?;
            let (answer, presence) = (client.thread(&thread).await?, client.presence(&thread).await?);
            let printer = context.printer.with(output);
            match printer.mode() {
                Mode::Json => printer.json(&answer.thread)?,
                Mode::Quiet => printer.line(&answer.thread.id)?,
                Mode::Normal => {
                    let workers = match &answer.thread.team {
                        Some(team) => {
                            let of = WorkerQuery { team: Some(team.to_string()), prefix: None };
                            client.workers(&of).await?.workers
                        }
                        None => Vec::new(),
                    };
                    shown::thread(client, &printer, &answer.thread, &presence, &workers).await?;
                }
            }
        }
        ThreadCommand::Rename { thread, name, output } => {
            let patch = PatchThread { name: Some(name), ..PatchThread::default() };
            let changed = context.client()?.patch_thread(&thread, &patch).await?;
            warn_of_namesakes(context, &context.printer.with(output), &changed.thread).await?;
            let printer = context.printer.with(output);
            match printer.mode() {
                Mode::Normal => printer.line(&format!("{thread}: renamed to {}", changed.thread.name))?,
                _ => told(context, output, &changed, "")?,
            }
        }
        ThreadCommand::Cwd { thread, directory: chosen, output } => {
            let patch =
                PatchThread { directory: Some(directory(chosen.as_deref())?), ..PatchThread::default() };
            let changed = context.client()?.patch_thread(&thread, &patch).await?;
            let where_to = changed.thread.directory.clone().unwrap_or_default();
            told(context, output, &changed, &format!("working directory set to {where_to}"))?;
        }
        ThreadCommand::Rm { threads, force, output } => {
            return remove(context, &threads, force, output).await;
        }
        ThreadCommand::Post(args) => post(context, args).await?,
        ThreadCommand::Tail(args) => return tail::run(context, args).await,
        ThreadCommand::Invite(args) => invite(context, args).await?,
        ThreadCommand::Uninvite(args) => {
            for participant in &meant(context, &args).await? {
                let content = json!({ "uninvite": { "participant_id": participant } });
                let changed = context.client()?.control_thread(&args.thread, content).await?;
                told(context, args.output, &changed, &format!("removed {participant}"))?;
            }
        }
        ThreadCommand::Mute(args) => {
            seats(context, &args, "mute", ["muted", "already muted"]).await?;
        }
        ThreadCommand::Unmute(args) => {
            seats(context, &args, "unmute", ["unmuted", "not muted"]).await?;
        }
        ThreadCommand::Pause(one) => {
            let words = ["paused; only people can post", "already paused"];
            control(context, &one, json!({ "pause": { "on": true } }), words).await?;
        }
        ThreadCommand::Resume(one) => {
            let words = ["resumed", "not paused"];
            control(context, &one, json!({ "pause": { "on": false } }), words).await?;
        }
        ThreadCommand::Discuss(args) => {
            let words = [
                "discussion on; agents wake each other with mentions",
                "discussion off; agents don't wake each other",
            ];
            toggle(context, &args, "discussion", words).await?;
        }
        ThreadCommand::Auto(args) => {
            let words = [
                "auto on; posts that name no one wake all participants",
                "auto off; only addressed participants wake",
            ];
            toggle(context, &args, "invited_auto", words).await?;
        }
        ThreadCommand::State(one) => {
            let answer = context.client()?.thread(&one.thread).await?;
            context.printer.json_if(true).json(&answer.thread.state)?;
        }
        ThreadCommand::Token { thread, participant, cwd, output } => {
            let client = context.client()?;
            let there = client.thread(&thread).await?.thread;
            let place = match (&cwd, &there.directory) {
                (None, Some(_)) => None,
                (chosen, _) => Some(directory(chosen.as_deref())?),
            };
            let wanted = CreateSeatToken { participant: participant.clone(), directory: place };
            let token = client.create_seat_token(&thread, &wanted).await?;
            let printer = context.printer.with(output);
            if !there.state.participants.invited.iter().any(|seat| seat.id == participant) {
                printer.note(&format!(
                    "{participant} is not a participant: its token can post, but nothing wakes it"
                ));
            }
            match printer.mode() {
                Mode::Json => printer.json(&token)?,
                Mode::Quiet | Mode::Normal => {
                    printer.note(&format!(
                        "Created token {} for {participant}. Its secret is shown only once:",
                        token.id
                    ));
                    printer.line(&token.secret)?;
                }
            }
        }
    }
    Ok(Exit::Ok)
}

/// Deletes all of them, whatever happens to some. The worst outcome counts.
async fn remove(context: &Context, threads: &[String], force: bool, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let client = context.client()?;
    let mut exit = Exit::Ok;
    for thread in threads {
        match client.delete_thread(thread, force).await {
            Ok(deleted) => told(context, output, &deleted, "deleted")?,
            Err(error) => {
                let mut failure = Failure::from(error);
                // Among several threads each failure says whose it is.
                if threads.len() > 1 && !failure.message.contains(thread.as_str()) {
                    failure.message = format!("{thread}: {}", failure.message);
                }
                exit = worse(exit, failure.exit);
                printer.failure(&failure);
            }
        }
    }
    Ok(exit)
}

async fn list(context: &Context, output: Output) -> Result<(), Failure> {
    let (mut threads, printer) = (all(context).await?, context.printer.with(output));
    threads.sort_by_key(|thread| Reverse(thread.updated_at));
    match printer.mode() {
        Mode::Json => printer.json(&ThreadList { threads: &threads }),
        Mode::Quiet => threads.iter().try_for_each(|thread| printer.line(&thread.id)),
        Mode::Normal if threads.is_empty() => {
            printer.note("No threads. Create one: paseo thread new planning");
            Ok(())
        }
        Mode::Normal => printer.table(&shown::table(threads)),
    }
}

/// Lists the threads of a team.
pub(super) async fn of_team(context: &Context, printer: &Printer, team: &str) -> Result<(), Failure> {
    let mut threads = match all(context).await {
        Ok(threads) => threads,
        // An agent finds those that it may see by its tools.
        Err(failure) if failure.code == Some(Code::Forbidden) => return Ok(()),
        Err(failure) => return Err(failure),
    };
    threads.retain(|thread| thread.team.as_deref() == Some(team));
    if threads.is_empty() {
        return Ok(());
    }
    let mut table = Table::new([
        Column::fixed("THREAD"),
        Column::flexible("NAME"),
        Column::flexible("PARTICIPANTS").optional(),
        Column::fixed("MESSAGES").optional(),
    ])
    .strict();
    for thread in threads {
        table.row([
            (Style::Bold, thread.alias.clone().unwrap_or_default()),
            (Style::Plain, thread.name.clone()),
            (Style::Plain, shown::participants(&thread)),
            (Style::Plain, thread.messages.to_string()),
        ]);
    }
    printer.line("")?;
    printer.table(&table)
}

async fn all(context: &Context) -> Result<Vec<ThreadView>, Failure> {
    let client = context.client()?;
    let (mut threads, mut after): (Vec<ThreadView>, Option<String>) = (Vec::new(), None);
    loop {
        let page = client.threads(&ThreadQuery { after, limit: None }).await?;
        threads.extend(page.threads);
        after = page.next;
        if after.is_none() {
            return Ok(threads);
        }
    }
}

async fn post(context: &Context, args: PostArgs) -> Result<(), Failure> {
    let message = PostMessage {
        text: prompt::typed(args.text.as_ref(), "message")?,
        to: args.to,
        reply_to: args.reply_to,
        tags: args.tags,
    };
    let posted = context.client()?.post(&args.thread, &message, None).await?;
    context.explain_version();
    let printer = context.printer.with(args.output);
    posted.unwoken.iter().for_each(|why| printer.note(why));
    posted.notices.iter().for_each(|notice| consent::warn(&printer, Some(notice)));
    match printer.mode() {
        Mode::Json => printer.json(&posted.event),
        Mode::Quiet => printer.line(&posted.event.id),
        Mode::Normal => {
            let woken = &posted.event.meta.wakes;
            let wakes = if woken.is_empty() {
                "wakes no one".to_owned()
            } else {
                format!("wakes {}", woken.join(", "))
            };
            printer.line(&format!("Posted ({wakes})"))
        }
    }
}

async fn invite(context: &Context, args: InviteArgs) -> Result<(), Failure> {
    let client = context.client()?;
    let wanted = match args.client {
        Some(wanted) => wanted,
        None => default_provider(context).await?,
    };
    let before = client.thread(&args.thread).await?.thread;
    let roles = (!args.roles.is_empty()).then_some(args.roles);
    let seats = &before.state.participants.invited;
    let known = seats.iter().find(|seat| args.id.as_ref() == Some(&seat.id));
    // Who is here already keeps its model, unless that was another client's.
    let keeps = known.is_some_and(|seat| seat.profile.client.as_ref() == Some(&wanted));
    let mut profile = json!({ "client": wanted });
    // A provider needs no other; a definition may leave it open.
    let is_provider = harnesses::unknown(&context.settings, &wanted).is_none();
    if let Some(provider) = context.provider().await?.filter(|_| !is_provider) {
        profile["provider"] = provider.as_str().into();
    }
    if let Some(model) = args.model.as_deref().or((!keeps).then_some("default")) {
        profile["model"] = model.into();
    }
    if let Some(roles) = roles {
        profile["roles"] = json!(roles);
    }
    if let Some(nickname) = args.nickname {
        profile["nickname"] = nickname.into();
    }
    harnesses::warn_without_login(&context.settings, &context.printer.with(args.output), Some(&wanted));
    let content = json!({ "invite": { "participant_id": args.id, "profile": profile } });
    let changed = client.control_thread(&args.thread, content).await?;
    let printer = context.printer.with(args.output);
    changed.notices.iter().for_each(|notice| consent::warn(&printer, Some(notice)));
    let known: Vec<&str> = seats.iter().map(|seat| seat.id.as_str()).collect();
    let invited = &changed.thread.state.participants.invited;
    let new = invited.iter().find(|seat| !known.contains(&seat.id.as_str())).map(|seat| seat.id.clone());
    let who = new.or(args.id).unwrap_or_default();
    told(
        context,
        args.output,
        &changed,
        &format!("invited {who}. Write to it: paseo thread post {} \"@{who} …\"", word(&args.thread)),
    )
}

/// Returns the provider to use when none is named: what is configured here, else the daemon's choice.
async fn default_provider(context: &Context) -> Result<String, Failure> {
    if let Some(configured) = context.provider().await? {
        return Ok(configured);
    }
    let list = context.client()?.providers().await?;
    let default = list.providers.into_iter().find(|provider| provider.default);
    default.map(|provider| provider.name).ok_or_else(|| {
        Failure::usage("no provider is ready, and none was given")
            .hint("run `paseo thread invite THREAD PROVIDER`; see `paseo providers`")
    })
}

/// Mutes or unmutes participants. `words`: the state afterwards, if it changed and if it did not.
async fn seats(context: &Context, args: &SeatsArgs, key: &str, words: [&str; 2]) -> Result<(), Failure> {
    let targets = meant(context, args).await?;
    let names = targets.join(", ");
    let are = if targets.len() == 1 { "is" } else { "are" };
    let words = words.map(|word| format!("{names} {are} {word}"));
    let content = json!({ key: { "targets": targets } });
    let one = OneThread { thread: args.thread.clone(), output: args.output };
    control(context, &one, content, [&words[0], &words[1]]).await
}

/// Returns the ids of participants that may be named by their nicknames, with or without `@`. Names that nobody who is
/// invited has may be those of guests, which the daemon knows.
async fn meant(context: &Context, args: &SeatsArgs) -> Result<Vec<String>, Failure> {
    let thread = context.client()?.thread(&args.thread).await?.thread;
    let seats = &thread.state.participants.invited;
    let ids = args.participants.iter().map(|typed| {
        let name = typed.strip_prefix('@').unwrap_or(typed);
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        if thread.state.muted.iter().any(|muted| muted == name) {
            return name.to_owned();
        }
        let by_id = seats.iter().find(|seat| same(&seat.id));
        let by_name = || seats.iter().find(|seat| seat.profile.nickname.as_deref().is_some_and(same));
        by_id.or_else(by_name).map_or_else(|| name.to_owned(), |seat| seat.id.clone())
    });
    Ok(ids.collect())
}

async fn toggle(context: &Context, args: &ToggleArgs, key: &str, words: [&str; 2]) -> Result<(), Failure> {
    let content = json!({ key: { "on": args.on() } });
    let (words, already) = match args.on() {
        true => (words[0], "already on"),
        false => (words[1], "already off"),
    };
    let one = OneThread { thread: args.thread.clone(), output: args.output };
    control(context, &one, content, [words, already]).await
}

/// Changes a thread. `words`: the state afterwards, if it changed and if it did not.
async fn control(
    context: &Context,
    one: &OneThread,
    content: Value,
    words: [&str; 2],
) -> Result<(), Failure> {
    let changed = context.client()?.control_thread(&one.thread, content).await?;
    told(context, one.output, &changed, words[usize::from(changed.unchanged)])
}

/// Warns that a name is not enough to tell a thread from others.
async fn warn_of_namesakes(context: &Context, printer: &Printer, thread: &ThreadView) -> Result<(), Failure> {
    let others = all(context).await?;
    let same = others.iter().filter(|other| other.name == thread.name && other.id != thread.id);
    let ids: Vec<&str> = same.map(|other| other.id.as_str()).collect();
    if !ids.is_empty() {
        printer.warn(
            &format!("another thread has the name {}: {}", thread.name, ids.join(", ")),
            Some(&format!("use the id {}, or rename one of them", thread.id)),
        );
    }
    Ok(())
}

fn told(context: &Context, output: Output, changed: &ThreadAnswer, words: &str) -> Result<(), Failure> {
    let printer: Printer = context.printer.with(output);
    match printer.mode() {
        Mode::Json => printer.json(&changed.thread),
        Mode::Quiet => Ok(()),
        Mode::Normal => printer.line(&format!("{}: {words}", changed.thread.name)),
    }
}
