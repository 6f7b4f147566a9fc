//! How each event changes a thread.

use super::{Control, Due, Event, Former, Seat, Thread, Work};
use crate::actor::Actor;
use crate::limits::{THREAD_GUESTS, THREAD_HELD};
use crate::time::Timestamp;

impl Thread {
    /// Begins a thread; `None` for anything but its creation.
    pub fn create(event: &Event, at: Timestamp) -> Option<Self> {
        let Event::Created { thread, name, directory, by, cause, team, .. } = event else { return None };
        Some(Self {
            id: *thread,
            name: name.clone(),
            directory: directory.clone(),
            created_by: by.clone(),
            created_at: at,
            updated_at: at,
            paused: false,
            muted: Default::default(),
            discussion: Default::default(),
            invited_auto: false,
            invited: Default::default(),
            left: Default::default(),
            former: Vec::new(),
            guests: Default::default(),
            due: Vec::new(),
            held: Vec::new(),
            version: 1,
            messages: 0,
            looked: 0,
            last: None,
            standing: *cause,
            team: team.clone(),
        })
    }

    /// Takes an event in.
    pub fn apply(&mut self, event: &Event, at: Timestamp) {
        // Reading a thread does not move it up in lists.
        if !matches!(event, Event::Looked { .. }) {
            self.updated_at = self.updated_at.max(at);
        }
        self.version += 1;
        match event {
            Event::Created { .. } | Event::Deleted {} | Event::Ended {} => {}
            Event::Looked { messages } => self.looked_at(*messages),
            Event::Renamed { name, .. } => self.name.clone_from(name),
            Event::Moved { directory, .. } => self.directory = Some(directory.clone()),
            Event::Posted(posted) => {
                self.said(posted, at);
                if posted.from == super::USER {
                    self.standing = Some(posted.cause);
                }
                let at = self.version;
                let due = |seat: &String| Due { post: posted.post, at, seat: seat.clone() };
                self.due.extend(posted.wakes.iter().map(due));
                // A reply that was held back is posted: it is not held any more.
                if let Some(trigger) = posted.reply_to.filter(|_| posted.is_late()) {
                    let kept = self
                        .held
                        .iter()
                        .position(|held| held.reply_to == trigger && held.seat == posted.from);
                    if let Some(kept) = kept {
                        self.held.remove(kept);
                    }
                }
                let stranger = posted.from != super::USER && posted.from != super::COORDINATOR;
                if stranger && !self.invited.contains_key(&posted.from) && self.guests.len() < THREAD_GUESTS {
                    self.guests.insert(posted.from.clone());
                }
            }
            Event::Controlled { from, control, by, cause, .. } => {
                self.standing = cause.or(self.standing);
                self.control(from, by.as_ref(), control, at);
            }
            Event::Woken { post, seat, session, delivery } => {
                let due = self.due.iter().position(|due| due.post == *post && due.seat == *seat);
                let Some(Due { at, .. }) = due.map(|due| self.due.remove(due)) else { return };
                let Some(mut here) = self.invited.remove(seat) else { return };
                if here.session != Some(*session) {
                    // It has a new session; the former one finishes its own work.
                    let working_on = std::mem::take(&mut here.working_on);
                    self.retire(seat, Seat { working_on, ..here.clone() });
                }
                // What was said since then it is told the next time.
                (here.session, here.told) = (Some(*session), at);
                here.working_on.push(Work { post: *post, at, delivery: *delivery });
                self.invited.insert(seat.clone(), here);
            }
            Event::Settled { post, seat } => {
                self.due.retain(|due| due.post != *post || due.seat != *seat);
                let seats = [self.invited.get_mut(seat), self.left.get_mut(seat)];
                for seat in seats.into_iter().flatten() {
                    seat.working_on.retain(|work| work.post != *post);
                }
                for former in self.former.iter_mut().filter(|former| former.seat == *seat) {
                    former.working_on.retain(|work| work.post != *post);
                }
            }
            Event::Dismissed { seat, session, closed } => {
                self.former.retain(|former| former.session != *session);
                if let Some(left) = self.left.get_mut(seat).filter(|left| left.session == Some(*session)) {
                    (left.dismissed, left.closed) = (true, *closed);
                }
            }
            Event::Held(held) => {
                if self.held.len() < THREAD_HELD {
                    self.held.push(held.clone());
                }
            }
        }
    }

    /// Keeps the membership of a participant that may come back.
    fn leave(&mut self, id: &str, seat: Seat) {
        if seat.session.is_none() {
            return;
        }
        let unkept = match self.left.len() < THREAD_GUESTS || self.left.contains_key(id) {
            true => self.left.insert(id.to_owned(), seat),
            false => Some(seat),
        };
        if let Some(seat) = unkept {
            self.retire(id, seat);
        }
    }

    /// Keeps the session of a participant that will not come back, until it is closed.
    fn retire(&mut self, id: &str, seat: Seat) {
        let Seat { session, working_on, dismissed, .. } = seat;
        if let Some(session) = session.filter(|_| !dismissed) {
            self.former.push(Former { seat: id.to_owned(), session, working_on });
        }
    }

    fn control(&mut self, from: &str, by: Option<&Actor>, control: &Control, at: Timestamp) {
        let Control { invite, uninvite, mute, unmute, pause, discussion, invited_auto, .. } = control;
        if let Some(invite) = invite {
            let id = &invite.participant_id;
            let fresh = Seat {
                profile: invite.profile.clone(),
                invited_by: from.to_owned(),
                invited_at: at,
                inviter: by.cloned(),
                session: None,
                told: 0,
                working_on: Vec::new(),
                dismissed: false,
                closed: false,
            };
            let seat = match self.invited.remove(id) {
                Some(here) if here.profile.runs_like(&invite.profile) => {
                    Seat { profile: invite.profile.clone(), ..here }
                }
                here => {
                    // An agent cannot bring back a participant that may do more than it could pass on.
                    let may = |left: &Seat| by.is_none() || by == left.inviter.as_ref();
                    let seat = match self.left.remove(id) {
                        Some(left) if left.profile.runs_like(&invite.profile) && may(&left) => {
                            let Seat { session, told, inviter, working_on, .. } = left;
                            Seat { session, told, inviter, working_on, ..fresh }
                        }
                        Some(left) => {
                            self.retire(id, left);
                            fresh
                        }
                        None => fresh,
                    };
                    // It is another agent now; what the former one still works on is its own.
                    if let Some(former) = here {
                        self.leave(id, former);
                    }
                    seat
                }
            };
            self.invited.insert(id.clone(), seat);
            self.guests.remove(id);
        }
        if let Some(id) = uninvite
            && let Some(seat) = self.invited.remove(id)
        {
            self.leave(id, seat);
            // Who is not here any more is not told of what was said to them.
            self.due.retain(|due| due.seat != *id);
        }
        self.muted.extend(mute.iter().cloned());
        for id in unmute {
            self.muted.remove(id);
        }
        self.paused = pause.unwrap_or(self.paused);
        self.discussion = discussion.unwrap_or(self.discussion);
        self.invited_auto = invited_auto.unwrap_or(self.invited_auto);
    }
}
