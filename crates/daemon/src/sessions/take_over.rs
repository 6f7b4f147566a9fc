//! People at the keyboard of a session's terminal, as the log and the transcript have it.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::item::{Draft, Kind};
use paseo_core::session::{self, Event, TakeOverEnd};
use paseo_wire::error::Code;

use super::actor::SessionActor;
use super::writing::place;
use crate::failure::Failure;
use crate::mint;

impl SessionActor {
    /// Notes that a person has the keyboard of the terminal from now on.
    pub(super) async fn take_over(&mut self, by: Actor, name: &str) -> Result<(), Failure> {
        let (session, turn) = (self.id(), self.current);
        let context = Arc::clone(&self.context);
        self.change(&by, |change| {
            let before = change.draft.events.len();
            if !session::take_over(&mut change.draft, &by) {
                return Err(Failure::new(Code::Closed, "the terminal cannot be taken over any more"));
            }
            for event in &change.draft.events[before..] {
                let told = match event {
                    Event::TerminalReleased { by, reason } => ended(&context.person(by), *reason),
                    _ => Draft::text(
                        notice("taken_over"),
                        format!("A person took over the terminal ({name})."),
                    ),
                };
                change.entries.item(session, mint::item(), place(turn), told);
            }
            Ok(())
        })
        .await
    }

    /// Notes that a person no longer has the keyboard of the terminal.
    pub(super) async fn end_take_over(
        &mut self,
        by: Option<Actor>,
        name: &str,
        reason: TakeOverEnd,
    ) -> Result<(), Failure> {
        let (session, turn) = (self.id(), self.current);
        let told = ended(name, reason);
        let actor = by.clone().unwrap_or(Actor::Daemon);
        self.change(&actor, |change| {
            if session::end_take_over(&mut change.draft, by.as_ref(), reason).is_some() {
                change.entries.item(session, mint::item(), place(turn), told.clone());
            }
            Ok(())
        })
        .await
    }
}

impl SessionActor {
    /// Returns what the transcript says when the session is closed while a person has its keyboard.
    pub(super) fn ended_take_over(&self) -> Option<Draft> {
        let holder = self.session.history.keyboard.as_deref().filter(|_| self.session.is_open())?;
        Some(ended(&self.context.person(holder), TakeOverEnd::Gone))
    }
}

/// Says that a take-over has ended, and why.
fn ended(name: &str, reason: TakeOverEnd) -> Draft {
    Draft::text(notice("released"), format!("The take-over has ended ({name}): {}.", why(reason)))
}

fn notice(code: &str) -> Kind {
    Kind::Notice { code: code.to_owned() }
}

/// Says why a take-over ended, in words for people.
fn why(reason: TakeOverEnd) -> &'static str {
    match reason {
        TakeOverEnd::Released => "the terminal was released",
        TakeOverEnd::Taken => "another person took over",
        TakeOverEnd::Lost => "the connection was lost",
        TakeOverEnd::Idle => "nothing was typed for 10 minutes",
        TakeOverEnd::Revoked => "the browser was logged out, or its token revoked",
        TakeOverEnd::Gone => "the terminal is gone",
        TakeOverEnd::Restart => "the daemon was restarted",
    }
}
