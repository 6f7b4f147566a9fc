//! Talking to other agents by their definitions: `agents_message` and `agents_list`.

use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use paseo_core::actor::Actor;
use paseo_core::definition::Definition;
use paseo_core::delegation::State;
use paseo_core::id::SessionId;
use paseo_core::limits::{ANSWER_CHARS, MESSAGE_WAIT_SECONDS, WAIT_SECONDS};
use paseo_core::session::{Class, Receipt, Session, Verb};
use paseo_core::tool::{AGENTS_LIST, Grants};
use paseo_wire::error::Code;
use paseo_wire::message::Receipt as Told;
use paseo_wire::words::Placement;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::Way;
use super::addressing;
use super::answers::{self, Account, Extent};
use super::arguments::{self, invalid};
use super::catalogue::object;
use super::delegated::Delegated;
use super::news::{PROMOTED, cut};
use super::powers;
use super::tabs::inherited;
use super::waiting::{self, Awaited, Ended, Patience};
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{Command, Message, NewSession, Notify, Order, Sessions, routing};

/// Told to whoever waits in a shell.
const CALLED: &str = "a person wrote to you while you waited: end your turn to receive the message; the \
                      other agent keeps working, and you will be notified when it has finished";

/// What agents read about `agents_message`.
pub(super) fn described(grants: &Grants) -> (String, Value) {
    let whom =
        if grants.has(AGENTS_LIST) { "The agent's id, as listed by agents_list." } else { "The agent's id." };
    let description = "Send a message to another agent and, in mode `sync`, wait for its answer. The other \
                       agent works in its own session, with its own tools, and sees who sent the message. \
                       A timeout does not stop it: you are notified when it has finished. In mode `async` \
                       the call returns immediately, and you are notified when the agent has finished; do \
                       not wait or poll. Every result has a `responseId`, which the later notice repeats.";
    let schema = object(
        json!({
            "agentId": { "type": "string", "description": whom },
            "content": { "type": "string", "description": "What the agent should do." },
            "session": {
                "type": "string",
                "description": "latest, create, latest-or-create (default), or the id of one of its \
                                sessions.",
            },
            "mode": { "type": "string", "enum": ["sync", "async"], "description": "sync (default) or async." },
            "timeout": {
                "type": "number",
                "description": "For sync: how long to wait, in seconds, from 1 to 3600 (default 300).",
            },
        }),
        &["agentId", "content"],
    );
    (description.to_owned(), schema)
}

/// Lists the agents that can be talked to.
pub(super) fn list(sessions: &Sessions, caller: &Session) -> Result<String, Failure> {
    let listed: Vec<Value> = peers(sessions, caller)?
        .iter()
        .map(
            |peer| json!({ "agentId": peer.slug, "displayName": peer.name, "description": peer.description }),
        )
        .collect();
    Ok(json!({ "agents": listed }).to_string())
}

