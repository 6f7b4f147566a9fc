//! Threads: shared conversations. Who may say what is decided by `core`; who is woken is told by the coordinator.

mod alias;
mod attendance;
mod coordinator;
mod ending;
mod entrance;
mod paces;
mod places;
mod replies;
mod room;
mod seating;
pub(crate) mod view;

pub(crate) use entrance::seen_as;
pub(crate) use places::post_of;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::cause;
use paseo_core::content::ContentRef;
use paseo_core::fold::{self, ThreadHead};
use paseo_core::id::{CauseId, PostId, ThreadId};
use paseo_core::limits::PAGE_ROWS;
use paseo_core::team;
use paseo_core::thread::{
    self, Address, Asleep, Control, Denied, Event, Incoming, Posted, Thread, USER, Woken,
};
use paseo_core::time::Timestamp;
use paseo_store::{HeadRow, Record, Version, Which};
use paseo_wire::error::Code;
use serde_json::Value;

use attendance::Attendance;
use coordinator::Waking;
use paces::Paces;
use room::Change;

use crate::desk::{Desk, Done};
use crate::failure::Failure;
use crate::journal::{self, Journal};
use crate::mint;
use crate::sessions::{RequestKey, Sessions, to_the_end};

/// All threads. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Threads {
    sessions: Sessions,
    rooms: Desk<Thread>,
    pub(crate) attendance: Attendance,
    waking: Waking,
    paces: Paces,
    /// After this long people are told that an answer is not there yet. It is still waited for.
    patience: Duration,
}

/// What is kept of threads in memory.
pub(crate) struct Hall {
    rooms: Desk<Thread>,
    attendance: Attendance,
    waking: Waking,
    paces: Paces,
    patience: Duration,
}

impl Hall {
    pub(crate) fn new(journal: Journal, patience: Duration) -> Self {
        let (attendance, waking, paces) = (Attendance::default(), Waking::default(), Paces::default());
        Self { rooms: Desk::new(journal), attendance, waking, paces, patience }
    }
}

/// The tag of what the daemon posts and tells no agent about.
const STATUS: &str = "status";

/// Something to say in a thread.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    /// As it was typed: `all`, `user`, an id, a nickname, a handle.
    pub(crate) to: String,
    pub(crate) text: String,
    pub(crate) reply_to: Option<PostId>,
    pub(crate) tags: Vec<String>,
}

/// What posting something comes to.
pub(crate) struct Weighed {
    pub(crate) posted: Posted,
    /// Invited participants that it does not wake.
    pub(crate) asleep: Vec<(String, Asleep)>,
    /// What the coordinator has to say about it.
    pub(crate) remarks: Vec<String>,
}

/// Who acts in a thread, and as whom.
#[derive(Debug, Clone)]
pub(crate) struct Speaker {
    pub(crate) actor: Actor,
    /// `user`, or the id of a seat.
    pub(crate) id: String,
    /// What it is paid by; `None` for people, who begin something new.
    pub(crate) cause: Option<(CauseId, u32)>,
}

impl Threads {
    pub(crate) fn of(sessions: &Sessions) -> Self {
        let Hall { rooms, attendance, waking, paces, patience } = &sessions.context.hall;
        Self {
            sessions: sessions.clone(),
            rooms: rooms.clone(),
            attendance: attendance.clone(),
            waking: waking.clone(),
            paces: paces.clone(),
            patience: *patience,
        }
    }

    /// Makes a thread.
    pub(crate) async fn create(
        &self,
        speaker: &Speaker,
        name: &str,
        directory: Option<String>,
        key: Option<RequestKey>,
    ) -> Result<Thread, Failure> {
        let (id, post, cause) = (mint::thread(), mint::post(), mint::cause());
        let name = name_of(name)?;
        let human = speaker.actor.is_human();
        let mut change = Change::default();
        if human {
            begins(&mut change, &speaker.actor, id, cause, post);
        }
        let (by, cause) = (speaker.actor.clone(), human.then_some(cause));
        change.events.push(Event::Created { thread: id, post, name, directory, by, cause, team: None });
        let key = key.map(|key| (key, id.to_string()));
        match self.rooms.open(&speaker.actor, &id, change, key).await? {
            Done::New(thread, ()) => Ok(Arc::unwrap_or_clone(thread)),
            Done::Repeat(id) => self.get(id.parse().map_err(Failure::internal)?).await,
        }
    }

