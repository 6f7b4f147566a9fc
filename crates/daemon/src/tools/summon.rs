//! Starting other agents and waiting for them: `summon` and `retrieve`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::definition::Definition;
use paseo_core::delegation::State;
use paseo_core::family;
use paseo_core::id::{SessionId, WatchId};
use paseo_core::label::Labels;
use paseo_core::limits::{ANSWER_CHARS, PATH_BYTES, RETRIEVE_WAIT_SECONDS, WAIT_SECONDS};
use paseo_core::session::{self, On, Receipt, Session, Status, Watch};
use paseo_core::settings::Key;
use paseo_core::tool::{Grants, REGISTRY, RETRIEVE};
use paseo_wire::error::Code;
use paseo_wire::words::Placement;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Way;
use super::addressing;
use super::answers::{self, Account, Extent};
use super::arguments::{self, invalid};
use super::catalogue::object;
use super::delegated::Delegated;
use super::powers;
use super::started::{Started, outcome, unfinished};
use super::tabs::inherited;
use super::waiting::{self, Awaited, Ended, Patience};
use crate::directory::Reach;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{Command, Notify, Order, Sessions, routing};
use crate::waits::Waiting;
use crate::worktrees::{self, Wish};

/// How much of a task becomes the name of its agent, in characters.
const NAME: usize = 50;

/// What opens the way to user agents.
const ALLOW_USER_AGENTS: &str = "a person can allow it with `paseo settings set perm_user_agent on`";

/// What may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modes {
    /// Agents below the one that starts them.
    pub(super) children: bool,
    /// Agents on their own.
    pub(super) top_level: bool,
}

impl Modes {
    /// Returns what the settings allow.
    pub(super) fn of(sessions: &crate::sessions::Context) -> Self {
        let settings = sessions.settings.get();
        Self { children: settings.is_on(Key::PermSummon), top_level: settings.is_on(Key::PermUserAgent) }
    }

    /// Refuses what a setting keeps out.
    pub(super) fn admit(self, input: &Value) -> Result<(), Failure> {
        match (input.get("top_level").and_then(Value::as_bool).unwrap_or(false), self) {
            (true, Self { top_level: false, .. }) => {
                Err(Failure::new(Code::Forbidden, "agents are not allowed to start user agents (top_level)")
                    .hint(format!("leave out top_level; {ALLOW_USER_AGENTS}")))
            }
            (false, Self { children: false, .. }) => Err(Failure::new(
                Code::Forbidden,
                "agents are only allowed to start user agents; pass top_level=true",
            )
            .hint("ask a person to run `paseo settings set perm_summon on`")),
            _ => Ok(()),
        }
    }
}

/// What agents read about `summon`.
pub(super) fn described(
    session: &Session,
    definitions: &[&Definition],
    modes: Modes,
    grants: &Grants,
) -> (String, Value) {
    let group = |subagents: bool| {
        let group = definitions.iter().filter(move |definition| definition.is_subagent == subagents);
        let lines: Vec<String> = group.map(|definition| line(definition)).collect();
        if lines.is_empty() { "(none is defined)".to_owned() } else { lines.join("\n") }
    };
    let mut text =
        "Start another agent for a task, by the slug of its definition. The agent gets its own session and \
         returns its answer."
            .to_owned();
    if modes.children && grants.has(RETRIEVE) {
        text.push_str(
            " With background=true the call returns immediately: continue, and use retrieve to wait for \
             the answer.",
        );
    }
    let catalogue = match modes {
        Modes { children: true, top_level: false } => format!("Available agents:\n{}", group(true)),
        Modes { children: true, top_level: true } => format!(
            "Subagents (spawned as child tabs):\n{}\n\nUser agents (spawned as independent top-level tabs, requires \
             top_level=true):\n{}",
            group(true),
            group(false)
        ),
        Modes { children: false, .. } => format!(
            "User agents (spawned as independent top-level tabs, requires top_level=true):\n{}",
            group(false)
        ),
    };
    text.push_str(&format!("\n\n{catalogue}\n\nYour working directory: {}", session.profile.directory));
    if modes.children {
        text.push_str(" (subagents work in it or below it)");
    }
    let mut properties = json!({
        "task": { "type": "string", "description": "What the agent should do. It knows nothing of your \
                                                    conversation." },
        "agent": { "type": "string", "description": "The slug of the agent definition." },
        "tools": {
            "type": "array",
            "items": { "type": "string" },
            "description": "Tools to use instead of the definition's: tool names, or read, edit and bash. \
                            Tools you cannot pass on are withheld; the answer lists them.",
        },
        "working_directory": { "type": "string", "description": "The working directory, instead of the \
                                                                 definition's." },
    });
    let mut required = vec!["task", "agent"];
    if let Value::Object(properties) = &mut properties {
        if modes.children {
            let about = "Return immediately instead of waiting for the answer.";
            properties.insert("background".to_owned(), json!({ "type": "boolean", "description": about }));
        }
        if modes.top_level {
            let about = "Start an independent user agent: you get its id but never its answer.";
            properties.insert("top_level".to_owned(), json!({ "type": "boolean", "description": about }));
        }
    }
    if !modes.children {
        required.push("top_level");
    }
    (text, object(properties, &required))
}

