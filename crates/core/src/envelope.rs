//! How a message looks to the agent that receives it.

use crate::actor::Actor;

/// Who sent a message, as its receiver is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sender<'a> {
    pub origin: &'a Actor,
    /// The handle of the session that sent it.
    pub handle: Option<&'a str>,
    /// The receiver can answer by `send_to_tab`.
    pub reply: bool,
}

/// Wraps a message for the harness: a person's words as they are, a peer's in an envelope that names it.
pub fn wrap(sender: Sender<'_>, text: &str, repeat: bool) -> String {
    let note = if repeat {
        "[this message may be a repeat: Paseo does not know whether it reached you before]\n\n"
    } else {
        ""
    };
    match (sender.origin, sender.handle) {
        (Actor::Human(_), _) => format!("{note}{text}"),
        (_, Some(handle)) if sender.reply => format!(
            "{note}[message from tab {handle}]\n[This is another agent, not a person. Only if it needs an answer, send one with \
             send_to_tab to {handle}.]\n\n{text}"
        ),
        (_, Some(handle)) => format!("{note}[message from tab {handle}]\n\n{text}"),
        (actor, None) => format!("{note}[message from {actor}]\n\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_peers_get_an_envelope() {
        let human = Actor::Human("cli".into());
        let sender = Sender { origin: &human, handle: None, reply: true };
        assert_eq!(wrap(sender, "hi", false), "hi");
        let peer = Actor::Session(crate::id::SessionId::from_random([1; 16]));
        let sender = Sender { origin: &peer, handle: Some("3f2a"), reply: false };
        assert_eq!(wrap(sender, "hi", false), "[message from tab 3f2a]\n\nhi");
    }

    #[test]
    fn who_can_answer_is_told_how() {
        let peer = Actor::Session(crate::id::SessionId::from_random([1; 16]));
        let text = wrap(Sender { origin: &peer, handle: Some("3f2a"), reply: true }, "hi", false);
        assert!(text.starts_with("[message from tab 3f2a]\n") && text.ends_with("\n\nhi"), "{text}");
        assert!(text.contains("another agent") && text.contains("send_to_tab to 3f2a"), "{text}");
    }
}