    /// Returns a thread as it stands.
    pub(crate) async fn get(&self, id: ThreadId) -> Result<Thread, Failure> {
        self.rooms.get(&id).await.map(Arc::unwrap_or_clone)
    }

    /// Returns how many events a thread has.
    pub(crate) async fn version(&self, id: ThreadId) -> Result<Version, Failure> {
        self.rooms.version(&id).await
    }

    /// Returns the version of the newest event that is not younger than a moment; 0 when all are.
    pub(crate) async fn version_at(&self, id: ThreadId, moment: Timestamp) -> Result<Version, Failure> {
        // Time never goes backwards within a stream, and its versions have no gaps.
        let (mut old, mut young) = (0, self.version(id).await? + 1);
        while young - old > 1 {
            let middle = old + (young - old) / 2;
            match self.events(id, middle - 1, 1).await?.first() {
                Some(record) if record.ts <= moment.as_millis() => old = middle,
                Some(_) | None => young = middle,
            }
        }
        Ok(old)
    }

    /// Lists threads, the oldest first, from a name of a stream on.
    pub(crate) async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<HeadRow>, Failure> {
        let log = &self.sessions.context.journal.log;
        Ok(log.heads("thread/", Which::All, after, limit.min(PAGE_ROWS)).await?)
    }

    /// Returns what happened in a thread after a version.
    pub(crate) async fn events(
        &self,
        id: ThreadId,
        after: Version,
        limit: usize,
    ) -> Result<Vec<Record>, Failure> {
        let log = &self.sessions.context.journal.log;
        Ok(log.read_stream(&thread::stream(id), after, limit.min(PAGE_ROWS)).await?)
    }

    /// Names a thread.
    pub(crate) async fn rename(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        name: &str,
    ) -> Result<Thread, Failure> {
        let name = name_of(name)?;
        let _team = self.in_open_team(id, &speaker.actor).await?;
        let done = self.rooms.change(
            &speaker.actor,
            &id,
            None,
            |thread, change| {
                if thread.name != name {
                    let (post, from) = (mint::post(), speaker.id.clone());
                    change.events.push(Event::Renamed { post, from, name: name.clone() });
                }
                Ok(())
            },
            |()| String::new(),
        );
        match done.await? {
            Done::New(thread, ()) => Ok(Arc::unwrap_or_clone(thread)),
            Done::Repeat(_) => self.get(id).await,
        }
    }

    /// Lets the agents of a thread work elsewhere from now on.
    pub(crate) async fn relocate(&self, speaker: &Speaker, id: ThreadId, place: &str) -> Result<(), Failure> {
        if !speaker.actor.is_human() {
            return Err(Failure::new(Code::Forbidden, "only people can set the working directory"));
        }
        let _team = self.in_open_team(id, &speaker.actor).await?;
        let decide = |thread: &Thread, change: &mut Change| {
            if thread.directory.as_deref() != Some(place) {
                let (post, from, directory) = (mint::post(), speaker.id.clone(), place.to_owned());
                change.events.push(Event::Moved { post, from, directory });
            }
            Ok(())
        };
        self.rooms.change(&speaker.actor, &id, None, decide, |()| String::new()).await.map(drop)
    }

    /// Returns the threads of a name.
    pub(crate) async fn named(&self, name: &str) -> Result<Vec<ThreadId>, Failure> {
        let (mut found, mut after): (Vec<ThreadId>, Option<String>) = (Vec::new(), None);
        loop {
            let heads = self.list(after.as_deref(), PAGE_ROWS).await?;
            let Some(last) = heads.last() else { return Ok(found) };
            after = Some(last.stream.to_string());
            for row in &heads {
                if let ThreadHead::Thread(thread) =
                    fold::read(&row.stream, &row.head.state).map_err(Failure::internal)?
                    && thread.name == name
                {
                    found.push(thread.id);
                }
            }
        }
    }