/// Sends a message to the agent of a definition.
pub(super) async fn message(
    sessions: &Sessions,
    caller: &Session,
    way: Way,
    input: &Value,
) -> Result<Delegated, Failure> {
    let text = arguments::message(input, "content")?;
    let definition = peer(sessions, caller, arguments::text(input, "agentId")?)?;
    let sync = match input.get("mode").and_then(Value::as_str) {
        None | Some("sync") => true,
        Some("async") => false,
        Some(other) => return Err(invalid(format!("unknown mode `{other}`: use sync or async"))),
    };
    let seconds = arguments::seconds(input, MESSAGE_WAIT_SECONDS, WAIT_SECONDS)?;
    let strategy = input.get("session").and_then(Value::as_str).unwrap_or("latest-or-create");
    // Those who ask at the same time get the same session.
    let routing = sessions.context.routing.lock().await;
    let addressee = addressee(sessions, caller, &definition, strategy).await?;
    let routing = Some(routing).filter(|_| matches!(addressee, Addressee::New(_)));
    let (target, created) = match &addressee {
        Addressee::Known(id) => (*id, false),
        Addressee::New(new) => (new.id, true),
    };
    let (cause, begun) = (inherited(caller, target)?, Clock::now());
    let notify = Notify { watch: mint::watch(), watcher: caller.id };
    let waits = &sessions.context.waits;
    let waiting = match sync {
        true => Some(waits.begin(sessions, caller.id, target, notify.watch).map_err(|refused| {
            let (planned, instead) =
                (created.then_some(target), "use mode async; you will be notified when it has finished");
            arguments::refused_wait(sessions, &refused, planned, instead)
        })?),
        false => None,
    };
    let told = match addressee {
        Addressee::New(new) => {
            let created = sessions.create(new.with_task(text, sync, Some(notify))).await?;
            created.receipt.ok_or_else(|| Failure::internal("a session started without its message"))?
        }
        Addressee::Known(_) => {
            let message = Message {
                attachments: Vec::new(),
                cause: Some(cause),
                origin: Actor::Session(caller.id),
                text: text.to_owned(),
                verb: Verb::Queue,
                class: Class::Message,
                waited: sync,
                aside: false,
                schema: None,
                notify: Some(notify),
                key: None,
            };
            sessions.ask(target, |reply| Command::Deliver(message, reply)).await?
        }
    };
    drop(routing);
    let report = Report { sessions, definition: &definition, target, created, told: &told };
    let Some(waiting) = waiting else { return Ok(report.accepted()) };
    let patience = Patience {
        caller: caller.id,
        turn: caller.turn.as_ref().map(|turn| turn.id),
        until: Instant::now() + Duration::from_secs(seconds),
        way,
    };
    match waiting::wait(sessions, patience, Awaited::Message(target, notify.watch)).await? {
        Ended::Settled { receipt, turn } => {
            let account = match turn {
                Some(turn) => {
                    answers::of_turn(sessions, target, turn, Extent::AnswerHead(ANSWER_CHARS)).await?
                }
                None => Account::default(),
            };
            // What is told now need not be told again.
            waiting.over().await?;
            Ok(report.settled(receipt, &account, begun.elapsed()))
        }
        Ended::Failed => {
            let newest = answers::newest(sessions, target).await?.unwrap_or_default();
            Ok(report.settled(Receipt::Failed, &newest, begun.elapsed()))
        }
        Ended::Canceled => {
            waiting.over().await?;
            Ok(report.failed("did not read your message: a person canceled it", None))
        }
        Ended::Promoted => {
            waiting.parted().await?;
            Ok(report.failed(PROMOTED, None))
        }
        Ended::Held(why) => {
            Ok(report.unanswered(State::Held, seconds, &format!("held: {why}; do not resend the message")))
        }
        Ended::TimedOut => Ok(report.unanswered(
            State::Unfinished,
            seconds,
            "the agent keeps working; you will be notified when it has finished",
        )),
        Ended::Called => Ok(report.unanswered(State::Unfinished, seconds, CALLED)),
        Ended::Words(words) => Ok(report.unanswered(
            State::Unfinished,
            seconds,
            &format!(
                "a person wrote to you while you waited: {words}\n\nThe other agent keeps working; you \
                 will be notified when it has finished."
            ),
        )),
        Ended::Left => Err(Failure::new(Code::Conflict, "the waiting turn is over")),
    }
}

/// A message on its way, as its sender is told about it.
struct Report<'a> {
    sessions: &'a Sessions,
    definition: &'a Definition,
    target: SessionId,
    created: bool,
    told: &'a Told,
}

impl Report<'_> {
    fn fields(&self, mode: &str, status: &str) -> Map<String, Value> {
        let open = self.sessions.context.directory.get(self.target);
        let name = open.as_ref().and_then(|session| session.naming.shown()).unwrap_or(&self.told.handle);
        let fields = json!({
            "mode": mode,
            "status": status,
            "agentId": self.definition.slug,
            "sessionId": self.target.to_string(),
            "sessionName": name,
            "created": self.created,
            "responseId": self.told.delivery,
        });
        let mut fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        let withheld = open.as_ref().filter(|_| self.created);
        let withheld = withheld.map(|session| self.sessions.context.withheld(session));
        if let Some(withheld) = withheld.filter(|withheld| !withheld.is_empty()) {
            fields.insert("withheld".to_owned(), withheld.into());
        }
        fields
    }

    fn told(&self, state: State, fields: Map<String, Value>) -> Delegated {
        Delegated::ok(self.target, state, Value::Object(fields).to_string())
    }

    fn accepted(&self) -> Delegated {
        let mut fields = self.fields("async", "started");
        let (reason, mut state) = (self.told.reason.as_ref(), State::Background);
        match self.told.placement {
            Placement::Started => {}
            Placement::Held => {
                state = State::Held;
                let why = arguments::held_words(reason);
                fields.insert("held".to_owned(), true.into());
                fields.insert("reason".to_owned(), why.into());
                fields.insert("message".to_owned(), format!("held: {why}; do not resend the message").into());
            }
            _ => {
                fields.insert("queued".to_owned(), true.into());
                fields.insert("reason".to_owned(), arguments::queued_words(reason).into());
            }
        }
        self.told(state, fields)
    }

    fn unanswered(&self, state: State, seconds: u64, message: &str) -> Delegated {
        let mut fields = self.fields("sync", "timeout");
        fields.insert("timeoutSeconds".to_owned(), seconds.into());
        fields.insert("message".to_owned(), message.into());
        self.told(state, fields)
    }

    /// Says that there is no answer, and why.
    fn failed(&self, what: &str, words: Option<String>) -> Delegated {
        let Told { handle, delivery, .. } = self.told;
        let who = format!("agent `{}` (tab {handle}, responseId {delivery})", self.definition.slug);
        let words = words.map(|words| format!(": {}", cut(&words).0)).unwrap_or_default();
        Delegated::error(self.target, State::Failed, format!("{who} {what}{words}"))
    }

    fn settled(&self, receipt: Receipt, account: &Account, took: Duration) -> Delegated {
        match receipt {
            Receipt::Answered => {}
            Receipt::Failed => return self.failed("failed", account.error().map(str::to_owned)),
            Receipt::Interrupted => return self.failed("was interrupted", account.answer()),
            _ => return self.failed("was closed before it answered", None),
        }
        let (response, truncated) = cut(&account.answer().unwrap_or_default());
        let calls = account.calls();
        let mut fields = self.fields("sync", "complete");
        let more = json!({
            "response": response,
            "truncated": truncated,
            "durationMs": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "toolCallCount": calls.len(),
            "toolCalls": calls
                .iter()
                .map(|(name, millis)| json!({ "name": name, "durationMs": millis }))
                .collect::<Vec<_>>(),
            "thinkingText": account.thinking().map(|text| cut(&text).0),
        });
        if let Value::Object(more) = more {
            fields.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        }
        self.told(State::Finished, fields)
    }
}