/// What agents read about `retrieve`.
pub(super) fn retrieve_described() -> (String, Value) {
    let text = "Wait for an agent that you started and return its answer. Returns early with the message \
                when a person writes to you; call it again to continue waiting.";
    let properties = json!({
        "agent_id": { "type": "string", "description": "The id you got when the agent was started, or its \
                                                        short handle." },
        "timeout": {
            "type": "number",
            "description": "How long to wait, in seconds, from 1 to 3600 (default 600). The agent keeps \
                            working after a timeout.",
        },
    });
    (text.to_owned(), object(properties, &["agent_id"]))
}

/// Starts an agent.
pub(super) async fn summon(
    sessions: &Sessions,
    caller: &Session,
    grants: &Grants,
    way: Way,
    input: &Value,
) -> Result<Delegated, Failure> {
    let context = &sessions.context;
    let task = arguments::message(input, "task")?;
    let modes = Modes::of(context);
    let flag = |name: &str| input.get(name).and_then(Value::as_bool).unwrap_or(false);
    let top_level = flag("top_level");
    modes.admit(input)?;
    let definition = find(sessions, caller, arguments::text(input, "agent")?, modes, top_level)?;
    let tools = tools(sessions, caller, input)?;
    let family = match top_level {
        true => None,
        false => {
            let family = context.families.lock().await;
            admit(sessions, caller)?;
            Some(family)
        }
    };
    let directory = place(caller, &definition, input, top_level)?;
    let cause = inherited(caller, mint::session())?;
    let ui = caller.labels.is_ui() && top_level;
    let labels: Result<Vec<_>, _> = ui.then(|| "ui=true".parse()).into_iter().collect();
    let order = Order {
        by: Actor::Session(caller.id),
        definition,
        project: caller.profile.project.clone(),
        directory,
        provider: None,
        default_provider: None,
        model: None,
        effort: None,
        labels: labels.and_then(|labels| Labels::from_flags(labels, false)).unwrap_or_default(),
        name: Some(name(task)),
        aside: false,
        guarded: false,
    };
    let above = powers::ceiling(sessions, caller);
    let mut new = order.by_agent(context, caller, &above, tools.as_deref(), cause)?;
    let (id, background) = (new.id, top_level || flag("background"));
    let notify = Notify { watch: mint::watch(), watcher: caller.id };
    let waiting = match background {
        true => None,
        false => Some(context.waits.begin(sessions, caller.id, id, notify.watch).map_err(|refused| {
            let instead = "use background=true; you will be notified when it has finished";
            arguments::refused_wait(sessions, &refused, Some(id), instead)
        })?),
    };
    new.parent = (!top_level).then_some(caller.id);
    let place = worktrees::prepare(&context.home, id, new.directory.clone(), ui, Wish::default()).await?;
    new.directory.clone_from(&place.directory);
    new.worktree = place.made.as_ref().map(|made| made.worktree.clone());
    // For a user agent only now: nobody else waits while git makes its worktree.
    let family = match family {
        Some(family) => family,
        None => context.families.lock().await,
    };
    let created = match still_open(sessions, caller) {
        Ok(()) => sessions.create(new.with_task(task, !background, (!top_level).then_some(notify))).await,
        Err(closed) => Err(closed),
    };
    drop(family);
    let told = match created.map(|created| created.receipt) {
        Ok(Some(told)) => told,
        failed => {
            if let Some(made) = place.made {
                made.undo().await;
            }
            return Err(failed
                .err()
                .unwrap_or_else(|| Failure::internal("a session started without its task")));
        }
    };
    let withheld = context.directory.get(id).map(|child| context.withheld(&child)).unwrap_or_default();
    let started = Started { id, withheld };
    if told.placement == Placement::Held {
        let why = arguments::held_words(told.reason.as_ref());
        let text = format!("HELD — do not summon it again. The task is held, because {why}.");
        return Ok(started.told(State::Held, &text));
    }
    let Some(waiting) = waiting else {
        let more = match (top_level, grants.has(RETRIEVE)) {
            (true, _) => "The agent is independent: you will not receive its answer.",
            (false, true) => {
                "The agent works in the background. You will be notified when it has finished; use \
                 retrieve to wait for it."
            }
            (false, false) => "The agent works in the background. You will be notified when it has finished.",
        };
        return Ok(started.told(State::Background, more));
    };
    match waiting::wait(sessions, patience(caller, way, WAIT_SECONDS), Awaited::Message(id, notify.watch))
        .await?
    {
        Ended::Settled { receipt, turn } => {
            let account = match turn {
                Some(turn) => answers::of_turn(sessions, id, turn, Extent::AnswerHead(ANSWER_CHARS)).await?,
                None => Account::default(),
            };
            waiting.over().await?;
            Ok(outcome(&started, receipt, account.answer(), account.error()))
        }
        Ended::Failed => {
            let newest = answers::newest(sessions, id).await?.unwrap_or_default();
            Ok(outcome(&started, Receipt::Failed, None, newest.error()))
        }
        other => put_off(waiting, &started, other, grants.has(RETRIEVE)).await,
    }
}

