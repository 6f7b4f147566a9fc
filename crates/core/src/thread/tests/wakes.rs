//! Whom a message wakes, whom not and why, and how far people have read.

use super::*;

impl Bed {
    /// Asks whom a message would wake, without posting it.
    fn dry_run(&self, from: &str, to: &str, words: &str) -> Result<Woken, Denied> {
        let to = address(&self.thread, to, |_| Vec::new());
        let cause = CauseId::from_parts(now(), [9; 10]);
        let post = post_id(200);
        let incoming =
            Incoming { post, from, to, words, text: text(), reply_to: None, tags: Vec::new(), cause, hop: 0 };
        super::super::post(&self.thread, incoming, &|id| self.elsewhere.contains(id)).map(|(_, woken)| woken)
    }

    fn asleep(&self, to: &str, words: &str) -> Vec<(String, Asleep)> {
        self.dry_run(USER, to, words).unwrap().asleep
    }
}

fn asleep(seats: &[(&str, Asleep)]) -> Vec<(String, Asleep)> {
    seats.iter().map(|(id, why)| ((*id).to_owned(), *why)).collect()
}

#[test]
fn everyone_who_is_not_woken_has_a_reason() {
    let mut bed = Bed::with_two();
    assert_eq!(bed.asleep("codex-1", "hi"), asleep(&[("claude-1", Asleep::NotAddressed)]));
    assert_eq!(
        bed.asleep("all", "hi"),
        asleep(&[("claude-1", Asleep::NotAddressed), ("codex-1", Asleep::NotAddressed)])
    );
    bed.control(json!({"mute": {"targets": ["codex-1"]}}));
    let named = "@codex-1 @claude-1 hi";
    assert_eq!(bed.asleep("all", named), asleep(&[("codex-1", Asleep::Muted)]));
    bed.elsewhere.insert("claude-1".into());
    assert_eq!(
        bed.asleep("all", named),
        asleep(&[("codex-1", Asleep::Muted), ("claude-1", Asleep::Outside)])
    );
    bed.control(json!({"pause": {}}));
    assert_eq!(
        bed.asleep("all", named),
        asleep(&[("claude-1", Asleep::Paused), ("codex-1", Asleep::Paused)])
    );
}

#[test]
fn an_author_is_not_woken_by_its_own_name() {
    let mut bed = Bed::with_two();
    bed.control(json!({"discussion": {"on": true}}));
    let woken = bed.dry_run("codex-1", "all", "@codex-1 and @claude-1").unwrap();
    assert_eq!(woken.seats, ["claude-1"]);
    assert_eq!(woken.asleep, asleep(&[("codex-1", Asleep::Author)]));
}

#[test]
fn a_dry_run_is_refused_like_the_message() {
    let mut bed = Bed::with_two();
    bed.control(json!({"mute": {"targets": ["codex-1"]}}));
    assert_eq!(bed.dry_run("codex-1", "all", "hi"), Err(Denied::Muted("codex-1".into())));
    assert_eq!(bed.dry_run(USER, "all", "  "), Err(Denied::Empty));
    assert_eq!(bed.dry_run(USER, "a b", "hi"), Err(Denied::Address));
}

#[test]
fn people_have_read_what_they_looked_at_and_what_stood_there_when_they_wrote() {
    let mut bed = Bed::with_two();
    assert_eq!(bed.thread.unread(), 0);
    bed.say("codex-1", "all", "one").unwrap();
    bed.say("claude-1", "all", "two").unwrap();
    assert_eq!(bed.thread.unread(), 2);
    assert_eq!(bed.thread.last.as_ref().unwrap().from, "claude-1");
    let moved = bed.thread.updated_at;
    bed.push(look(&bed.thread, Some(1)).unwrap().unwrap());
    assert_eq!((bed.thread.unread(), bed.thread.updated_at), (1, moved));
    assert_eq!(look(&bed.thread, Some(1)).unwrap(), None, "it is nothing new");
    assert_eq!(look(&bed.thread, Some(3)), Err(Unseen { given: 3, known: 2 }));
    bed.say(USER, "all", "three").unwrap();
    assert_eq!(bed.thread.unread(), 0);
    bed.assert_replays();
}

