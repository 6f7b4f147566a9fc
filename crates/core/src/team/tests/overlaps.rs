//! Which tasks cannot be in progress at the same time.

use proptest::prelude::*;

use super::*;

fn overlaps(bed: &Bed, id: TaskId) -> Vec<(String, String, String)> {
    let all = Needs::of(&bed.team).overlaps(id).into_iter();
    all.map(|one| (one.task.to_string(), one.own.to_string(), one.theirs.to_string())).collect()
}

fn others(bed: &Bed, id: TaskId) -> Vec<String> {
    overlaps(bed, id).into_iter().map(|(task, ..)| task).collect()
}

#[test]
fn resources_above_below_and_the_same_overlap() {
    let mut bed = Bed::new();
    let io = bed.task(&[], &["src/io"]).unwrap();
    for resource in ["src", "src/io/a", "src/io", "src/io-b", "docs", "src/i"] {
        bed.task(&[], &[resource]).unwrap();
    }
    assert_eq!(
        overlaps(&bed, io),
        [("task-0002", "src"), ("task-0003", "src/io/a"), ("task-0004", "src/io")].map(|(task, theirs)| (
            task.to_owned(),
            "src/io".to_owned(),
            theirs.to_owned()
        ))
    );
    let all = bed.task(&[], &["."]).unwrap();
    assert_eq!(others(&bed, all).len(), 7);
    assert!(others(&bed, io).contains(&all.to_string()));
    let nothing = bed.task(&[], &[]).unwrap();
    assert!(others(&bed, nothing).is_empty());
}

#[test]
fn tasks_of_which_one_waits_for_the_other_do_not() {
    let mut bed = Bed::new();
    let first = bed.task(&[], &["src"]).unwrap();
    let between = bed.task(&["task-0001"], &["docs"]).unwrap();
    let last = bed.task(&["task-0002"], &["src"]).unwrap();
    let beside = bed.task(&[], &["src"]).unwrap();
    assert_eq!(others(&bed, first), [beside.to_string()], "the last one waits for it");
    assert_eq!(others(&bed, last), [beside.to_string()]);
    assert!(others(&bed, between).is_empty());
    assert_eq!(others(&bed, beside), [first.to_string(), last.to_string()]);
}

#[test]
fn what_is_over_or_in_one_hand_is_left_out() {
    let mut bed = Bed::new();
    let (first, second) = (bed.task(&[], &["src"]).unwrap(), bed.task(&[], &["src"]).unwrap());
    let epoch = bed.claim(first, ANN).unwrap();
    assert_eq!(others(&bed, second), [first.to_string()]);
    bed.claim(second, ANN).unwrap();
    assert!(others(&bed, first).is_empty() && others(&bed, second).is_empty(), "one member has both");
    bed.complete(first, ANN, epoch).unwrap();
    let third = bed.task(&[], &["src"]).unwrap();
    assert_eq!(others(&bed, third), [second.to_string()]);
    assert!(others(&bed, first).is_empty(), "it is over");
}

#[test]
fn so_many_are_listed_and_no_more() {
    let mut bed = Bed::new();
    let ids: Vec<TaskId> =
        (0..crate::limits::TASK_OVERLAPS + 5).map(|_| bed.task(&[], &["."]).unwrap()).collect();
    assert_eq!(others(&bed, ids[0]).len(), crate::limits::TASK_OVERLAPS);
}

proptest! {
    /// Without dependencies in the way, two tasks overlap exactly if one cannot be claimed while another member
    /// holds the other.
    #[test]
    fn the_rule_is_that_of_claims(one in "[a-c](/[a-c]){0,2}|\\.", other in "[a-c](-[a-c])?(/[a-c]){0,2}|\\.") {
        let mut bed = Bed::new();
        let (first, second) = (bed.task(&[], &[&one]).unwrap(), bed.task(&[], &[&other]).unwrap());
        let warned = others(&bed, first) == [second.to_string()];
        prop_assert_eq!(warned, others(&bed, second) == [first.to_string()]);
        bed.claim(first, ANN).unwrap();
        prop_assert_eq!(warned, matches!(bed.claim(second, BEN), Err(Refused::Overlap { .. })));
    }
}
