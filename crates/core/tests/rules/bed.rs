//! A session to try the rules on, with the causes it draws from.

use std::collections::BTreeMap;

use paseo_core::actor::Actor;
use paseo_core::cause::Cause;
use paseo_core::content::ContentRef;
use paseo_core::fold::{Stored, fold};
use paseo_core::id::{CauseId, ContentId, DeliveryId, SessionId, TurnId};
use paseo_core::session::{
    self, Accepted, Class, Created, Draft, Ending, Event, Opening, Outcome, Placement, Receipt, Refusal,
    Session, Source, Verb,
};
use paseo_core::time::Timestamp;
use paseo_core::{codec, fold};

/// One session in its owner's hands.
pub(crate) struct Bed {
    pub(crate) draft: Draft,
    pub(crate) causes: BTreeMap<u8, Cause>,
    created: Created,
    turns: u8,
}

impl Bed {
    pub(crate) fn new() -> Self {
        let created = Created::plain(SessionId::from_random([1; 16]), person(), "scripted", "/project");
        let draft = Draft::new(Session::create(created.clone(), now()), now());
        Self { draft, causes: BTreeMap::new(), created, turns: 0 }
    }

    /// Accepts a message and starts nothing.
    pub(crate) fn accept(&mut self, message: Accepted) -> Result<Placement, Refusal> {
        session::accept(&mut self.draft, message, true)
    }

    /// Accepts a message and goes on as the owner does.
    pub(crate) fn send(&mut self, message: Accepted) -> Placement {
        let placement = self.accept(message).unwrap();
        self.advance();
        placement
    }

    /// Sends several messages, one after the other.
    pub(crate) fn send_all(&mut self, messages: impl IntoIterator<Item = Accepted>) {
        for message in messages {
            self.send(message);
        }
    }

    /// Opens the next turn, when there is one. Says whether one was opened.
    pub(crate) fn advance(&mut self) -> bool {
        while let Some(plan) = session::next(&self.draft.session) {
            self.turns += 1;
            let turn = TurnId::from_parts(now(), [self.turns; 10]);
            let cause = self.causes.entry(cause_number(plan.cause)).or_default();
            match session::open(&mut self.draft, plan, cause, turn) {
                Opening::Opened(spent) => {
                    spent.iter().for_each(|event| cause.apply(event, now()));
                    return true;
                }
                Opening::Held(_) | Opening::Abandoned(_) => {}
            }
        }
        false
    }

    /// Lets the harness confirm the turn's messages.
    pub(crate) fn hand(&mut self) {
        let turn = self.draft.session.turn.as_ref().unwrap().id;
        self.draft.push(Event::TurnHanded { turn });
    }

    pub(crate) fn end(&mut self, outcome: Outcome, source: Source) {
        session::end(&mut self.draft, Ending::of(outcome, source));
    }

    /// Ends the turn as a daemon that was started again does.
    pub(crate) fn restart(&mut self) {
        self.end(Outcome::Interrupted, Source::Restart);
    }

    /// Runs the turn to a clean end and goes on. Says whether another turn was opened.
    pub(crate) fn complete(&mut self) -> bool {
        self.hand();
        self.end(Outcome::Completed, Source::Protocol);
        self.advance()
    }

    /// Spends every wake that the session has from a cause.
    pub(crate) fn exhaust(&mut self, cause: u8) {
        let id = self.draft.session.id;
        let turn = TurnId::from_parts(now(), [0; 10]);
        let state = self.causes.entry(cause).or_default();
        while let Ok(event) = state.spend(id, turn, paseo_core::cause::Charge::Session) {
            state.apply(&event, now());
        }
    }

    pub(crate) fn session(&self) -> &Session {
        &self.draft.session
    }

    pub(crate) fn queued(&self) -> Vec<u8> {
        self.session().queue.iter().map(|pending| number(pending.id)).collect()
    }

    pub(crate) fn in_turn(&self) -> Vec<u8> {
        let turn = self.session().turn.as_ref();
        turn.map(|turn| turn.deliveries.iter().map(|pending| number(pending.id)).collect())
            .unwrap_or_default()
    }

    pub(crate) fn turn_cause(&self) -> Option<u8> {
        self.session().turn.as_ref().map(|turn| cause_number(turn.cause))
    }

    pub(crate) fn receipt(&self, message: u8) -> Option<Receipt> {
        self.session().receipt(delivery(message))
    }

    /// Checks that the log alone leads to the same state.
    pub(crate) fn assert_replays(&self) {
        let mut events = vec![Event::Created(Box::new(self.created.clone()))];
        events.extend(self.draft.events.iter().cloned());
        let encoded: Vec<_> = events.iter().map(codec::encode).collect();
        let stored: Vec<_> = encoded
            .iter()
            .map(|event| Stored { kind: &event.kind, v: event.v, ts: now(), data: Some(&event.data) })
            .collect();
        let stream = session::stream(self.session().id);
        let folded = fold(&stream, None, &stored).unwrap();
        let head: fold::SessionHead = fold::read(&stream, &folded.state).unwrap();
        assert_eq!(head, fold::SessionHead::Session(Box::new(self.session().clone())));
    }
}

/// Makes a person's message with a cause of its own.
pub(crate) fn human(message: u8) -> Accepted {
    Accepted {
        attachments: Vec::new(),
        delivery: delivery(message),
        origin: person(),
        verb: Verb::Queue,
        cause: cause(message),
        hop: 0,
        text: text(),
        class: Class::Message,
        waited: false,
        aside: false,
        schema: None,
        corrects: None,
    }
}

/// Makes a peer's message that descends from a cause.
pub(crate) fn agent(message: u8, from: u8) -> Accepted {
    let peer = Actor::Session(SessionId::from_random([9; 16]));
    Accepted { origin: peer, cause: cause(from), hop: 1, ..human(message) }
}

/// Makes news of work that the session started itself.
pub(crate) fn completion(message: u8, from: u8) -> Accepted {
    Accepted { origin: Actor::Daemon, class: Class::Completion, ..agent(message, from) }
}

pub(crate) fn passive(message: u8, from: u8) -> Accepted {
    Accepted { class: Class::Passive, ..agent(message, from) }
}

pub(crate) fn waited(message: Accepted) -> Accepted {
    Accepted { waited: true, ..message }
}

pub(crate) fn with_verb(verb: Verb, message: Accepted) -> Accepted {
    Accepted { verb, ..message }
}

pub(crate) fn delivery(number: u8) -> DeliveryId {
    DeliveryId::from_parts(now(), [number; 10])
}

pub(crate) fn cause(number: u8) -> CauseId {
    CauseId::from_parts(now(), [number; 10])
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000)
}

pub(crate) fn text() -> ContentRef {
    ContentRef { id: ContentId::from_parts(now(), [0; 10]), len: 2, sha256: "00".repeat(32) }
}

pub(crate) fn person() -> Actor {
    Actor::Human("cli".into())
}

fn number(id: DeliveryId) -> u8 {
    id.uuid().as_bytes()[15]
}

fn cause_number(id: CauseId) -> u8 {
    id.uuid().as_bytes()[15]
}
