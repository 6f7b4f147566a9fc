//! Participants that other programs run, and what those post.

use super::*;

impl Bed {
    fn tagged(&mut self, from: &str, reply_to: Option<PostId>, tags: Vec<String>) -> Result<Posted, Denied> {
        let (post, cause) = (self.next(), CauseId::from_parts(now(), [9; 10]));
        let incoming = Incoming {
            post,
            from,
            to: Address::All,
            words: "x",
            text: text(),
            reply_to,
            tags,
            cause,
            hop: 0,
        };
        super::super::post(&self.thread, incoming, &|_| false).map(|(posted, _)| posted)
    }
}

#[test]
fn any_tags_are_taken_as_they_are() {
    let mut bed = Bed::with_two();
    let tags =
        ["coordinator", "error", "held", "timeout", "status", "a b", "", "größe", "\u{200b}", "\u{1b}[31m"];
    for tag in tags {
        let posted = bed.tagged("codex-1", None, vec![tag.to_owned()]).unwrap();
        assert_eq!((posted.tags, posted.via), (vec![tag.to_owned()], None), "{tag:?}");
    }
    let many: Vec<String> = (0..500).map(|number| format!("tag-{number}")).collect();
    assert_eq!(bed.tagged("codex-1", None, many.clone()).unwrap().tags, many);
}

#[test]
fn tags_fit_into_the_event() {
    let mut bed = Bed::new();
    // As JSON the quotation marks and the brackets count, and an escaped character counts six times.
    assert!(bed.tagged("eve", None, vec!["x".repeat(8 * 1024 - 4)]).is_ok());
    assert_eq!(bed.tagged("eve", None, vec!["x".repeat(8 * 1024 - 3)]), Err(Denied::Tags));
    assert_eq!(bed.tagged("eve", None, vec!["\u{1}".repeat(2 * 1024)]), Err(Denied::Tags));
}

#[test]
fn tags_of_the_coordinator_release_no_reply_that_is_held() {
    let mut bed = Bed::with_two();
    bed.wakes("codex-1", "hi");
    let trigger = bed.thread.due[0].post;
    bed.control(json!({"pause": {}}));
    let (post, held) = (bed.next(), bed.held("codex-1", trigger));
    let event = reply(&bed.thread, "done", post, held, &|_| false);
    bed.push(event);
    bed.control(json!({"pause": {"on": false}}));
    let tags = vec!["coordinator".to_owned(), "held".to_owned()];
    let posted = bed.tagged("codex-1", Some(trigger), tags).unwrap();
    bed.push(Event::Posted(Box::new(posted)));
    assert_eq!(bed.thread.held.len(), 1, "only what the coordinator brought counts");
}

#[test]
fn nobody_elsewhere_is_woken_and_nothing_is_said_about_it() {
    let mut bed = Bed::with_two();
    bed.elsewhere.insert("codex-1".into());
    for (to, words) in [
        ("codex-1", "hi"),
        ("@Ada", "hi"),
        ("all", "@codex-1 hi"),
        ("all", "@planner hi"),
        ("all", "@gpt-5 hi"),
    ] {
        assert_eq!(bed.say(USER, to, words), Ok((Vec::new(), Vec::new())), "{to} {words}");
        let address = address(&bed.thread, to, |_| Vec::new());
        let told = unwoken(&bed.thread, USER, &address, words, &|id| id == "codex-1");
        assert!(
            matches!(told.as_slice(), [one] if one.contains("codex-1 is run by another program")),
            "{told:?}"
        );
    }
    // The others are.
    assert_eq!(bed.wakes("all", "@codex-1 @claude-1 hi"), ["claude-1"]);
    bed.control(json!({"invited_auto": {}}));
    assert_eq!(bed.wakes("all", "hi"), ["claude-1"]);
    assert!(bed.thread.due.iter().all(|due| due.seat == "claude-1"));
    // Nor by what an agent answers.
    bed.control(json!({"discussion": {}}));
    let (post, held) = (bed.next(), bed.held("claude-1", bed.thread.due[0].post));
    let Event::Posted(posted) = reply(&bed.thread, "@codex-1 done", post, held, &|id| id == "codex-1") else {
        panic!("it was held")
    };
    assert!(posted.wakes.is_empty());
    bed.assert_replays();
}
