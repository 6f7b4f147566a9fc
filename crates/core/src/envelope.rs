//! How a message looks to the agent that receives it.

use crate::actor::Actor;

/// Wraps a message for the harness: a person's words as they are, a peer's in an envelope that names it.
pub fn wrap(origin: &Actor, sender_handle: Option<&str>, text: &str, repeat: bool) -> String {
    let note = if repeat {
        "[this message may be a repeat: Paseo was interrupted while handing it over]\n\n"
    } else {
        ""
    };
    match (origin, sender_handle) {
        (Actor::Human(_), _) => format!("{note}{text}"),
        (_, Some(handle)) => format!("{note}[message from tab {handle}]\n\n{text}"),
        (actor, None) => format!("{note}[message from {actor}]\n\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_peers_get_an_envelope() {
        assert_eq!(wrap(&Actor::Human("cli".into()), None, "hi", false), "hi");
        let peer = Actor::Session(crate::id::SessionId::from_random([1; 16]));
        assert_eq!(wrap(&peer, Some("3f2a"), "hi", false), "[message from tab 3f2a]\n\nhi");
    }
}