/// Tells why nobody waits for it any longer, and lets what was told count as told.
async fn put_off(
    waiting: Waiting,
    started: &Started,
    ended: Ended,
    can_retrieve: bool,
) -> Result<Delegated, Failure> {
    match ended {
        Ended::Canceled => waiting.over().await?,
        Ended::Promoted => waiting.parted().await?,
        _ => {}
    }
    unfinished(started, ended, can_retrieve)
}

/// Waits for an agent that the caller started.
pub(super) async fn retrieve(
    sessions: &Sessions,
    caller: &Session,
    way: Way,
    input: &Value,
) -> Result<Delegated, Failure> {
    let context = &sessions.context;
    let typed = arguments::text(input, "agent_id")?;
    let seconds = arguments::seconds(input, RETRIEVE_WAIT_SECONDS, WAIT_SECONDS)?;
    // One's own come first, and what could be others' is not told.
    let children = addressing::open(sessions, |session| session.profile.parent == Some(caller.id));
    let id = match addressing::among(sessions, typed, &children)? {
        Some(child) => Ok(child),
        None => context.directory.resolve(typed, Reach::OpenThenClosed, &context.journal).await,
    };
    let session = match id {
        Ok(id) => context.journal.session(id).await?.map(|(session, _)| session),
        Err(failure) if matches!(failure.code, Code::NotFound | Code::Ambiguous) => None,
        Err(failure) => return Err(failure),
    };
    let child = session.filter(|session| {
        session.profile.parent == Some(caller.id)
            || session.profile.parent.is_none() && session.id != caller.id
    });
    let Some(child) = child else { return Err(not_a_child(sessions, caller, typed)) };
    if child.profile.parent.is_none() {
        return Err(invalid(
            "This is a user agent (top-level tab) and cannot be retrieved. User agents are fire-and-forget."
                .to_owned(),
        ));
    }
    // The one for its task, unless the caller was told.
    let mine = |watch: &&Watch| watch.watcher == caller.id && matches!(watch.on, On::Delivery(_));
    let watch = child.watches.iter().find(mine).map_or_else(mint::watch, |watch| watch.id);
    let waiting = context.waits.begin(sessions, caller.id, child.id, watch).map_err(|refused| {
        arguments::refused_wait(
            sessions,
            &refused,
            None,
            "end your turn; you will be notified when it has finished",
        )
    })?;
    let started = Started { id: child.id, withheld: Vec::new() };
    match waiting::wait(sessions, patience(caller, way, seconds), Awaited::Rest(child.id)).await? {
        Ended::Settled { .. } => {
            let now = context.journal.session(child.id).await?.map(|(session, _)| session);
            if now.as_ref().is_some_and(|now| is_canceled(now, watch)) {
                return put_off(waiting, &started, Ended::Canceled, true).await;
            }
            let status = now.map_or(Status::Closed, |session| session.condition.status);
            let (answer, error) = last(sessions, child.id).await?;
            // What is told now need not be told again, even if it is on its way.
            waiting.over().await?;
            sessions.ask(caller.id, |reply| Command::ForgetNews(child.id, reply)).await?;
            let receipt = match status {
                Status::Error => Receipt::Failed,
                Status::Interrupted => Receipt::Interrupted,
                _ => Receipt::Answered,
            };
            Ok(outcome(&started, receipt, answer, error.as_deref()))
        }
        other => put_off(waiting, &started, other, true).await,
    }
}

