//! What happens to words for a thread: who may say them, and whom they wake.

use super::mention::Address;
use super::seat::{COORDINATOR, is_name};
use super::wake::{Elsewhere, Woken, wakes};
use super::{Event, Held, Posted, Silence, Thread};
use crate::content::ContentRef;
use crate::id::{CauseId, PostId};
use crate::limits::{MESSAGE_BYTES, TAGS_BYTES, THREAD_HELD};

/// Tag of what the coordinator brought.
const COORDINATED: &str = "coordinator";
/// Tag of what was held back for a while.
const LATE: &str = "held";

/// Words for a thread.
#[derive(Debug, Clone)]
pub struct Incoming<'a> {
    pub post: PostId,
    /// Who says it: [`USER`], or a participant.
    pub from: &'a str,
    pub to: Address,
    /// The words themselves, to look for mentions in.
    pub words: &'a str,
    pub text: ContentRef,
    pub reply_to: Option<PostId>,
    pub tags: Vec<String>,
    pub cause: CauseId,
    pub hop: u32,
}

/// Why words are refused. Nothing happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    #[error("{0} is muted in this thread; wait until a person unmutes you")]
    Muted(String),
    #[error("this thread is paused; wait until a person resumes it")]
    Paused,
    #[error("the message is empty")]
    Empty,
    #[error("the message is too long; the limit is {} KB", MESSAGE_BYTES / 1024)]
    TooLong,
    #[error("the tags of the message are too long; the limit is {} KB", TAGS_BYTES / 1024)]
    Tags,
    #[error("`to` is not a valid name: give a participant's id or nickname, `user` or `all`")]
    Address,
}

impl Silence {
    /// Returns it as the reason for a refusal.
    pub fn denied(self, who: &str) -> Denied {
        match self {
            Self::Muted => Denied::Muted(who.to_owned()),
            Self::Paused => Denied::Paused,
        }
    }
}

/// Decides what happens to words: what is posted, whom that wakes, and what the coordinator has to say about it to the
/// human. Nothing happens here, so a dry run is the same call.
///
/// Tags are data: any are taken, and none of them says who speaks. That is `from`, and for what the coordinator brought
/// `via`, which no client sets.
pub fn post(
    thread: &Thread,
    incoming: Incoming<'_>,
    elsewhere: Elsewhere<'_>,
) -> Result<(Posted, Woken), Denied> {
    if incoming.words.trim().is_empty() {
        return Err(Denied::Empty);
    }
    if incoming.words.len() > MESSAGE_BYTES {
        return Err(Denied::TooLong);
    }
    if serde_json::to_string(&incoming.tags).map_or(true, |tags| tags.len() > TAGS_BYTES) {
        return Err(Denied::Tags);
    }
    if matches!(&incoming.to, Address::Unknown(name) if !is_name(name)) {
        return Err(Denied::Address);
    }
    if let Some(why) = thread.silenced(incoming.from) {
        return Err(why.denied(incoming.from));
    }
    let woken = wakes(thread, incoming.from, &incoming.to, incoming.words, elsewhere);
    let posted = Posted {
        post: incoming.post,
        from: incoming.from.to_owned(),
        to: incoming.to.word().to_owned(),
        text: incoming.text,
        reply_to: incoming.reply_to,
        tags: incoming.tags,
        via: None,
        wakes: woken.seats.clone(),
        cause: incoming.cause,
        hop: incoming.hop,
    };
    Ok((posted, woken))
}

impl Posted {
    /// Makes what the coordinator has to say, to all.
    pub fn remark(post: PostId, text: ContentRef, reply_to: Option<PostId>, paid: (CauseId, u32)) -> Self {
        let (cause, hop) = paid;
        Self {
            post,
            from: COORDINATOR.to_owned(),
            to: Address::All.word().to_owned(),
            text,
            reply_to,
            tags: vec![COORDINATED.to_owned()],
            via: None,
            wakes: Vec::new(),
            cause,
            hop,
        }
    }

    /// Says whether it was held back for a while.
    pub(super) fn is_late(&self) -> bool {
        self.via.as_deref() == Some(COORDINATOR) && self.tags.iter().any(|tag| tag == LATE)
    }

    /// Returns it with more tags.
    pub fn tagged(mut self, tags: &[&str]) -> Self {
        self.tags.extend(tags.iter().map(|tag| (*tag).to_owned()));
        self
    }
}

/// Decides what happens to what a woken participant answered: it is posted for it, or kept while it may not speak.
pub fn reply(thread: &Thread, words: &str, post: PostId, held: Held, elsewhere: Elsewhere<'_>) -> Event {
    match thread.silenced(&held.seat) {
        Some(why) => Event::Held(Held { why, ..held }),
        None => {
            let wakes = wakes(thread, &held.seat, &Address::All, words, elsewhere).seats;
            Event::Posted(Box::new(Posted { wakes, ..brought(post, held, &[]) }))
        }
    }
}

/// Returns the kept replies whose authors may speak again.
pub fn released(thread: &Thread) -> Vec<Held> {
    thread.held.iter().filter(|held| thread.silenced(&held.seat).is_none()).cloned().collect()
}

/// Makes the message of a participant that the coordinator brings. It wakes no participant.
fn brought(post: PostId, held: Held, late: &[&str]) -> Posted {
    let tags = [COORDINATED].iter().chain(late).map(|tag| (*tag).to_owned());
    Posted {
        post,
        from: held.seat,
        to: Address::All.word().to_owned(),
        text: held.text,
        reply_to: Some(held.reply_to),
        tags: tags.chain(held.tags).collect(),
        via: Some(COORDINATOR.to_owned()),
        wakes: Vec::new(),
        cause: held.cause,
        hop: held.hop,
    }
}

/// Makes the message of a held reply. It wakes no participant, as it may be out of date.
pub fn late(post: PostId, held: Held) -> Posted {
    brought(post, held, &[LATE])
}

/// Says whether more replies can be kept.
pub fn can_hold(thread: &Thread) -> bool {
    thread.held.len() < THREAD_HELD
}

/// Tells the author why a message wakes fewer participants than it addresses.
pub fn unwoken(
    thread: &Thread,
    from: &str,
    to: &Address,
    words: &str,
    elsewhere: Elsewhere<'_>,
) -> Vec<String> {
    let Woken { remarks, unheard, .. } = wakes(thread, from, to, words, elsewhere);
    remarks.into_iter().chain(unheard).collect()
}
