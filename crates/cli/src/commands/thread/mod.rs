//! `paseo thread`

mod shown;
mod tail;

use std::cmp::Reverse;

use paseo_core::skill::word;
use paseo_wire::error::{Code, Exit};
use paseo_wire::past::PastQuery;
use paseo_wire::team::TeamView;
use paseo_wire::thread::{
    CreateParticipantToken, CreateThread, PatchThread, PostMessage, ThreadAnswer, ThreadEventQuery,
    ThreadPage, ThreadQuery, ThreadView,
};
use paseo_wire::worker::WorkerQuery;
use serde_json::{Value, json};

use super::run::directory;
use super::{past, worse};
use crate::args::{InviteArgs, OneThread, Output, PostArgs, SeatsArgs, ThreadCommand, ToggleArgs};
use crate::context::Context;
use crate::failure::Failure;
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
            let alone = warn_of_namesakes(context, &printer, &made.thread).await?;
            match printer.mode() {
                Mode::Json => printer.json(&made.thread)?,
                Mode::Quiet => printer.line(&made.thread.id)?,
                Mode::Normal => {
                    printer.line(&format!("Created thread {}", made.thread.name))?;
                    printer.detail(&format!("thread {}", made.thread.id));
                    // Two of a name are told apart by their ids.
                    let named: &str = if alone { &made.thread.name } else { made.thread.id.as_str() };
                    printer.note(&shown::lonely(context.client()?, named).await);
                }
            }
        }
        ThreadCommand::Ls { output } => list(context, output).await?,
        ThreadCommand::Show { thread, past: args, output } => {
            let client = context.client()?;
            if let Some(past) = past::asked(&args) {
                show_past(context, &thread, &past, output).await?;
                return Ok(Exit::Ok);
            }
            let (answer, presence) = (client.thread(&thread).await?, client.presence(&thread).await?);
            let printer = context.printer.with(output);
            match printer.mode() {
                Mode::Json => printer.json(&answer.thread)?,
                Mode::Quiet => printer.line(&answer.thread.id)?,
                Mode::Normal => {
                    let workers = match &answer.thread.team {
                        Some(team) => {
                            let of = WorkerQuery { team: Some(team.clone()), ..WorkerQuery::default() };
                            client.workers(&of).await?.workers
                        }
                        None => Vec::new(),
                    };
                    let view = shown::View::Present(&presence, &workers);
                    shown::thread(client, &printer, &answer.thread, view).await?;
                }
            }
        }
        ThreadCommand::Rename { thread, name, output } => {
            let patch = PatchThread { name: Some(name), ..PatchThread::default() };
            let changed = context.client()?.patch_thread(&thread, &patch).await?;
            warn_of_namesakes(context, &context.printer.with(output), &changed.thread).await?;
            let printer = context.printer.with(output);
            told(&printer, &changed, &format!("Renamed {thread} to {}", changed.thread.name))?;
        }
        ThreadCommand::Cwd { thread, directory: chosen, output } => {
            let patch =
                PatchThread { directory: Some(directory(chosen.as_deref())?), ..PatchThread::default() };
            let changed = context.client()?.patch_thread(&thread, &patch).await?;
            let where_to = changed.thread.directory.clone().unwrap_or_default();
            let words = format!("Set the working directory of {} to {where_to}", changed.thread.name);
            told(&context.printer.with(output), &changed, &words)?;
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
                let words = format!("Removed {participant} from {}", changed.thread.name);
                told(&context.printer.with(args.output), &changed, &words)?;
            }
        }
        ThreadCommand::Mute(args) => {
            let words = |names: &str, are: &str, thread: &str, unchanged: bool| match unchanged {
                false => format!("Muted {names} in {thread}"),
                true => format!("{names} {are} already muted in {thread}"),
            };
            seats(context, &args, "mute", words).await?;
        }
        ThreadCommand::Unmute(args) => {
            let words = |names: &str, are: &str, thread: &str, unchanged: bool| match unchanged {
                false => format!("Unmuted {names} in {thread}"),
                true => format!("{names} {are} not muted in {thread}"),
            };
            seats(context, &args, "unmute", words).await?;
        }
        ThreadCommand::Pause(one) => {
            let words = |thread: &str, unchanged: bool| match unchanged {
                false => format!("Paused {thread}. Only people can post."),
                true => format!("{thread} is already paused"),
            };
            control(context, &one, json!({ "pause": { "on": true } }), words).await?;
        }
        ThreadCommand::Resume(one) => {
            let words = |thread: &str, unchanged: bool| match unchanged {
                false => format!("Resumed {thread}"),
                true => format!("{thread} is not paused"),
            };
            control(context, &one, json!({ "pause": { "on": false } }), words).await?;
        }
        ThreadCommand::Discuss(args) => {
            let effect = ["Agents wake each other with mentions.", "Agents do not wake each other."];
            toggle(context, &args, ("discussion", "discussion"), effect).await?;
        }
        ThreadCommand::Auto(args) => {
            let effect = [
                "Messages that name no participant wake all of them.",
                "Messages wake only the participants they name.",
            ];
            toggle(context, &args, ("auto", "invited_auto"), effect).await?;
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
            let wanted =
                CreateParticipantToken { participant: participant.as_str().into(), directory: place };
            let token = client.create_seat_token(&thread, &wanted).await?;
            let printer = context.printer.with(output);
            if !there.state.participants.invited.iter().any(|seat| seat.id == participant) {
                printer.note(&format!(
                    "{participant} is not a participant: it can post with this token, but messages do not wake it"
                ));
            }
            match printer.mode() {
                Mode::Json => printer.json(&token)?,
                Mode::Quiet | Mode::Normal => {
                    printer
                        .note(&format!("Created a token for {participant}. Its secret is shown only once:"));
                    printer.detail(&format!("token {}", token.id));
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
            Ok(deleted) => told(&printer, &deleted, &format!("Deleted thread {}", deleted.thread.name))?,
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
    let (mut page, printer) = (every_page(context).await?, context.printer.with(output));
    page.threads.sort_by_key(|thread| Reverse(thread.updated_at));
    match printer.mode() {
        Mode::Json => printer.json(&page),
        Mode::Quiet => page.threads.iter().try_for_each(|thread| printer.line(&thread.id)),
        Mode::Normal if page.threads.is_empty() => {
            printer.note("No threads. Create one: paseo thread new planning");
            Ok(())
        }
        Mode::Normal => printer.table(&shown::table(page.threads)),
    }
}

/// Shows a thread as it was, and how to see what happened since.
async fn show_past(context: &Context, typed: &str, asked: &PastQuery, output: Output) -> Result<(), Failure> {
    let (client, printer) = (context.client()?, context.printer.with(output));
    let present = client.thread(typed).await?.thread;
    let thread = client.past_thread(&present.id, asked).await?.thread;
    match printer.mode() {
        Mode::Json => return printer.json(&thread),
        Mode::Quiet => return printer.line(&thread.id),
        Mode::Normal => {}
    }
    let as_of = past::as_of(asked, thread.updated_at, thread.version, present.version);
    shown::thread(client, &printer, &thread, shown::View::Past(&as_of)).await?;
    let query =
        ThreadEventQuery { after: Some(thread.version), limit: Some(1), ..ThreadEventQuery::default() };
    if let [next, ..] = client.thread_events(&present.id, &query).await?.events.as_slice() {
        printer.note(&format!("Events since then: paseo thread tail {} --from {}", word(typed), next.id));
    }
    Ok(())
}

/// Lists the threads of a team, now or in the past.
pub(super) async fn of_team(
    context: &Context,
    printer: &Printer,
    team: &TeamView,
    asked: Option<&PastQuery>,
) -> Result<(), Failure> {
    let mut threads = match all(context).await {
        Ok(threads) => threads,
        // An agent finds those that it may see by its tools.
        Err(failure) if failure.code == Some(Code::Forbidden) => return Ok(()),
        Err(failure) => return Err(failure),
    };
    threads.retain(|thread| thread.team.as_ref() == Some(&team.id));
    if let Some(asked) = asked {
        let moment = past::moment_of(asked, team.updated_at);
        threads.retain(|thread| thread.created_at <= moment);
        for thread in &mut threads {
            let then = PastQuery { at: Some(moment), version: None };
            *thread = context.client()?.past_thread(&thread.id, &then).await?.thread;
        }
    }
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
            (Style::Bold, thread.alias.as_deref().unwrap_or_default().to_owned()),
            (Style::Plain, thread.name.clone()),
            (Style::Plain, shown::participants(&thread)),
            (Style::Plain, thread.messages.to_string()),
        ]);
    }
    printer.line("")?;
    printer.table(&table)
}

