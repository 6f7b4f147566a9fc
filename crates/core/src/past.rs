//! The past of a stream: its state at a point, by the same fold that gives the present.

use crate::fold::{self, Error, Memory, Stored};
use crate::time::Timestamp;

/// A point in the past of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// After the last event that is not younger. Never within a batch, as all events of one have the same time.
    Moment(Timestamp),
    /// After the event with this version.
    Version(u64),
}

/// The past that a stream has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The version of its newest event.
    pub version: u64,
}

/// Why a point is not in the past of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// The stream begins later.
    Early,
    /// The moment has not come yet.
    Future,
    /// The stream has no event with this version.
    Version,
}

impl Extent {
    /// Checks that a point is in this past.
    pub fn check(self, point: Point, now: Timestamp) -> Result<(), Outside> {
        match point {
            Point::Moment(at) if at < self.created_at => Err(Outside::Early),
            // The clock of the log may be ahead of the one that gave `now`.
            Point::Moment(at) if at > now.max(self.updated_at) => Err(Outside::Future),
            Point::Version(version) if version == 0 || version > self.version => Err(Outside::Version),
            Point::Moment(_) | Point::Version(_) => Ok(()),
        }
    }
}

/// Folds a stream from its first event to a point. Takes the events in pages of any size.
#[derive(Debug)]
pub struct Replay {
    stream: String,
    point: Point,
    version: u64,
    state: Option<Vec<u8>>,
    memory: Option<Memory>,
}

impl Replay {
    pub fn new(stream: String, point: Point) -> Self {
        Self { stream, point, version: 0, state: None, memory: None }
    }

