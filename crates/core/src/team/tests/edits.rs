//! Editing tasks.

use super::*;
use crate::id::ContentId;

fn text(sha: &str) -> ContentRef {
    ContentRef { id: ContentId::from_parts(at(0), [7; 10]), len: 2, sha256: sha.to_owned() }
}

fn list(words: &[&str]) -> Option<Vec<String>> {
    Some(words.iter().map(|word| (*word).to_owned()).collect())
}

impl Bed {
    fn edit(&mut self, id: TaskId, by: By<'_>, wanted: Edit) -> Result<(), Refused> {
        let events = edit(&self.team, id, by, wanted);
        self.take(events)
    }
}

#[test]
fn what_an_edit_does_not_name_stays() {
    let mut bed = Bed::new();
    let (first, second) = (bed.task(&[], &[]).unwrap(), bed.task(&["task-0001"], &["src"]).unwrap());
    bed.edit(second, By::Person, Edit { title: Some(" new\n title ".into()), ..Edit::default() }).unwrap();
    let described = Edit { description: Some(Some(text("a"))), ..Edit::default() };
    bed.edit(second, By::Person, described).unwrap();
    let task = &bed.team.tasks[&second];
    assert_eq!((task.title.as_str(), &task.deps[..]), ("new title", &[first][..]));
    assert_eq!(task.resources[0].as_str(), "src");
    assert_eq!(task.description.as_ref().unwrap().sha256, "a");
    bed.edit(second, By::Person, Edit { description: Some(None), ..Edit::default() }).unwrap();
    assert_eq!(bed.team.tasks[&second].description, None);
    bed.edit(
        second,
        By::Person,
        Edit { deps: list(&[]), resources: list(&["a/", "./a"]), ..Edit::default() },
    )
    .unwrap();
    assert_eq!(bed.status(second), Status::Pending, "it waits for nothing any more");
    assert_eq!(bed.team.tasks[&second].resources.len(), 1);
    bed.assert_replays();
}

#[test]
fn an_edit_that_changes_nothing_is_no_event() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &["src"]).unwrap();
    let described = Edit { description: Some(Some(text("a"))), ..Edit::default() };
    bed.edit(id, By::Person, described.clone()).unwrap();
    let before = bed.team.version;
    bed.edit(id, By::Person, described).unwrap();
    bed.edit(
        id,
        By::Person,
        Edit { title: Some("a task".into()), resources: list(&["src"]), ..Edit::default() },
    )
    .unwrap();
    assert_eq!(bed.team.version, before);
}

#[test]
fn unknown_own_and_circular_dependencies_are_refused() {
    let mut bed = Bed::new();
    let first = bed.task(&[], &[]).unwrap();
    bed.task(&["task-0001"], &[]).unwrap();
    bed.task(&["task-0002"], &[]).unwrap();
    let mut deps = |deps: &[&str]| {
        let refused = bed.edit(first, By::Person, Edit { deps: list(deps), ..Edit::default() });
        refused.unwrap_err().to_string()
    };
    assert_eq!(deps(&["task-0009"]), "dependency task-0009 not found in this team");
    assert_eq!(deps(&["task-0001"]), "task-0001 cannot depend on itself");
    assert_eq!(deps(&["task-0002"]), "task-0001 cannot depend on task-0002, which depends on task-0001");
    assert_eq!(deps(&["task-0003"]), "task-0001 cannot depend on task-0003, which depends on task-0001");
    let fourth = bed.task(&[], &[]).unwrap();
    bed.edit(first, By::Person, Edit { deps: list(&["task-0004"]), ..Edit::default() }).unwrap();
    assert_eq!(bed.team.tasks[&first].deps, [fourth], "a later task is a dependency like any other");
}

#[test]
fn what_is_held_keeps_its_dependencies_and_resources() {
    let mut bed = Bed::new();
    let (first, other) = (bed.task(&[], &["src"]).unwrap(), bed.task(&[], &[]).unwrap());
    bed.claim(first, ANN).unwrap();
    let resources = Edit { resources: list(&["docs"]), ..Edit::default() };
    let refused = bed.edit(first, By::Person, resources.clone()).unwrap_err();
    assert!(matches!(&refused, Refused::HeldWhileEdited { holds, .. } if holds == "ann owns"), "{refused}");
    let deps = Edit { deps: list(&[&other.to_string()]), ..Edit::default() };
    assert!(matches!(bed.edit(first, By::Person, deps), Err(Refused::HeldWhileEdited { .. })));
    let same = Edit { title: Some("clearer".into()), resources: list(&["src"]), ..Edit::default() };
    bed.edit(first, By::Person, same).unwrap();
    assert_eq!(bed.team.tasks[&first].title, "clearer");
    assert!(bed.team.tasks[&first].lease.is_some(), "its holder keeps it");
    let events = reassign(&bed.team, first, By::Person, None, None, bed.now(), |_| true);
    bed.take(events).unwrap();
    bed.edit(first, By::Person, resources).unwrap();
}

#[test]
fn what_is_completed_stays_and_what_failed_can_be_put_right() {
    let mut bed = Bed::new();
    let (first, second) = (bed.task(&[], &[]).unwrap(), bed.task(&[], &[]).unwrap());
    let epoch = bed.claim(first, ANN).unwrap();
    bed.complete(first, ANN, epoch).unwrap();
    let title = || Edit { title: Some("other".into()), ..Edit::default() };
    assert!(matches!(bed.edit(first, By::Person, title()), Err(Refused::Over { .. })));
    let epoch = bed.claim(second, ANN).unwrap();
    let failed = fail(&bed.team, second, ANN, epoch, Outcome::default(), bed.now());
    bed.take(failed).unwrap();
    bed.edit(second, By::Person, title()).unwrap();
    assert_eq!(bed.status(second), Status::Failed, "editing is not retrying");
}

#[test]
fn only_those_edit_who_may_decide_about_it() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    let title = |words: &str| Edit { title: Some(words.into()), ..Edit::default() };
    assert!(matches!(bed.edit(id, ANN, title("mine")), Err(Refused::NotYours { .. })));
    bed.edit(id, By::Agent("lea"), title("the leader's")).unwrap();
    let plan = plan(&bed.team, ANN, Plan { title: "ann's".into(), ..Plan::default() }).unwrap();
    let own = plan.task;
    bed.take(Ok(vec![Event::TaskCreated(Box::new(plan))])).unwrap();
    bed.edit(own, ANN, title("ann's own")).unwrap();
    let closed = close(&bed.team, By::Person);
    bed.take(closed).unwrap();
    assert!(matches!(bed.edit(own, By::Person, title("late")), Err(Refused::Closed { .. })));
}
