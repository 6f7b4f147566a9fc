//! The rules of teams, one subject at a time.

mod departure;
mod edits;
mod leases;
mod members;
mod overlaps;
mod paths;
mod refusals;
mod talk;
mod tasks;

use super::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis)
}

fn thread_id(number: u8) -> ThreadId {
    ThreadId::from_parts(at(0), [number; 10])
}

pub(super) const ANN: By<'static> = By::Agent("ann");
pub(super) const BEN: By<'static> = By::Agent("ben");

/// A team, every event that made it, and the time.
pub(super) struct Bed {
    pub(super) team: Team,
    events: Vec<(Event, Timestamp)>,
    pub(super) now: i64,
}

impl Bed {
    pub(super) fn new() -> Self {
        let member = |role: &str, session| Member { role: role.into(), model: None, session };
        let agents = vec![
            Enrolled { id: "ann".into(), member: member("worker", None), by: None },
            Enrolled {
                id: "ben".into(),
                member: member("worker", Some(SessionId::from_random([1; 16]))),
                by: None,
            },
            Enrolled { id: "lea".into(), member: member(LEADER, None), by: None },
        ];
        let by = Actor::Human("cli".into());
        let created = found("red".parse().unwrap(), Some("/home/u/p".into()), agents, by).unwrap();
        Self { team: Team::create(&created, at(0)).unwrap(), events: vec![(created, at(0))], now: 0 }
    }

    pub(super) fn now(&self) -> Timestamp {
        at(self.now)
    }

    pub(super) fn take(&mut self, events: Result<Vec<Event>, Refused>) -> Result<(), Refused> {
        for event in events? {
            self.team.apply(&event, self.now());
            self.events.push((event, self.now()));
        }
        Ok(())
    }

    pub(super) fn task(&mut self, deps: &[&str], resources: &[&str]) -> Result<TaskId, Refused> {
        let list = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let wanted =
            Plan { title: "a task".into(), description: None, deps: list(deps), resources: list(resources) };
        let created = plan(&self.team, By::Person, wanted)?;
        let id = created.task;
        self.take(Ok(vec![Event::TaskCreated(Box::new(created))]))?;
        Ok(id)
    }

    pub(super) fn claim(&mut self, id: TaskId, by: By<'_>) -> Result<u64, Refused> {
        let events = claim(&self.team, id, by, None, self.now());
        self.take(events)?;
        Ok(self.team.tasks[&id].epoch)
    }

    fn complete(&mut self, id: TaskId, by: By<'_>, epoch: u64) -> Result<(), Refused> {
        let events = complete(&self.team, id, by, epoch, Outcome::default(), self.now());
        self.take(events)
    }

    fn status(&self, id: TaskId) -> Status {
        self.team.status(&self.team.tasks[&id])
    }

    fn expire(&mut self) -> usize {
        let events = due(&self.team, self.team.held.clone(), self.now());
        let count = events.len();
        self.take(Ok(events)).unwrap();
        count
    }

    pub(super) fn assert_replays(&self) {
        let mut replayed = Team::create(&self.events[0].0, self.events[0].1).unwrap();
        for (event, at) in &self.events[1..] {
            let text = serde_json::to_string(event).unwrap();
            replayed.apply(&serde_json::from_str(&text).unwrap(), *at);
        }
        assert_eq!(replayed, self.team);
        let text = serde_json::to_string(&self.team).unwrap();
        assert_eq!(serde_json::from_str::<Team>(&text).unwrap(), self.team);
    }
}