    /// Returns the version that it has come to.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes in the next events. Returns whether those after them belong to the past, too.
    pub fn take(&mut self, events: &[Stored<'_>]) -> Result<bool, Error> {
        let count = match self.point {
            Point::Moment(moment) => events.iter().take_while(|event| event.ts <= moment).count(),
            Point::Version(version) => {
                let left = usize::try_from(version.saturating_sub(self.version)).unwrap_or(usize::MAX);
                left.min(events.len())
            }
        };
        if let Some(events @ [_, ..]) = events.get(..count) {
            let folded = fold::fold_on(&self.stream, self.state.as_deref(), &mut self.memory, events)?;
            self.state = folded.state;
            self.version += count as u64;
        }
        let reached = matches!(self.point, Point::Version(version) if version <= self.version);
        Ok(count == events.len() && !reached)
    }

    /// Returns the state of the stream at the point, for [`fold::read`]; `None` if it had no events then.
    pub fn into_state(self) -> Result<Option<Vec<u8>>, Error> {
        match (self.state, self.memory) {
            (None, Some(memory)) => fold::encode(&self.stream, &memory).map(Some),
            (state, _) => Ok(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actor::Actor;
    use crate::codec::{self, Encoded};
    use crate::fold::{TeamHead, ThreadHead};
    use crate::id::{CauseId, ContentId, PostId, SessionId, ThreadId};
    use crate::team::{self, By, Outcome, Plan, TaskId, Team};
    use crate::thread::{self, Others, Posted, Thread, USER};

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    /// A stream as the log has it, with the state that was recorded after each event.
    struct Recorded<T> {
        stream: String,
        events: Vec<(Encoded, Timestamp)>,
        states: Vec<T>,
    }

    impl<T: Clone + PartialEq + std::fmt::Debug> Recorded<T> {
        fn record<E: serde::Serialize>(&mut self, event: &E, now: i64, state: &T) {
            self.events.push((codec::encode(event), at(now)));
            self.states.push(state.clone());
        }

        /// Folds to a point, in pages of one size.
        fn fold(&self, point: Point, page: usize, read: impl Fn(&str, &[u8]) -> T) -> (Option<T>, u64) {
            let stored: Vec<Stored<'_>> = self
                .events
                .iter()
                .map(|(event, ts)| Stored { kind: &event.kind, v: event.v, ts: *ts, data: Some(&event.data) })
                .collect();
            let mut replay = Replay::new(self.stream.clone(), point);
            for events in stored.chunks(page) {
                if !replay.take(events).unwrap() {
                    break;
                }
            }
            let version = replay.version();
            (replay.into_state().unwrap().map(|state| read(&self.stream, &state)), version)
        }

        /// Every point in its past gives what was recorded then.
        fn assert_remembers(&self, page: usize, read: impl Fn(&str, &[u8]) -> T) {
            for version in 1..=self.states.len() {
                let (state, reached) = self.fold(Point::Version(version as u64), page, &read);
                assert_eq!((state.as_ref(), reached), (self.states.get(version - 1), version as u64));
            }
            let moments = self.events.iter().flat_map(|(_, ts)| [ts.as_millis() - 1, ts.as_millis()]);
            for moment in moments {
                let seen = self.events.iter().filter(|(_, ts)| *ts <= at(moment)).count();
                let (state, reached) = self.fold(Point::Moment(at(moment)), page, &read);
                let recorded = seen.checked_sub(1).and_then(|last| self.states.get(last));
                assert_eq!((state.as_ref(), reached), (recorded, seen as u64), "at {moment}");
            }
        }
    }

    fn read_team(stream: &str, state: &[u8]) -> Team {
        match fold::read(stream, state).unwrap() {
            TeamHead::Team(team) => *team,
            TeamHead::Never => panic!("a team"),
        }
    }

    fn read_thread(stream: &str, state: &[u8]) -> Thread {
        match fold::read(stream, state).unwrap() {
            ThreadHead::Thread(thread) => *thread,
            ThreadHead::Deleted => panic!("a thread"),
        }
    }

    /// Plays what agents of a team try, however it ends. The numbers choose: what, which task, who, and after how long.
    fn team_of(tries: &[(u8, u32, usize, i64)]) -> Recorded<Team> {
        let id: team::TeamId = "red".parse().unwrap();
        let created = team::found(id.clone(), None, Vec::new(), Actor::Human("cli".into())).unwrap();
        let mut now = 1_000;
        let mut team = Team::create(&created, at(now)).unwrap();
        let mut recorded = Recorded { stream: team::stream(&id), events: Vec::new(), states: Vec::new() };
        recorded.record(&created, now, &team);
        let agents = [By::Agent("ann"), By::Agent("ben"), By::Person];
        for (what, number, who, wait) in tries {
            now += wait;
            let (id, by, time) = (TaskId(*number), agents[*who], at(now));
            let epoch = team.tasks.get(&id).map_or(0, |task| task.epoch);
            let events = match what {
                0 => {
                    let plan = Plan {
                        title: format!("task {number}"),
                        description: None,
                        deps: Vec::new(),
                        resources: Vec::new(),
                    };
                    team::plan(&team, by, plan).map(|made| vec![team::Event::TaskCreated(Box::new(made))])
                }
                1 | 2 => team::claim(&team, id, by, None, time),
                3 => team::renew(&team, id, by, epoch, None, time),
                4 => team::complete(&team, id, by, epoch, Outcome::default(), time),
                5 => team::fail(&team, id, by, epoch, Outcome::default(), time),
                6 => team::release(&team, id, by, epoch, time),
                7 => team::retry(&team, id, By::Person),
                _ => Ok(team::due(&team, team.held.clone(), time)),
            };
            for event in events.unwrap_or_default() {
                team.apply(&event, time);
                recorded.record(&event, now, &team);
            }
        }
        recorded
    }

    /// Plays what happens in a thread. The numbers choose: what, who, and after how long.
    fn thread_of(tries: &[(u8, u8, i64)]) -> Recorded<Thread> {
        let id = ThreadId::from_parts(at(1), [1; 10]);
        let by = Actor::Human("cli".into());
        let post = |number: usize| PostId::from_parts(at(1), [number as u8; 10]);
        let cause = CauseId::from_parts(at(1), [9; 10]);
        let created = thread::Event::Created {
            thread: id,
            post: post(0),
            name: "plan".into(),
            directory: None,
            by,
            cause: None,
            team: None,
        };
        let mut now = 1_000;
        let mut thread = Thread::create(&created, at(now)).unwrap();
        let mut recorded = Recorded { stream: thread::stream(id), events: Vec::new(), states: Vec::new() };
        recorded.record(&created, now, &thread);
        for (number, (what, who, wait)) in tries.iter().enumerate() {
            now += wait;
            let (post, seat) = (post(number + 1), format!("codex-{who}"));
            let control = |content: serde_json::Value| {
                let control = thread::control(&thread, &content, &Others::new()).ok()?;
                let (from, control) = (USER.to_owned(), Box::new(control));
                Some(thread::Event::Controlled { post, from, control, by: None, cause: Some(cause) })
            };
            let profile = serde_json::json!({ "client": "codex", "model": "gpt-5" });
            let text = crate::content::ContentRef {
                id: ContentId::from_parts(at(1), [0; 10]),
                len: 2,
                sha256: String::new(),
            };
            let event = match what {
                0 => control(serde_json::json!({ "invite": { "participant_id": seat, "profile": profile } })),
                1 => control(serde_json::json!({ "uninvite": { "participant_id": seat } })),
                2 => control(serde_json::json!({ "mute": { "targets": [seat] } })),
                3 => control(serde_json::json!({ "pause": { "on": who % 2 == 0 } })),
                4 => Some(thread::Event::Renamed { post, from: USER.into(), name: format!("plan {who}") }),
                5 => thread.due.first().map(|due| thread::Event::Woken {
                    post: due.post,
                    seat: due.seat.clone(),
                    session: SessionId::from_random([*who; 16]),
                    delivery: crate::id::DeliveryId::from_parts(at(1), [*who; 10]),
                }),
                _ => Some(thread::Event::Posted(Box::new(Posted {
                    post,
                    from: USER.into(),
                    to: "all".into(),
                    text,
                    reply_to: None,
                    tags: Vec::new(),
                    via: None,
                    wakes: thread.invited.keys().cloned().collect(),
                    cause,
                    hop: 0,
                }))),
            };
            if let Some(event) = event {
                thread.apply(&event, at(now));
                recorded.record(&event, now, &thread);
            }
        }
        recorded
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn a_team_was_as_it_was_recorded(
            tries in prop::collection::vec((0u8..9, 1u32..5, 0usize..3, 0i64..200_000), 0..60),
            page in 1usize..20,
        ) {
            team_of(&tries).assert_remembers(page, read_team);
        }

        #[test]
        fn a_thread_was_as_it_was_recorded(
            tries in prop::collection::vec((0u8..9, 0u8..4, 0i64..3), 0..60),
            page in 1usize..20,
        ) {
            thread_of(&tries).assert_remembers(page, read_thread);
        }
    }

    #[test]
    fn histories_have_something_to_remember() {
        let team = team_of(&[(0, 1, 2, 5), (1, 1, 0, 5), (4, 1, 0, 5)]);
        assert_eq!(team.events.len(), 4);
        let thread = thread_of(&[(0, 1, 5), (8, 1, 5), (5, 1, 5), (3, 0, 5)]);
        assert_eq!(thread.events.len(), 5);
        assert!(thread.states[3].invited["codex-1"].is_working() && thread.states[4].paused);
    }

    #[test]
    fn what_was_erased_is_not_there_in_the_past_either() {
        let thread = thread_of(&[(4, 1, 5), (8, 1, 5)]);
        let mut stored: Vec<Stored<'_>> = thread
            .events
            .iter()
            .map(|(event, ts)| Stored { kind: &event.kind, v: event.v, ts: *ts, data: None })
            .collect();
        stored.push(Stored { kind: "thread.deleted", v: 1, ts: at(2_000), data: None });
        let mut replay = Replay::new(thread.stream.clone(), Point::Version(2));
        assert!(!replay.take(&stored).unwrap());
        let state = replay.into_state().unwrap().unwrap();
        assert_eq!(fold::read::<ThreadHead>(&thread.stream, &state).unwrap(), ThreadHead::Deleted);
    }

    #[test]
    fn points_outside_of_the_past_are_told_apart() {
        let extent = Extent { created_at: at(10), updated_at: at(20), version: 3 };
        let check = |point| extent.check(point, at(30));
        assert_eq!(check(Point::Moment(at(9))), Err(Outside::Early));
        assert_eq!(check(Point::Moment(at(10))), Ok(()));
        assert_eq!(check(Point::Moment(at(30))), Ok(()));
        assert_eq!(check(Point::Moment(at(31))), Err(Outside::Future));
        assert_eq!(extent.check(Point::Moment(at(20)), at(15)), Ok(()), "the log is ahead");
        assert_eq!(check(Point::Version(0)), Err(Outside::Version));
        assert_eq!((check(Point::Version(1)), check(Point::Version(3))), (Ok(()), Ok(())));
        assert_eq!(check(Point::Version(4)), Err(Outside::Version));
    }
}