#[test]
fn a_participant_is_late_when_its_oldest_answer_is_overdue() {
    use std::time::Duration;

    let mut bed = Bed::with_two();
    bed.wakes("codex-1", "hi");
    let post = post_id(bed.number);
    let (session, delivery) = (SessionId::from_random([1; 16]), DeliveryId::from_parts(now(), [1; 10]));
    bed.push(Event::Woken { post, seat: "codex-1".into(), session, delivery });
    let after = |seconds: i64| Timestamp::from_millis(now().as_millis() + seconds * 1000);
    let late = |bed: &Bed, at| is_late(&bed.thread.invited["codex-1"], Duration::from_secs(600), at);
    assert!(!late(&bed, after(600)));
    assert!(late(&bed, after(601)));
    assert!(!is_late(&bed.thread.invited["codex-1"], Duration::MAX, after(1_000_000)));
    bed.push(Event::Settled { post, seat: "codex-1".into() });
    assert!(!late(&bed, after(601)));
}

proptest! {
    /// Whatever a thread is like and whatever is said: the dry run names those who are due after posting, and gives
    /// every other participant one reason.
    #[test]
    fn a_dry_run_names_exactly_those_who_are_woken(
        muted in prop::collection::btree_set(0_usize..4, 0..4),
        outside in prop::collection::btree_set(0_usize..4, 0..4),
        (paused, auto, discussion) in (any::<bool>(), any::<bool>(), any::<bool>()),
        from in prop::sample::select(vec![USER, "ada", "guest"]),
        to in prop::sample::select(vec!["all", "user", "ada", "@Ben", "nobody", "scripted"]),
        words in "(@ada |@Ben |@cora |@planner |@all |@nobody |word |a@b ){0,5}x",
    ) {
        let mut bed = Bed::new();
        let ids = ["ada", "ben-1", "cora", "dan"];
        for (id, extra) in ids.iter().zip([
            json!({"roles": ["planner"]}),
            json!({"nickname": "Ben"}),
            json!({"roles": ["planner"], "nickname": "Cc"}),
            json!({}),
        ]) {
            let mut profile = json!({"client": "scripted", "model": "default"});
            profile.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            bed.invite(id, profile);
        }
        let named = |set: &BTreeSet<usize>| set.iter().map(|at| ids[*at].to_owned()).collect::<Vec<_>>();
        if !muted.is_empty() {
            bed.control(json!({"mute": {"targets": named(&muted)}}));
        }
        bed.elsewhere.extend(named(&outside));
        bed.control(json!({"invited_auto": {"on": auto}, "discussion": {"on": discussion}}));
        bed.control(json!({"pause": {"on": paused}}));

        let before = bed.thread.clone();
        let told = bed.dry_run(from, to, &words);
        prop_assert_eq!(&bed.thread, &before);
        let said = bed.say(from, to, &words);
        let told = match (told, said) {
            (Err(told), Err(said)) => {
                prop_assert_eq!(told, said);
                return Ok(());
            }
            (Ok(told), Ok((wakes, remarks))) => {
                prop_assert_eq!(&told.seats, &wakes);
                prop_assert_eq!(&told.remarks, &remarks);
                told
            }
            (told, said) => panic!("{told:?} is not {said:?}"),
        };
        let due: Vec<String> = bed.thread.due.iter().map(|due| due.seat.clone()).collect();
        prop_assert_eq!(&told.seats, &due);
        let mut all: Vec<String> = told.seats;
        all.extend(told.asleep.into_iter().map(|(seat, _)| seat));
        all.sort();
        prop_assert_eq!(all, ids);
    }
}
