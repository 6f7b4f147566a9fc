//! Recognises in a transcript the calls that handed work to another agent.
//!
//! A harness reports a result without saying which call to the daemon it came from, and some put it into a frame of their
//! own or cut its end. So a result is recognised by its beginning, which names the other agent.

use std::collections::VecDeque;

use paseo_core::cut::head;
use paseo_core::delegation::Delegation;
use paseo_core::item::{Draft, Kind, ToolResultExtra};
use serde_json::Value;

/// Results that are kept until the harness reports them. No agent has more calls open at once.
const KEPT: usize = 64;
/// How much of a result is kept, in characters: enough for the other agent and where the work stands.
const BEGINNING: usize = 400;

/// What an agent was told about work that it handed on and its harness has not reported yet, the latest first.
#[derive(Default)]
pub(super) struct Delegations(VecDeque<Told>);

struct Told {
    beginning: String,
    /// As it stands in JSON.
    quoted: String,
    delegation: Delegation,
}

impl Delegations {
    /// Notes what an agent is about to be told.
    pub(super) fn note(&mut self, text: &str, delegation: Delegation) {
        let beginning = head(text.trim(), BEGINNING).0.to_owned();
        let quoted = Value::from(beginning.as_str()).to_string();
        let quoted = quoted[1..quoted.len() - 1].to_owned();
        self.0.truncate(KEPT - 1);
        self.0.push_front(Told { beginning, quoted, delegation });
    }

    /// Adds to the result of a call the delegation that it reports. Other items stay as they are.
    pub(super) fn recognise(&mut self, mut draft: Draft) -> Draft {
        let Some(Told { delegation, .. }) = self.take(&draft) else { return draft };
        let extra = draft.extra.as_deref().and_then(|extra| serde_json::from_str(extra).ok());
        let extra = ToolResultExtra { delegation: Some(delegation), ..extra.unwrap_or_default() };
        draft.extra = serde_json::to_string(&extra).ok();
        draft
    }

    /// Each is reported once: what quotes it later is not its result.
    fn take(&mut self, draft: &Draft) -> Option<Told> {
        let text = draft.text.as_deref().filter(|_| matches!(draft.kind, Kind::ToolResult { .. }))?;
        let is_in = |told: &Told| text.contains(&told.beginning) || text.contains(&told.quoted);
        self.0.iter().position(is_in).and_then(|at| self.0.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use paseo_core::delegation::State;
    use paseo_core::item::{Diff, ToolOutcome};

    use super::*;
    use crate::mint;

    fn result(text: &str) -> Draft {
        let kind = Kind::ToolResult {
            call: "c".to_owned(),
            outcome: ToolOutcome::Ok,
            exit_code: None,
            duration_ms: 0,
        };
        Draft::text(kind, text)
    }

    fn sent() -> Delegation {
        Delegation { session: mint::session(), state: State::Sent }
    }

    fn recognised(told: &mut Delegations, text: &str) -> Option<Delegation> {
        serde_json::from_str::<ToolResultExtra>(&told.recognise(result(text)).extra?).unwrap().delegation
    }

    #[test]
    fn a_result_is_recognised_once_by_how_it_begins() {
        let mut told = Delegations::default();
        let (one, two, three) = (sent(), sent(), sent());
        told.note("agent_id: a\n\nhello\n", one);
        told.note("agent_id: b\n\nhello", two);
        told.note(&format!("agent_id: c\n\n{}", "long ".repeat(1000)), three);
        let said = Draft::text(Kind::AssistantText, "agent_id: a\n\nhello");
        assert_eq!(told.recognise(said.clone()), said, "only a result is one");
        assert_eq!(recognised(&mut told, "agent_id: d\n\nhello"), None);
        assert_eq!(recognised(&mut told, r#"{"text":"agent_id: b\n\nhello"}"#), Some(two));
        assert_eq!(recognised(&mut told, "agent_id: a\n\nhello"), Some(one));
        assert_eq!(recognised(&mut told, "agent_id: a\n\nhello"), None, "a quote of it");
        let cut = format!("agent_id: c\n\n{}[cut]", "long ".repeat(100));
        assert_eq!(recognised(&mut told, &cut), Some(three));
    }

    #[test]
    fn the_other_side_information_stays() {
        let mut told = Delegations::default();
        told.note("done", sent());
        let diff = Diff { path: "a".to_owned(), patch: "+".to_owned() };
        let extra = serde_json::to_string(&ToolResultExtra::of(vec![diff.clone()])).unwrap();
        let draft = told.recognise(Draft { extra: Some(extra), ..result("done") });
        let extra: ToolResultExtra = serde_json::from_str(&draft.extra.unwrap()).unwrap();
        assert_eq!(extra.diffs, [diff]);
        assert!(extra.delegation.is_some());
    }

    #[test]
    fn only_the_latest_are_kept() {
        let mut told = Delegations::default();
        (0..=KEPT).for_each(|n| told.note(&format!("agent {n}."), sent()));
        assert_eq!(told.0.len(), KEPT);
        assert_eq!(recognised(&mut told, "agent 0."), None, "the oldest is gone");
        assert!(recognised(&mut told, "agent 1.").is_some());
    }
}