/// Says whether a person canceled the task that a watch is on.
fn is_canceled(child: &Session, watch: WatchId) -> bool {
    let due = child.watches.iter().find(|known| known.id == watch).and_then(|known| known.due.as_ref());
    due.is_some_and(|due| due.receipt == Receipt::Cancelled)
}

/// Returns the last answer of an agent, and what went wrong in its last turn.
async fn last(sessions: &Sessions, id: SessionId) -> Result<(Option<String>, Option<String>), Failure> {
    let found = answers::last_turn(sessions, id, None, Extent::AnswerHead(ANSWER_CHARS));
    let answer = found.await?.and_then(|(_, account)| account.answer());
    let error = answers::newest(sessions, id).await?.and_then(|account| account.error().map(str::to_owned));
    Ok((answer, error))
}

/// Finds a definition that the caller may start in this way.
fn find(
    sessions: &Sessions,
    caller: &Session,
    slug: &str,
    modes: Modes,
    top_level: bool,
) -> Result<Arc<Definition>, Failure> {
    let catalogue = sessions.context.definitions.catalogue(&caller.profile.project);
    let own = catalogue.followed(caller)?;
    let fits = |definition: &&Arc<Definition>| definition.is_subagent != top_level && own.sees(definition);
    let valid: Vec<&str> = catalogue.all().filter(fits).map(|definition| definition.slug.as_str()).collect();
    let valid = if valid.is_empty() { "none".to_owned() } else { valid.join(", ") };
    let wrong =
        |message: String| Failure::new(Code::NotFound, message).hint(format!("choose one of: {valid}"));
    let seen = catalogue.all().find(|definition| definition.slug == slug && own.sees(definition));
    match seen {
        Some(definition) if fits(&definition) => Ok(Arc::clone(definition)),
        Some(_) if top_level => {
            Err(wrong(format!("`{slug}` is a subagent and cannot be started with top_level")))
        }
        Some(_) if modes.top_level => {
            Err(wrong(format!("`{slug}` is a user agent and can only be started with top_level=true")))
        }
        Some(_) => Err(wrong(format!(
            "`{slug}` is a user agent, and agents are not allowed to start those; {ALLOW_USER_AGENTS}"
        ))),
        None => {
            Err(wrong(format!("agent definition `{slug}` not found, or you are not allowed to start it")))
        }
    }
}

fn tools(sessions: &Sessions, caller: &Session, input: &Value) -> Result<Option<Vec<String>>, Failure> {
    let Some(wanted) = input.get("tools").filter(|tools| !tools.is_null()) else { return Ok(None) };
    let names: Option<Vec<String>> =
        wanted.as_array().and_then(|all| all.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    let names = names.ok_or_else(|| invalid("`tools` must be a list of tool names".to_owned()))?;
    let known = |name: &&String| {
        matches!(name.as_str(), "read" | "edit" | "bash") || paseo_core::tool::find(name).is_some()
    };
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let above = powers::ceiling(sessions, caller);
        let all = REGISTRY.iter().map(|spec| spec.name).filter(|name| above.admits(name));
        let all: Vec<&str> = all.collect();
        return Err(invalid(format!("unknown tool `{unknown}`"))
            .hint(format!("use read, edit, bash, {}", all.join(", "))));
    }
    Ok(Some(names))
}

