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

/// What a notice of our own begins with.
const OURS: &str = "[message from daemon]\n\n";

/// Puts messages that were wrapped into one text, for a harness that takes only one: our own notices first and under one
/// heading, a line each; then the others, with a person's words under a heading of their own.
pub fn together<'a>(messages: impl IntoIterator<Item = (&'a Actor, &'a str)>) -> String {
    let (mut ours, mut others): (Vec<&str>, Vec<(&Actor, &str)>) = (Vec::new(), Vec::new());
    for (origin, text) in messages {
        match text.strip_prefix(OURS).filter(|_| *origin == Actor::Daemon) {
            Some(notice) => ours.push(notice),
            None => others.push((origin, text)),
        }
    }
    let mut parts = Vec::new();
    if !ours.is_empty() {
        parts.push(format!("{OURS}{}", ours.join("\n")));
    }
    let mut theirs = !ours.is_empty();
    for (origin, text) in others {
        let headed = origin.is_human() && theirs;
        parts.push(if headed { format!("[message from a person]\n\n{text}") } else { text.to_owned() });
        theirs = !origin.is_human();
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobodys_words_look_like_anothers() {
        let (daemon, human) = (Actor::Daemon, Actor::Human("cli".into()));
        let notice = |text| wrap(Sender { origin: &daemon, handle: None, reply: false }, text, false);
        let (one, two) = (notice("INBOX: a by ann"), notice("INBOX: b by ann"));
        assert_eq!(together([(&human, "do it"), (&human, "now")]), "do it\n\nnow");
        assert_eq!(
            together([(&daemon, one.as_str()), (&human, "do it"), (&daemon, &two), (&human, "now")]),
            "[message from daemon]\n\nINBOX: a by ann\nINBOX: b by ann\n\n[message from a person]\n\ndo it\n\nnow"
        );
        let peer = Actor::Session(crate::id::SessionId::from_random([1; 16]));
        assert_eq!(
            together([(&peer, "[message from tab 3f2a]\n\nhi"), (&human, "do it")]),
            "[message from tab 3f2a]\n\nhi\n\n[message from a person]\n\ndo it"
        );
    }

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
