//! Whom words wake, and why the others stay asleep. Posting and its dry run ask the same function.

use super::Thread;
use super::mention::{self, Address, Reading};
use super::seat::{COORDINATOR, USER};

/// Says whether a participant is run by another program, which reads the thread and answers by itself.
pub type Elsewhere<'a> = &'a dyn Fn(&str) -> bool;

/// Whom words wake.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Woken {
    pub seats: Vec<String>,
    /// Every other invited participant, and why it is not woken.
    pub asleep: Vec<(String, Asleep)>,
    /// What the coordinator has to say about it in the thread.
    pub remarks: Vec<String>,
    /// Known from the thread's state, and reported only on request: who cannot be woken now.
    pub unheard: Vec<String>,
}

/// Why an invited participant is not woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asleep {
    /// The message is not for it.
    NotAddressed,
    Muted,
    /// A paused thread wakes no participant.
    Paused,
    /// Another program runs it, and reads the thread itself.
    Outside,
    /// It wrote the message.
    Author,
    /// It has permissions that the author cannot pass on.
    NotPermitted,
}

/// Returns whom words wake, and what there is to say about that.
pub(super) fn wakes(
    thread: &Thread,
    from: &str,
    to: &Address,
    words: &str,
    elsewhere: Elsewhere<'_>,
) -> Woken {
    let human = from == USER;
    let mut remarks = Vec::new();
    if from == COORDINATOR {
        return Woken::default();
    }
    // A person's message in a paused thread is kept, and wakes no participant, then or later.
    if thread.paused {
        let unheard = "The thread is paused: the message wakes no participants, now or later. Resume the \
                       thread (`paseo thread resume`) and send it again.";
        let asleep = thread.invited.keys().map(|seat| (seat.clone(), Asleep::Paused)).collect();
        return Woken { asleep, unheard: vec![unheard.to_owned()], ..Woken::default() };
    }
    let mut seats: Vec<String> = match to {
        Address::User => Vec::new(),
        Address::Seat(id) => vec![id.clone()],
        Address::Unknown(name) => {
            let why = if mention::described(thread, name).is_empty() {
                format!("No participants woken: `{name}` is not a participant.")
            } else {
                format!(
                    "No participants woken: `{name}` is a role, client or model, not a participant. Write \
                     `@{name}` in a message to all instead."
                )
            };
            remarks.push(format!("{why} {}", invited(thread)));
            Vec::new()
        }
        Address::Ambiguous(name, seats) => {
            remarks.push(which(name, seats));
            Vec::new()
        }
        Address::All => {
            let mentions = human || (thread.discussion.on && thread.discussion.allow_agent_mentions);
            let reading = if mentions { mention::read(thread, words) } else { Reading::default() };
            remarks.extend(reading.everybody.first().map(|word| everybody(thread, word)));
            if reading.seats.is_empty() && reading.ambiguous.is_empty() {
                let unknown = reading.unknown.first();
                remarks
                    .extend(unknown.map(|name| format!("@{name} is not a participant. {}", invited(thread))));
            }
            remarks.extend(reading.ambiguous.iter().map(|(name, seats)| which(name, seats)));
            match reading.any {
                true => reading.seats.into_iter().collect(),
                false if human && thread.invited_auto => thread.invited.keys().cloned().collect(),
                false => Vec::new(),
            }
        }
    };
    let mut asleep: Vec<(String, Asleep)> = Vec::new();
    let author = seats.extract_if(.., |seat| seat == from);
    asleep.extend(author.map(|seat| (seat, Asleep::Author)));
    let muted = seats.extract_if(.., |seat| thread.muted.contains(seat));
    asleep.extend(muted.map(|seat| (seat, Asleep::Muted)));
    let outside = seats.extract_if(.., |seat| elsewhere(seat));
    asleep.extend(outside.map(|seat| (seat, Asleep::Outside)));
    let unheard = asleep.iter().filter_map(|(seat, why)| unheard(seat, *why)).collect();
    let addressed = |seat: &String| seats.contains(seat) || asleep.iter().any(|(other, _)| other == seat);
    let others: Vec<_> = thread.invited.keys().filter(|seat| !addressed(seat)).cloned().collect();
    asleep.extend(others.into_iter().map(|seat| (seat, Asleep::NotAddressed)));
    // Agents learn it from the outcome; remarks are for people.
    if !human {
        remarks.clear();
    }
    Woken { seats, asleep, remarks, unheard }
}

/// Says why a participant does not hear what is for it.
fn unheard(seat: &str, why: Asleep) -> Option<String> {
    match why {
        Asleep::Muted => {
            Some(format!("{seat} is muted and was not woken. Unmute it with `paseo thread unmute`."))
        }
        Asleep::Outside => Some(format!(
            "{seat} is run by another program, which reads the thread itself; Paseo does not wake it."
        )),
        Asleep::NotAddressed | Asleep::Paused | Asleep::Author | Asleep::NotPermitted => None,
    }
}

/// Says what to do instead of calling everybody.
fn everybody(thread: &Thread, word: &str) -> String {
    let instead = match thread.invited_auto {
        true => "leave out the mention to wake all participants",
        false => {
            "mention participants one by one, or wake all of them with unaddressed messages (`paseo thread \
             auto`)"
        }
    };
    format!("@{word} wakes no participants: {instead}. {}", invited(thread))
}

fn which(name: &str, seats: &[String]) -> String {
    let ids: Vec<String> = seats.iter().map(|seat| format!("@{seat}")).collect();
    format!("`{name}` matches several participants. Write {}.", ids.join(" or "))
}

fn invited(thread: &Thread) -> String {
    let seats: Vec<&str> = thread.invited.keys().map(String::as_str).collect();
    if seats.is_empty() {
        "The thread has no participants yet.".to_owned()
    } else {
        format!("Participants: {}.", seats.join(", "))
    }
}