/// Returns the agents that a session may talk to and that can start.
fn peers(sessions: &Sessions, caller: &Session) -> Result<Vec<Arc<Definition>>, Failure> {
    let catalogue = sessions.context.definitions.catalogue(&caller.profile.project);
    let own = catalogue.followed(caller)?;
    Ok(sessions.context.peers(&catalogue, caller, &own))
}

fn peer(sessions: &Sessions, caller: &Session, slug: &str) -> Result<Arc<Definition>, Failure> {
    let catalogue = sessions.context.definitions.catalogue(&caller.profile.project);
    let known = catalogue.peers(&*catalogue.followed(caller)?);
    if let Some(peer) = known.into_iter().find(|peer| peer.slug == slug) {
        return Ok(peer);
    }
    let peers = peers(sessions, caller)?;
    let names: Vec<&str> = peers.iter().map(|peer| peer.slug.as_str()).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    if slug == caller.profile.slug() {
        return Err(invalid(format!("you are `{slug}`; an agent cannot message its own definition"))
            .hint(format!("choose one of: {names}")));
    }
    Err(Failure::new(
        Code::NotFound,
        format!("agent `{slug}` not found, or you are not allowed to message it"),
    )
    .hint(format!("choose one of: {names}")))
}

/// Whom a message goes to.
enum Addressee {
    Known(SessionId),
    /// Made only when nothing else is in the way.
    New(Box<NewSession>),
}

/// Finds the session that a message goes to, or plans one.
async fn addressee(
    sessions: &Sessions,
    caller: &Session,
    definition: &Arc<Definition>,
    strategy: &str,
) -> Result<Addressee, Failure> {
    let context = &sessions.context;
    let project = &caller.profile.project;
    let known = match strategy {
        "create" => None,
        "latest" | "latest-or-create" => {
            let latest = routing::latest(context, definition, project, &Actor::Session(caller.id));
            let latest = latest.filter(|latest| latest.id != caller.id);
            if latest.is_none() && strategy == "latest" {
                let message = format!("agent `{}` has no session yet", definition.slug);
                return Err(Failure::new(Code::NotFound, message).hint("use `create` or `latest-or-create`"));
            }
            latest
        }
        id => {
            let is_meant =
                |known: &Session| routing::is_of(known, definition, project) && known.id != caller.id;
            let nobody =
                format!("agent `{}` has no session: use `create` or `latest-or-create`", definition.slug);
            let id = addressing::find(sessions, id, is_meant, &nobody).await?;
            let gone =
                || Failure::new(Code::Closed, "the agent was just closed").hint("ask a person to reopen it");
            Some(context.directory.get(id).ok_or_else(gone)?)
        }
    };
    if let Some(known) = known {
        powers::may_ask(sessions, caller, &known)?;
        return Ok(Addressee::Known(known.id));
    }
    let cause = inherited(caller, mint::session())?;
    let order = Order::of_peer(caller, definition, routing::place_for(caller, definition));
    order
        .by_agent(context, caller, &powers::above(sessions, caller, &definition.slug), None, cause)
        .map(|new| Addressee::New(Box::new(new)))
}