async fn all(context: &Context) -> Result<Vec<ThreadView>, Failure> {
    Ok(every_page(context).await?.threads)
}

/// Reads every page of the list.
async fn every_page(context: &Context) -> Result<ThreadPage, Failure> {
    let client = context.client()?;
    let mut whole = client.threads(&ThreadQuery::default()).await?;
    while let Some(after) = whole.next.take() {
        let page = client.threads(&ThreadQuery { after: Some(after.into()), limit: None }).await?;
        whole.threads.extend(page.threads);
        whole.next = page.next;
    }
    Ok(whole)
}

async fn post(context: &Context, args: PostArgs) -> Result<(), Failure> {
    prompt::only(("thread", args.thread.as_ref()), args.text.as_ref(), &args.extra)?;
    let message = PostMessage {
        text: prompt::typed(args.text.as_ref(), "message")?,
        to: args.to,
        reply_to: args.reply_to.map(Into::into),
        tags: args.tags,
    };
    if args.dry_run {
        let preview = context.client()?.wakes(&args.thread, &message).await?;
        return shown::wakes(&context.printer.with(args.output), &preview);
    }
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
                "wakes no participants".to_owned()
            } else {
                format!("wakes {}", woken.join(", "))
            };
            printer.line(&format!("Posted ({wakes})"))?;
            printer.detail(&format!("message {}", posted.event.id));
            Ok(())
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
    let known = seats.iter().find(|seat| args.id.as_ref().is_some_and(|id| seat.id == *id));
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
    let new = invited.iter().find(|seat| !known.contains(&seat.id.as_str())).map(|seat| seat.id.to_string());
    let name = &changed.thread.name;
    let (words, who) = match new {
        Some(who) => (format!("Invited {who} to {name}"), who),
        None => {
            let who = args.id.unwrap_or_default();
            (format!("Updated {who} in {name}"), who)
        }
    };
    told(&printer, &changed, &words)?;
    if printer.mode() == Mode::Normal {
        printer.note(&format!("Write to it: paseo thread post {} \"@{who} …\"", word(&args.thread)));
    }
    Ok(())
}

