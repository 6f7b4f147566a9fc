//! Asks: what an agent wants leave for, and what becomes of it. The rules are in `core::permission`.

use paseo_core::id::TurnId;
use paseo_core::item::{Decision, Entry, Kind};
use paseo_core::permission::{self, Request, Verdict};
use paseo_core::session::{Ask, Event};
use paseo_core::tool::Grants;
use paseo_runtime::provider::{self, Input};
use paseo_wire::error::Code;

use super::Answer;
use super::actor::SessionActor;
use super::changes::Change;
use super::output::{bounded, place};
use crate::failure::Failure;
use crate::{journal, mint};

/// Told to an agent when a person said no and nothing more.
const DENIED: &str = "A person denied this.";

impl SessionActor {
    /// Decides about a request, or lets a person decide.
    pub(super) async fn asked(&mut self, request: Request) -> Result<(), Failure> {
        match self.verdict(&request) {
            Verdict::Allow => self.decide(request.call, provider::Answer::Allow { input: request.input }),
            Verdict::Deny(message) => {
                tracing::info!(session = %self.id(), power = request.power.tool(), "denied without asking");
                self.decide(request.call, provider::Answer::Deny { message });
            }
            Verdict::Ask => self.ask(request).await?,
        }
        Ok(())
    }

    fn verdict(&self, request: &Request) -> Verdict {
        let settings = self.context.settings.get();
        if let Err(refused) = Grants::of(&self.session, &settings).check(request.power.tool()) {
            return Verdict::Deny(refused.to_string());
        }
        let profile = &self.session.profile;
        let verdict =
            permission::decide(profile.permissions, settings.rules.values(), &profile.project, request);
        match verdict {
            Verdict::Ask if self.session.turn.is_none() => {
                Verdict::Deny("Nobody can be asked between turns.".to_owned())
            }
            verdict => verdict,
        }
    }

    async fn ask(&mut self, request: Request) -> Result<(), Failure> {
        let text = request.display();
        // The same request, made twice, is two asks.
        let hash = mint::hex(&mint::sha256(format!("{}\n{text}", request.call).as_bytes()));
        let (session, turn, reference) = (self.id(), self.current, journal::reference(&text));
        let Request { call, tool, shape, .. } = request;
        let (tool, shape) = (bounded(&tool), Some(shape).filter(permission::Shape::is_storable));
        self.asks.insert(hash.clone(), call);
        self.quietly(|change| {
            change.entries.content(session, reference.id, text.clone(), None);
            let kind = Kind::Permission { hash: hash.clone(), decision: None };
            let entry = Entry { place: place(turn), kind };
            change.entries.item_with(session, mint::item(), entry, Some(reference.id));
            let (hash, text) = (hash.clone(), reference.clone());
            change.draft.push(Event::Asked { hash, text, tool: Some(tool.clone()), shape: shape.clone() });
        })
        .await
    }

    /// Passes a person's answer on. The first wins; a later one is told.
    pub(super) async fn answer(&mut self, answer: Answer) -> Result<bool, Failure> {
        let open = self.session.turn.iter().flat_map(|turn| &turn.asks).find(|ask| ask.hash == answer.hash);
        let (Some(ask), Some(call)) = (open.cloned(), self.asks.get(&answer.hash).cloned()) else {
            return Err(Failure::new(
                Code::Conflict,
                "this request is not open: it was answered or withdrawn, or the agent went on",
            )
            .hint("look at what is open with `paseo permit ls`"));
        };
        // What was shown is what is allowed, to the byte.
        let shown = self.context.journal.log.text(ask.text.id.uuid()).await?.unwrap_or_default();
        let decision = if answer.allow { Decision::Allow } else { Decision::Deny };
        let (session, turn) = (self.id(), self.current);
        self.change(&answer.by, |change| {
            let kind = Kind::Permission { hash: ask.hash.clone(), decision: Some(decision) };
            let entry = Entry { place: place(turn), kind };
            change.entries.item_with(session, mint::item(), entry, Some(ask.text.id));
            change.draft.push(Event::Decided { hash: ask.hash.clone(), decision });
            Ok(())
        })
        .await?;
        self.asks.remove(&answer.hash);
        let message = answer.message.filter(|message| !message.trim().is_empty());
        self.decide(
            call,
            if answer.allow {
                provider::Answer::Allow { input: permission::displayed_input(&shown) }
            } else {
                provider::Answer::Deny { message: message.unwrap_or_else(|| DENIED.to_owned()) }
            },
        );
        Ok(true)
    }

    /// Closes an ask that the harness does not want answered any more.
    pub(super) async fn withdrawn(&mut self, call: &str) -> Result<(), Failure> {
        let Some(hash) = self.asks.iter().find(|(_, of)| *of == call).map(|(hash, _)| hash.clone()) else {
            return Ok(());
        };
        self.asks.remove(&hash);
        let turn = self.current;
        let open = self.session.turn.iter().flat_map(|turn| &turn.asks).find(|ask| ask.hash == hash).cloned();
        let Some(ask) = open else { return Ok(()) };
        self.quietly(|change| {
            withdraw(change, turn, &ask);
            change.draft.push(Event::Decided { hash: hash.clone(), decision: Decision::Withdrawn });
        })
        .await
    }

    fn decide(&mut self, call: String, decision: provider::Answer) {
        self.tell(Input::Permission { call, decision });
    }
}

/// Writes into the transcript that an ask was never answered.
pub(super) fn withdraw(change: &mut Change, turn: Option<TurnId>, ask: &Ask) {
    let session = change.draft.session.id;
    let kind = Kind::Permission { hash: ask.hash.clone(), decision: Some(Decision::Withdrawn) };
    let entry = Entry { place: place(turn), kind };
    change.entries.item_with(session, mint::item(), entry, Some(ask.text.id));
}
