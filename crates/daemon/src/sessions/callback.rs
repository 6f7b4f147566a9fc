//! What an agent elsewhere says, whenever it does: the answer to a turn, or something late or unasked.

use paseo_core::actor::Actor;
use paseo_core::id::TurnId;
use paseo_core::item::{Draft, Kind};
use paseo_core::session::{self, Landing, Pending};
use paseo_wire::error::Code;

use super::RequestKey;
use super::actor::SessionActor;
use super::changes::{Spent, Stored};
use super::deliver::sealed;
use super::writing::{place, user_text};
use crate::failure::Failure;
use crate::mint;

/// Prefix of unrequested words that are not a turn.
const ASIDE: &str = "The external agent sent this, but no turn was waiting for it:";

/// What it says.
pub(crate) struct Callback {
    /// The turn that it answers, if it says so.
    pub(crate) answers: Option<TurnId>,
    pub(crate) text: String,
    /// By which it is known when it comes again.
    pub(crate) key: Option<RequestKey>,
}

impl SessionActor {
    /// Takes it in, once. It is stored when this returns.
    pub(super) async fn call_back(&mut self, callback: Callback) -> Result<(), Failure> {
        // How the last turn ended comes first, where that could not be stored yet.
        self.record_ending().await;
        if self.unrecorded.is_some() {
            return Err(
                Failure::new(Code::StorageUnavailable, "storage is unavailable").hint("send it again later")
            );
        }
        loop {
            let (cause, version) = match self.session.history.cause {
                Some((cause, _)) => self.context.journal.cause(cause).await?,
                None => Default::default(),
            };
            let mut change = self.begin(&Actor::Session(self.id()));
            let unheard = self.unheard();
            let landing = session::call_back(&mut change.draft, &cause, callback.answers, mint::turn());
            let unasked = matches!(landing, Landing::Own(..) | Landing::Aside);
            if unasked {
                self.context.external.may_speak(self.id())?;
            }
            let (turn, draft) = match &landing {
                Landing::Answer(turn) | Landing::Late(turn, _) | Landing::Own(turn, _) => {
                    (Some(*turn), Draft::text(Kind::AssistantText, callback.text.clone()))
                }
                Landing::Aside => {
                    let kind = Kind::Notice { code: "late_answer".to_owned() };
                    (None, Draft::text(kind, format!("{ASIDE}\n\n{}", callback.text)))
                }
            };
            // What was asked stands before its answer.
            let asked = match &landing {
                Landing::Answer(_) => unheard,
                Landing::Late(_, asked) => asked.clone(),
                Landing::Own(..) | Landing::Aside => Vec::new(),
            };
            asked.iter().for_each(|pending| user_text(&mut change.entries, self.id(), turn, pending));
            change.entries.item(self.id(), mint::item(), place(turn), draft);
            let spent = match landing {
                Landing::Answer(_) | Landing::Late(..) => self.open_next(&mut change).await?,
                Landing::Own(_, spent) => {
                    Spent::of(self.session.history.cause.map(|(cause, _)| cause), version, spent)
                }
                Landing::Aside => Spent::default(),
            };
            let key = callback.key.clone().map(|key| sealed(key, &()));
            // A turn that is answered need not be posted any more.
            let on_its_way = (turn == self.current).then(|| (self.start.take(), self.unsent.take()));
            let stored = self.store(change, spent, key).await;
            match (&stored, on_its_way) {
                (Ok(Stored::Done), _) | (_, None) => {}
                (_, Some((start, unsent))) => (self.start, self.unsent) = (start, unsent),
            }
            match stored? {
                Stored::Conflict => {}
                Stored::Repeat(_) => return Ok(()),
                Stored::Done => {
                    asked.iter().for_each(|pending| drop(self.texts.remove(&pending.text.id)));
                    if unasked {
                        self.context.external.spoke(self.id());
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Returns the messages of the running turn that the transcript does not show yet: they are unconfirmed.
    fn unheard(&self) -> Vec<Pending> {
        let turn = self.session.turn.as_ref().filter(|turn| !turn.handed);
        turn.map(|turn| turn.deliveries.clone()).unwrap_or_default()
    }
}