    /// Says something in a thread, and wakes whom it wakes. Returns the id of what was said.
    pub(crate) async fn post(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        words: &Words,
        key: Option<RequestKey>,
    ) -> Result<PostId, Failure> {
        self.tagged(speaker, id, words, key, &[]).await
    }

    /// Posts that somebody could not do something, for them.
    pub(crate) async fn post_failure(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        words: &Words,
        key: Option<RequestKey>,
    ) -> Result<PostId, Failure> {
        self.tagged(speaker, id, words, key, &["error"]).await
    }

    /// Posts how things stand with somebody, for them. No agent is told: whoever looks finds it.
    pub(crate) async fn post_status(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        words: &Words,
    ) -> Result<PostId, Failure> {
        self.tagged(speaker, id, words, None, &[STATUS]).await
    }

    /// Posts something with tags of the daemon's own. Those that a client gives have no effect.
    async fn tagged(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        words: &Words,
        key: Option<RequestKey>,
        tags: &'static [&'static str],
    ) -> Result<PostId, Failure> {
        let (this, speaker, words) = (self.clone(), speaker.clone(), words.clone());
        to_the_end(async move { this.say(&speaker, id, &words, key, tags).await }).await
    }

    async fn say(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        words: &Words,
        key: Option<RequestKey>,
        tags: &[&str],
    ) -> Result<PostId, Failure> {
        // Held until it is said: whoever closes the team comes before that or after it.
        let _team = self.in_open_team(id, &speaker.actor).await?;
        let new = mint::cause();
        let done = self.rooms.change(
            &speaker.actor,
            &id,
            key,
            |thread, change| {
                self.may_speak(thread, speaker)?;
                let posted = self.draft(thread, change, speaker, words, tags, new)?;
                self.paces.admit(speaker, id).map(|()| posted)
            },
            |posted: &Posted| posted.post.to_string(),
        );
        match done.await? {
            Done::Repeat(post) => post.parse().map_err(Failure::internal),
            Done::New(thread, posted) => {
                self.wake_due(id);
                let told = !tags.contains(&STATUS);
                if let (Some(team), Ok(teams)) =
                    (&thread.team.as_ref().filter(|_| told), self.sessions.context.teams())
                {
                    let Posted { post, text, from, .. } = posted;
                    teams.heard(team, team::Event::ThreadPosted { thread: id, post, text, from });
                    return Ok(post);
                }
                Ok(posted.post)
            }
        }
    }

    /// Says why words wake less than they are for.
    pub(crate) fn unwoken(&self, thread: &Thread, speaker: &Speaker, words: &Words) -> Vec<String> {
        let to = thread::address(thread, &words.to, |handle| self.seats_by_handle(thread, handle));
        thread::unwoken(thread, &speaker.id, &to, &words.text, &|seat| self.is_elsewhere(thread, seat))
    }

    /// Says what posting something would come to. Nothing happens.
    pub(crate) async fn weigh(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        words: &Words,
    ) -> Result<Weighed, Failure> {
        let _team = self.in_open_team(id, &speaker.actor).await?;
        let thread = self.get(id).await?;
        self.may_speak(&thread, speaker)?;
        self.weighed(
            &thread,
            speaker,
            words,
            journal::reference(&words.text),
            mint::post(),
            (mint::cause(), 0),
        )
    }

    /// Decides what posting something comes to: for the post itself, and for its dry run.
    fn weighed(
        &self,
        thread: &Thread,
        speaker: &Speaker,
        words: &Words,
        text: ContentRef,
        post: PostId,
        (cause, hop): (CauseId, u32),
    ) -> Result<Weighed, Failure> {
        let to = thread::address(thread, &words.to, |handle| self.seats_by_handle(thread, handle));
        let incoming = Incoming {
            post,
            from: &speaker.id,
            to,
            words: &words.text,
            text,
            reply_to: words.reply_to,
            tags: words.tags.clone(),
            cause,
            hop,
        };
        let posted = thread::post(thread, incoming, &|seat| self.is_elsewhere(thread, seat));
        let (mut posted, Woken { seats, mut asleep, mut remarks, .. }) =
            posted.map_err(|denied| refused(&denied))?;
        self.point_to_worker(thread, &posted.to, &mut remarks);
        remarks.extend(self.hold_back(thread, &speaker.actor, &mut posted));
        let held_back = seats.into_iter().filter(|seat| !posted.wakes.contains(seat));
        asleep.extend(held_back.map(|seat| (seat, Asleep::NotPermitted)));
        Ok(Weighed { posted, asleep, remarks })
    }

    fn draft(
        &self,
        thread: &Thread,
        change: &mut Change,
        speaker: &Speaker,
        words: &Words,
        tags: &[&str],
        new: CauseId,
    ) -> Result<Posted, Failure> {
        let (cause, hop) = match (speaker.cause, thread.standing) {
            (Some(cause), _) => cause,
            (None, Some(standing)) if !speaker.actor.is_human() => (standing, 1),
            (None, _) => (new, 0),
        };
        let post = mint::post();
        if speaker.actor.is_human() {
            begins(change, &speaker.actor, thread.id, cause, post);
        }
        let text = change.text(&words.text);
        let Weighed { posted, remarks, .. } =
            self.weighed(thread, speaker, words, text, post, (cause, hop))?;
        let posted = posted.tagged(tags);
        change.events.push(Event::Posted(Box::new(posted.clone())));
        for remark in remarks {
            let told = Posted::remark(mint::post(), change.text(&remark), Some(post), (cause, hop + 1));
            let told = Posted { to: Address::User.word().to_owned(), ..told };
            change.events.push(Event::Posted(Box::new(told)));
        }
        Ok(posted)
    }

    /// Notes that people have looked at the first messages; without a number, at all of them. Says whether that is new.
    pub(crate) async fn looked(&self, by: &Actor, id: ThreadId, upto: Option<u64>) -> Result<bool, Failure> {
        let decide = |thread: &Thread, change: &mut Change| {
            let looked = thread::look(thread, upto)
                .map_err(|unseen| Failure::new(Code::InvalidRequest, unseen.to_string()))?;
            change.events.extend(looked);
            Ok(!change.events.is_empty())
        };
        match self.rooms.change(by, &id, None, decide, |_| String::new()).await? {
            Done::New(_, is_new) => Ok(is_new),
            Done::Repeat(_) => Ok(false),
        }
    }

    /// Changes who is here, or who may do what. Of one who is no person, only invitations count.
    pub(crate) async fn control(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        content: &Value,
    ) -> Result<(Thread, PostId), Failure> {
        let (this, speaker, content) = (self.clone(), speaker.clone(), content.clone());
        to_the_end(async move { this.steer(&speaker, id, &content).await }).await
    }

    async fn steer(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        content: &Value,
    ) -> Result<(Thread, PostId), Failure> {
        let human = speaker.actor.is_human();
        let (post, new) = (mint::post(), mint::cause());
        let (before, others) = (self.get(id).await?, self.others(id));
        self.may_speak(&before, speaker)?;
        self.admit(speaker, &before, content).await?;
        // Who is just being woken comes and goes when that is noted: else nobody would wait for the answer.
        let (mut moving, mut alone) = (BTreeSet::new(), Vec::new());
        if let Ok(Control { invite, uninvite, .. }) = thread::control(&before, content, &others) {
            moving.extend(invite.map(|invite| invite.participant_id).into_iter().chain(uninvite));
        }
        for seat in &moving {
            alone.push(self.waking.alone(id, seat).await);
        }
        let team = self.in_open_team(id, &speaker.actor).await?;
        let done = self.rooms.change(
            &speaker.actor,
            &id,
            None,
            |thread, change| {
                let mut control =
                    thread::control(thread, content, &others).map_err(|malformed| unfit(&malformed))?;
                if !human {
                    // Whoever may not speak changes nothing either.
                    self.may_speak(thread, speaker)?;
                    let switches = control.switches();
                    control = control.without_switches();
                    let moves = control.invite.is_some() || control.uninvite.is_some();
                    if !moves && !switches.is_empty() {
                        let words: Vec<&str> = switches.iter().map(|switch| switch.deed()).collect();
                        return Err(Failure::new(
                            Code::Forbidden,
                            format!("only people can {}", words.join(" or ")),
                        ));
                    }
                }
                if human {
                    begins(change, &speaker.actor, id, new, post);
                }
                let (from, by) = (speaker.id.clone(), (!human).then(|| speaker.actor.clone()));
                let came = control.invite.as_ref().map(|invite| invite.participant_id.clone());
                // What a person closed stays closed, unless a person opens it.
                let left = came.as_ref().and_then(|id| thread.left.get(id));
                let closed = left.filter(|left| left.closed).and_then(|left| left.session);
                self.paces.admit(speaker, id)?;
                let (control, cause) = (Box::new(control), human.then_some(new));
                change.events.push(Event::Controlled { post, from, control, by, cause });
                Ok((came, closed))
            },
            |_| String::new(),
        );
        let done = done.await?;
        drop(team);
        let (thread, (came, closed)) = match done {
            Done::New(thread, moved) => (Arc::unwrap_or_clone(thread), moved),
            Done::Repeat(_) => (self.get(id).await?, (None, None)),
        };
        if let Some(seat) = &came {
            let back =
                thread.invited.get(seat).is_some_and(|seat| closed.is_some() && seat.session == closed);
            if human || back {
                self.welcome(speaker, &thread, seat).await;
            }
        }
        drop(alone);
        self.dismiss(&thread).await;
        let tokens = self.token_holders(id);
        self.attendance.keep(id, |who| {
            let here = who == USER || thread.invited.contains_key(who);
            here || thread.guests.contains(who) || tokens.contains(who)
        });
        self.release(id).await?;
        Ok((thread, post))
    }

    /// Refuses an agent who would have somebody do what it may not pass on.
    async fn admit(&self, speaker: &Speaker, thread: &Thread, content: &Value) -> Result<(), Failure> {
        let Ok(Control { invite: Some(invite), .. }) =
            thread::control(thread, content, &self.others(thread.id))
        else {
            return Ok(());
        };
        if speaker.actor.session().is_none() || thread.directory.is_none() {
            return Ok(());
        }
        let paid = speaker.cause.unwrap_or_else(|| (mint::cause(), 0));
        let (id, profile) = (&invite.participant_id, &invite.profile);
        self.plan(thread, id, profile, speaker.actor.clone(), paid).await.map(drop)
    }

    fn seats_by_handle(&self, thread: &Thread, handle: &str) -> Vec<String> {
        let directory = &self.sessions.context.directory;
        let behind = |session| directory.handle(session).starts_with(&handle.to_lowercase());
        let seats = thread.invited.iter().filter(|(_, seat)| seat.session.is_some_and(behind));
        seats.map(|(id, _)| id.clone()).filter(|_| handle.len() >= 4).collect()
    }
}

/// Opens what descends from something that a person does.
fn begins(change: &mut Change, by: &Actor, thread: ThreadId, cause: CauseId, post: PostId) {
    change.begin(cause::stream(cause), &[cause::Event::Begun { by: by.clone(), thread, post }]);
}

fn refused(denied: &Denied) -> Failure {
    let code = match denied {
        Denied::Muted(_) => Code::ParticipantMuted,
        Denied::Paused => Code::ThreadPaused,
        Denied::Empty | Denied::Address => Code::InvalidRequest,
        Denied::TooLong | Denied::Tags => Code::TooLarge,
    };
    Failure::new(code, denied.to_string())
}

fn unfit(malformed: &thread::Malformed) -> Failure {
    let words = malformed.to_string();
    match malformed {
        thread::Malformed::Stranger(..) => {
            Failure::new(Code::NotFound, words).hint("list the participants with `paseo thread show`")
        }
        _ => Failure::new(Code::InvalidRequest, words),
    }
}

fn name_of(name: &str) -> Result<String, Failure> {
    thread::title(name).map_err(|odd| Failure::new(Code::InvalidRequest, odd.to_string()))
}

/// What several share.
type Shared<T> = Arc<parking_lot::Mutex<T>>;

#[cfg(test)]
mod tests;