/// Refuses an agent that was closed or deleted after it called. Only under the lock of families is that final.
fn still_open(sessions: &Sessions, caller: &Session) -> Result<(), Failure> {
    match sessions.context.directory.get(caller.id) {
        Some(_) => Ok(()),
        None => Err(Failure::new(Code::Closed, "this agent was just closed")),
    }
}

/// Refuses families that get too large.
pub(crate) fn admit(sessions: &Sessions, caller: &Session) -> Result<(), Failure> {
    still_open(sessions, caller)?;
    let directory = &sessions.context.directory;
    let parent = |id| directory.get(id).and_then(|session| session.profile.parent);
    let ancestors = family::ancestors(caller.id, parent);
    let root = ancestors.last().copied().unwrap_or(caller.id);
    let open = directory.all();
    let parents = open.iter().filter_map(|session| Some((session.id, session.profile.parent?)));
    let at_work = |id: &SessionId| {
        let session = directory.get(*id);
        session.is_some_and(|session| session.turn.is_some() || session::next(&session).is_some())
    };
    let descendants = family::descendants_leaf_first(root, parents).iter().filter(|id| at_work(id)).count();
    family::admit_child(ancestors.len() + 1, descendants)
        .map_err(|refused| Failure::new(Code::Conflict, refused.to_string()))
}

/// Returns where the agent works, as an absolute path without links.
fn place(
    caller: &Session,
    definition: &Definition,
    input: &Value,
    top_level: bool,
) -> Result<String, Failure> {
    let profile = &caller.profile;
    let home = if top_level { &profile.project } else { &profile.directory };
    let asked = input.get("working_directory").and_then(Value::as_str);
    let own = routing::place(definition, home);
    let wanted = asked.unwrap_or(&own);
    let real = |path: &Path| {
        let real = path.canonicalize().ok().filter(|path| path.is_dir());
        real.ok_or_else(|| invalid(format!("`{}` is not a directory", path.display())))
    };
    let place = real(&Path::new(home).join(wanted))?;
    if !top_level && !place.starts_with(real(Path::new(&profile.directory))?) {
        return Err(Failure::new(Code::Forbidden, format!("`{wanted}` is outside your working directory"))
            .hint(format!("choose a directory in {}", profile.directory)));
    }
    let text = place.to_str().filter(|text| text.len() <= PATH_BYTES).map(str::to_owned);
    text.ok_or_else(|| invalid(format!("`{wanted}` is too long, or not UTF-8")))
}

fn not_a_child(sessions: &Sessions, caller: &Session, typed: &str) -> Failure {
    let directory = &sessions.context.directory;
    let children = directory.all().into_iter().filter(|session| session.profile.parent == Some(caller.id));
    let handles: Vec<String> = children.map(|child| directory.handle(child.id)).collect();
    let typed: String = typed.chars().take(60).flat_map(char::escape_debug).collect();
    let hint = match handles.as_slice() {
        [] => "start one first; none of the agents you started is open".to_owned(),
        handles => format!("choose one of: {}", handles.join(", ")),
    };
    Failure::new(Code::NotFound, format!("`{typed}` is not an agent that you started")).hint(hint)
}

fn patience(caller: &Session, way: Way, seconds: u64) -> Patience {
    let turn = caller.turn.as_ref().map(|turn| turn.id);
    Patience { caller: caller.id, turn, until: Instant::now() + Duration::from_secs(seconds), way }
}

fn line(definition: &Definition) -> String {
    match &definition.description {
        Some(description) => format!("- {}: {} — {description}", definition.slug, definition.name),
        None => format!("- {}: {}", definition.slug, definition.name),
    }
}

fn name(task: &str) -> String {
    let line = task.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(NAME).collect()
}