/// Returns the provider to use when none is named: what is configured here, else the daemon's choice.
async fn default_provider(context: &Context) -> Result<String, Failure> {
    if let Some(configured) = context.provider().await? {
        return Ok(configured);
    }
    let list = context.client()?.providers().await?;
    let default = list.providers.into_iter().find(|provider| provider.default);
    default.map(|provider| provider.name).ok_or_else(|| {
        Failure::usage("no provider was given, and no default is ready")
            .hint("run `paseo thread invite THREAD PROVIDER`; see `paseo providers`")
    })
}

/// Mutes or unmutes participants. `words` gets their names, "is" or "are", the thread, and whether nothing changed.
async fn seats(
    context: &Context,
    args: &SeatsArgs,
    key: &str,
    words: impl Fn(&str, &str, &str, bool) -> String,
) -> Result<(), Failure> {
    let targets = meant(context, args).await?;
    let names = targets.join(", ");
    let are = if targets.len() == 1 { "is" } else { "are" };
    let content = json!({ key: { "targets": targets } });
    let one = OneThread { thread: args.thread.clone(), output: args.output };
    control(context, &one, content, |thread, unchanged| words(&names, are, thread, unchanged)).await
}

/// Returns the ids of participants that may be named by their nicknames, with or without `@`. Names that no invited
/// participant has may be those of guests, which the daemon knows.
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
        by_id.or_else(by_name).map_or_else(|| name.to_owned(), |seat| seat.id.to_string())
    });
    Ok(ids.collect())
}

/// Turns something on or off. `effect`: what holds when it is on, and when it is off.
async fn toggle(
    context: &Context,
    args: &ToggleArgs,
    (name, key): (&str, &str),
    effect: [&str; 2],
) -> Result<(), Failure> {
    let content = json!({ key: { "on": args.on() } });
    let (state, effect) = if args.on() { ("on", effect[0]) } else { ("off", effect[1]) };
    let one = OneThread { thread: args.thread.clone(), output: args.output };
    let words = |thread: &str, unchanged: bool| match unchanged {
        false => format!("Turned {name} {state} in {thread}. {effect}"),
        true => format!("{name} is already {state} in {thread}"),
    };
    control(context, &one, content, words).await
}

/// Changes a thread. `words` gets its name, and whether nothing changed.
async fn control(
    context: &Context,
    one: &OneThread,
    content: Value,
    words: impl Fn(&str, bool) -> String,
) -> Result<(), Failure> {
    let changed = context.client()?.control_thread(&one.thread, content).await?;
    let words = words(&changed.thread.name, changed.unchanged);
    told(&context.printer.with(one.output), &changed, &words)
}

/// Warns that a name is not enough to tell a thread from others. Returns whether it is.
async fn warn_of_namesakes(
    context: &Context,
    printer: &Printer,
    thread: &ThreadView,
) -> Result<bool, Failure> {
    let others = all(context).await?;
    let same = others.iter().filter(|other| other.name == thread.name && other.id != thread.id);
    let ids: Vec<&str> = same.map(|other| other.id.as_str()).collect();
    if !ids.is_empty() {
        printer.warn(
            &format!("another thread is also named {}", thread.name),
            Some(&format!(
                "rename one of them, or use ids in place of names. New thread: {}. Existing: {}",
                thread.id,
                ids.join(" and ")
            )),
        );
    }
    Ok(ids.is_empty())
}

fn told(printer: &Printer, changed: &ThreadAnswer, words: &str) -> Result<(), Failure> {
    match printer.mode() {
        Mode::Json => printer.json(&changed.thread),
        Mode::Quiet => Ok(()),
        Mode::Normal => printer.line(words),
    }
}
