//! Shells of people where a session works, as the log and the transcript have it.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::item::{Draft, Kind};
use paseo_core::session::{self, ShellEnd};
use paseo_wire::error::Code;

use super::actor::SessionActor;
use super::writing::place;
use crate::failure::Failure;
use crate::mint;

impl SessionActor {
    /// Notes that a person opens a shell where it works.
    pub(super) async fn open_shell(&mut self, by: Actor) -> Result<(), Failure> {
        let (session, turn) = (self.id(), self.current);
        let context = Arc::clone(&self.context);
        self.change(&by, |change| {
            let name = context.person(&by);
            // The last daemon did not live to note its end.
            if session::close_shell(&mut change.draft, &by, ShellEnd::Restart) {
                change.entries.item(session, mint::item(), place(turn), ended(&name, ShellEnd::Restart));
            }
            if !session::open_shell(&mut change.draft, &by) {
                return Err(Failure::new(Code::Closed, "the agent is closed")
                    .hint("reopen it, or use a shell of your own"));
            }
            let told =
                format!("A person opened a shell in the agent's directory ({name}). It is not the agent's.");
            change.entries.item(
                session,
                mint::item(),
                place(turn),
                Draft::text(notice("shell_opened"), told),
            );
            Ok(())
        })
        .await
    }

    /// Notes that the shell of a person has ended.
    pub(super) async fn close_shell(&mut self, by: Actor, reason: ShellEnd) -> Result<(), Failure> {
        let (session, turn) = (self.id(), self.current);
        let context = Arc::clone(&self.context);
        self.change(&by, |change| {
            if session::close_shell(&mut change.draft, &by, reason) {
                let told = ended(&context.person(&by), reason);
                change.entries.item(session, mint::item(), place(turn), told);
            }
            Ok(())
        })
        .await
    }

    /// Returns what the transcript says when the session is closed while people have shells where it works.
    pub(super) fn ended_shells(&self) -> Vec<Draft> {
        let shells = self.session.history.shells.iter().filter(|_| self.session.is_open());
        shells.map(|by| ended(&self.context.person(by), ShellEnd::Gone)).collect()
    }
}

fn ended(name: &str, reason: ShellEnd) -> Draft {
    Draft::text(notice("shell_closed"), format!("The person's shell has ended ({name}): {}.", why(reason)))
}

fn notice(code: &str) -> Kind {
    Kind::Notice { code: code.to_owned() }
}

/// Says why a shell has ended, in words for people.
pub(crate) fn why(reason: ShellEnd) -> &'static str {
    match reason {
        ShellEnd::Exited => "it exited",
        ShellEnd::Closed => "the person closed it",
        ShellEnd::Lost => "nobody was connected to it for 10 minutes",
        ShellEnd::Revoked => "the browser was logged out, or its token revoked",
        ShellEnd::Off => "shells in the web app were switched off",
        ShellEnd::Gone => "the agent was closed",
        ShellEnd::Restart => "the daemon was stopped",
    }
}
