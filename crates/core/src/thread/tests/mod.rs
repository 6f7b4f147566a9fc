use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::content::ContentRef;
use crate::id::{CauseId, ContentId};

mod mentions;
mod names;
mod outside;
mod seats;
mod wakes;

fn now() -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000)
}

fn post_id(number: u8) -> PostId {
    PostId::from_parts(now(), [number; 10])
}

fn text() -> ContentRef {
    ContentRef { id: ContentId::from_parts(now(), [0; 10]), len: 2, sha256: String::new() }
}

/// A thread, and every event that made it.
struct Bed {
    thread: Thread,
    events: Vec<Event>,
    number: u8,
    /// Participants that other programs run.
    elsewhere: BTreeSet<String>,
}

impl Bed {
    fn new() -> Self {
        let thread = ThreadId::from_parts(now(), [1; 10]);
        let by = Actor::Human("cli".into());
        let created = Event::Created {
            thread,
            post: post_id(0),
            name: "plan".into(),
            directory: None,
            by,
            cause: None,
            team: None,
        };
        let (thread, events) = (Thread::create(&created, now()).unwrap(), vec![created]);
        Self { thread, events, number: 0, elsewhere: BTreeSet::new() }
    }

    /// With two agents: `codex-1`, called Ada, who plans, and `claude-1`.
    fn with_two() -> Self {
        let mut bed = Self::new();
        bed.invite(
            "codex-1",
            json!({"client": "codex", "model": "gpt-5", "roles": ["planner"], "nickname": "Ada"}),
        );
        bed.invite("claude-1", json!({"client": "claude", "model": "opus", "roles": ["reviewer"]}));
        bed
    }

    fn push(&mut self, event: Event) {
        self.thread.apply(&event, now());
        self.events.push(event);
    }

    fn next(&mut self) -> PostId {
        self.number += 1;
        post_id(self.number)
    }

    fn control(&mut self, content: Value) {
        let (post, control) = (self.next(), control(&self.thread, &content, &Others::new()).unwrap());
        self.push(Event::Controlled {
            post,
            from: USER.into(),
            control: Box::new(control),
            by: None,
            cause: None,
        });
    }

    fn invite(&mut self, id: &str, profile: Value) {
        self.control(json!({"invite": {"participant_id": id, "profile": profile}}));
    }

    fn say(&mut self, from: &str, to: &str, words: &str) -> Result<(Vec<String>, Vec<String>), Denied> {
        let post = self.next();
        let to = address(&self.thread, to, |_| Vec::new());
        let cause = CauseId::from_parts(now(), [9; 10]);
        let incoming =
            Incoming { post, from, to, words, text: text(), reply_to: None, tags: Vec::new(), cause, hop: 0 };
        let (posted, woken) = super::post(&self.thread, incoming, &|id| self.elsewhere.contains(id))?;
        let wakes = posted.wakes.clone();
        self.push(Event::Posted(Box::new(posted)));
        Ok((wakes, woken.remarks))
    }

    /// Says something as the human, and returns whom it wakes.
    fn wakes(&mut self, to: &str, words: &str) -> Vec<String> {
        self.say(USER, to, words).unwrap().0
    }

    fn held(&self, seat: &str, reply_to: PostId) -> Held {
        let cause = CauseId::from_parts(now(), [9; 10]);
        let why = Silence::Paused;
        Held { seat: seat.into(), reply_to, text: text(), why, cause, hop: 1, tags: Vec::new() }
    }

    fn assert_replays(&self) {
        let mut replayed = Thread::create(&self.events[0], now()).unwrap();
        for event in &self.events[1..] {
            let text = serde_json::to_string(event).unwrap();
            replayed.apply(&serde_json::from_str(&text).unwrap(), now());
        }
        assert_eq!(replayed, self.thread);
    }
}

#[test]
fn a_new_thread_has_nobody_and_an_invitation_counts_at_once() {
    let mut bed = Bed::new();
    assert!(bed.thread.invited.is_empty());
    bed.invite("codex-1", json!({"client": "codex", "model": "gpt-5"}));
    assert_eq!(bed.wakes("codex-1", "hi"), ["codex-1"]);
    // Again: field by field, and still the same guest.
    bed.invite("codex-1", json!({"nickname": "Ada"}));
    let seat = &bed.thread.invited["codex-1"];
    assert_eq!(
        (seat.profile.client.as_deref(), seat.profile.nickname.as_deref()),
        (Some("codex"), Some("Ada"))
    );
    bed.control(json!({"uninvite": {"participant_id": "codex-1"}}));
    assert!(bed.thread.due.is_empty(), "whoever left is not told any more");
    assert_eq!(bed.wakes("codex-1", "hi"), [""; 0]);
    assert_eq!(bed.thread.messages, 2, "what was said stays");
    bed.assert_replays();
}

#[test]
fn somebody_without_an_id_gets_one() {
    let mut bed = Bed::new();
    for expected in ["codex", "codex-2", "codex-3"] {
        bed.control(json!({"invite": {"profile": {"client": "codex", "model": "m"}}}));
        assert!(bed.thread.invited.contains_key(expected), "{:?}", bed.thread.invited.keys());
    }
    let odd = Profile { client: Some("../🦀".into()), model: Some("m".into()), ..Profile::default() };
    assert_eq!(free_id(&bed.thread, &odd, &Others::new()), "agent");
}

#[test]
fn controls_come_as_objects_or_as_text_and_their_defaults_are_on() {
    let mut bed = Bed::with_two();
    bed.control(json!({"pause": {}}));
    assert!(bed.thread.paused);
    bed.control(json!(r#"{"pause": {"on": false}, "discussion": {}}"#));
    assert!(!bed.thread.paused);
    assert_eq!(bed.thread.discussion, Discussion { on: true, allow_agent_mentions: true });
    bed.control(json!({"discussion": {"on": true, "allow_agent_mentions": false}}));
    assert_eq!(bed.thread.discussion, Discussion { on: true, allow_agent_mentions: false });
    bed.control(json!({"invited_auto": {}, "mute": {"targets": ["codex-1"]}}));
    assert!(bed.thread.invited_auto && bed.thread.muted.contains("codex-1"));
    bed.control(json!({"mute": {"targets": ["claude-1"]}}));
    bed.control(json!({"unmute": {"targets": ["codex-1"]}}));
    assert_eq!(bed.thread.muted.iter().collect::<Vec<_>>(), ["claude-1"]);
    let again =
        control(&bed.thread, &json!({"mute": {"targets": vec!["codex-1"; 5000]}}), &Others::new()).unwrap();
    assert_eq!(again.mute, ["codex-1"], "whoever is named again is named once");
    // What has no effect is kept for those who read it.
    let (before, noted) = (bed.thread.clone(), json!({"prod": ["codex-1"], "done": true, "ttl_seconds": 60}));
    assert_eq!(control(&bed.thread, &noted, &Others::new()).unwrap().without_switches().content(), noted);
    bed.control(noted);
    assert_eq!(Thread { version: before.version, ..bed.thread.clone() }, before);
    for event in &bed.events {
        if let Event::Controlled { control: done, .. } = event {
            assert_eq!(control(&bed.thread, &done.content(), &Others::new()).as_ref(), Ok(&**done));
        }
    }
    bed.assert_replays();
}

#[test]
fn malformed_controls_say_what_was_expected() {
    let bed = Bed::with_two();
    let many: Vec<String> = (0..5000).map(|number| format!("x{number}")).collect();
    for (content, expected) in [
        (json!({}), "at least one of invite"),
        (json!(null), "at least one of invite"),
        (json!([1]), "at least one of invite"),
        (json!("{"), "must be JSON"),
        (json!({"explode": {}}), "no control has the name `explode`"),
        (json!({"pause": true}), "`pause.on` must be"),
        (json!({"pause": {"on": "yes"}}), "`pause.on` must be true or false"),
        (json!({"mute": {"targets": []}}), "`mute.targets` must be a list"),
        (
            json!({"mute": {"targets": ["nobody"]}}),
            "`nobody` is not a participant; participants: claude-1, codex-1",
        ),
        (json!({"mute": {"targets": ["codex-1"], "mode": "soft"}}), "`mute.mode` must be `hard`"),
        (json!({"uninvite": {"participant_id": "nobody"}}), "is not a participant"),
        (json!({"uninvite": {}}), "uninvite.participant_id"),
        (json!({"discussion": {"allow_agent_mentions": 1}}), "allow_agent_mentions"),
        (json!({"prod": "codex-1"}), "`prod` must be a list"),
        (json!({"prod": ["nobody"]}), "`nobody` is not a participant"),
        (json!({"done": {}}), "`done` must be true or false"),
        (json!({"ttl_seconds": -1}), "`ttl_seconds` must be a whole number"),
        (json!({"mute": {"targets": many}}), "`mute.targets` must be a list of 1 to 64 participant ids"),
        (json!({"prod": many}), "`prod` must be a list"),
    ] {
        let told = control(&bed.thread, &content, &Others::new()).unwrap_err().to_string();
        assert!(told.contains(expected), "{content}: {told}");
    }
}

#[test]
fn only_a_person_switches() {
    let bed = Bed::with_two();
    let content =
        json!({"mute": {"targets": ["codex-1"]}, "pause": {}, "uninvite": {"participant_id": "claude-1"}});
    let all = control(&bed.thread, &content, &Others::new()).unwrap();
    assert_eq!(all.switches(), [Switch::Mute, Switch::Pause]);
    let rest = all.without_switches();
    assert_eq!((rest.switches(), rest.uninvite.as_deref()), (Vec::new(), Some("claude-1")));
}

#[test]
fn muted_and_paused_words_are_refused_except_those_of_the_human() {
    let mut bed = Bed::with_two();
    bed.control(json!({"mute": {"targets": ["codex-1"]}}));
    assert_eq!(bed.say("codex-1", "all", "hi").unwrap_err(), Denied::Muted("codex-1".into()));
    assert!(bed.say("claude-1", "all", "hi").is_ok());
    assert_eq!(bed.wakes("codex-1", "hi"), [""; 0], "nobody wakes who is muted");
    bed.control(json!({"pause": {}}));
    assert_eq!(bed.say("claude-1", "all", "hi").unwrap_err(), Denied::Paused);
    assert_eq!(bed.wakes("claude-1", "hi"), [""; 0], "it is kept, and wakes nobody");
    bed.control(json!({"pause": {"on": false}}));
    assert!(bed.thread.due.is_empty(), "nor later");
    assert_eq!(bed.say("stranger", "all", "hi").unwrap().0, [""; 0]);
    bed.control(json!({"mute": {"targets": ["stranger"]}}));
    assert_eq!(bed.say("stranger", "all", "hi").unwrap_err(), Denied::Muted("stranger".into()));
    assert_eq!(bed.say(USER, "all", " \n").unwrap_err(), Denied::Empty);
}

#[test]
fn to_is_an_id_a_nickname_or_a_handle_with_or_without_the_sign() {
    let mut bed = Bed::with_two();
    for to in ["codex-1", "@codex-1", "CODEX-1", "Ada", "@ada", " ada "] {
        assert_eq!(bed.wakes(to, "hi"), ["codex-1"], "{to}");
    }
    for to in ["", "all", "@everyone", "user", "@user"] {
        assert_eq!(bed.wakes(to, "hi"), [""; 0], "{to}");
    }
    let by_handle = |handle: &str| if handle == "3f2a" { vec!["claude-1".to_owned()] } else { Vec::new() };
    assert_eq!(address(&bed.thread, "@3f2a", by_handle), Address::Seat("claude-1".into()));
    let (wakes, remarks) = bed.say(USER, "nobody", "hi").unwrap();
    assert!(wakes.is_empty() && remarks[0].contains("`nobody` is not a participant"), "{remarks:?}");
    let both = |_: &str| vec!["claude-1".to_owned(), "codex-1".to_owned()];
    assert!(matches!(address(&bed.thread, "3f2a", both), Address::Ambiguous(_, seats) if seats.len() == 2));
}

#[test]
fn agents_wake_others_only_while_discussion_allows_it_and_nobody_wakes_itself() {
    let mut bed = Bed::with_two();
    assert_eq!(bed.say("codex-1", "all", "@claude-1 look").unwrap().0, [""; 0]);
    bed.control(json!({"discussion": {"on": true, "allow_agent_mentions": false}}));
    assert_eq!(bed.say("codex-1", "all", "@claude-1 look").unwrap().0, [""; 0]);
    bed.control(json!({"discussion": {}}));
    assert_eq!(bed.say("codex-1", "all", "@claude-1 and @ada").unwrap().0, ["claude-1"]);
    assert_eq!(bed.say("codex-1", "codex-1", "note").unwrap().0, [""; 0]);
    let (_, remarks) = bed.say("codex-1", "all", "@all").unwrap();
    assert!(remarks.is_empty(), "remarks are for the human");
}

#[test]
fn invited_auto_is_for_what_the_human_says_to_nobody() {
    let mut bed = Bed::with_two();
    assert_eq!(bed.wakes("all", "hello"), [""; 0]);
    bed.control(json!({"invited_auto": {}}));
    assert_eq!(bed.wakes("all", "hello"), ["claude-1", "codex-1"]);
    assert_eq!(bed.wakes("all", "hello @ada"), ["codex-1"]);
    assert_eq!(bed.wakes("all", "hello @nobody"), [""; 0]);
    assert_eq!(bed.say("codex-1", "all", "hello").unwrap().0, [""; 0]);
}

#[test]
fn a_reply_is_brought_by_the_coordinator() {
    let mut bed = Bed::with_two();
    bed.wakes("codex-1", "hi");
    let (trigger, post) = (bed.thread.due[0].post, bed.next());
    let held = bed.held("codex-1", trigger);
    let Event::Posted(posted) = reply(&bed.thread, "done", post, held, &|_| false) else {
        panic!("it was held")
    };
    assert_eq!(
        (posted.from.as_str(), posted.to.as_str(), posted.reply_to),
        ("codex-1", "all", Some(trigger))
    );
    assert_eq!(
        (posted.tags.as_slice(), posted.via.as_deref()),
        (&["coordinator".to_owned()][..], Some(COORDINATOR))
    );
}

#[test]
fn a_reply_of_one_who_was_silenced_meanwhile_is_kept_and_comes_later() {
    for (silence, voice) in [
        (json!({"mute": {"targets": ["codex-1"]}}), json!({"unmute": {"targets": ["codex-1"]}})),
        (json!({"pause": {}}), json!({"pause": {"on": false}})),
    ] {
        let mut bed = Bed::with_two();
        bed.control(json!({"discussion": {}}));
        bed.wakes("codex-1", "hi");
        let trigger = bed.thread.due[0].post;
        bed.control(silence);
        let (post, held) = (bed.next(), bed.held("codex-1", trigger));
        let event = reply(&bed.thread, "done @claude-1", post, held, &|_| false);
        assert!(matches!(event, Event::Held(_)), "{event:?}");
        bed.push(event);
        assert!(released(&bed.thread).is_empty());
        bed.control(voice);
        let [held] = released(&bed.thread).try_into().unwrap();
        let post = bed.next();
        let posted = late(post, held);
        assert_eq!((posted.tags.join(","), posted.wakes.len()), ("coordinator,held".to_owned(), 0));
        bed.push(Event::Posted(Box::new(posted)));
        assert!(bed.thread.held.is_empty() && released(&bed.thread).is_empty());
        bed.assert_replays();
    }
}

#[test]
fn what_is_decided_when_it_is_said_is_not_changed_by_what_comes_later() {
    let mut bed = Bed::with_two();
    bed.wakes("codex-1", "hi");
    bed.control(json!({"mute": {"targets": ["codex-1"]}}));
    bed.control(json!({"pause": {}}));
    assert_eq!(bed.thread.due.len(), 1);
}

#[test]
fn a_busy_participant_has_everything_to_answer_that_it_was_told() {
    let mut bed = Bed::with_two();
    let session = SessionId::from_random([3; 16]);
    bed.wakes("codex-1", "one");
    bed.wakes("codex-1", "two");
    let posts: Vec<PostId> = bed.thread.due.iter().map(|due| due.post).collect();
    for (post, number) in posts.iter().zip(4..) {
        let delivery = DeliveryId::from_parts(now(), [number; 10]);
        bed.push(Event::Woken { post: *post, seat: "codex-1".into(), session, delivery });
    }
    for left in [1, 0] {
        assert!(bed.thread.is_busy());
        bed.push(Event::Settled { post: posts[1 - left], seat: "codex-1".into() });
        assert_eq!(bed.thread.invited["codex-1"].working_on.len(), left);
    }
    assert!(!bed.thread.is_busy());
    bed.assert_replays();
}

#[test]
fn a_name_is_claimed_to_the_letter() {
    for (claimed, own) in [(None, "ada"), (Some("ada"), "ada"), (Some(USER), USER)] {
        assert_eq!(speaks_for(claimed, own), Ok(()));
    }
    for claimed in ["user", "Ada", "ada ", "", "ad\u{200b}a", "\u{430}da"] {
        let told = speaks_for(Some(claimed), "ada").unwrap_err().to_string();
        assert!(told.is_ascii() && told.contains("belongs to `ada`"), "{told}");
    }
    let told = speaks_for(Some("us\u{200b}er"), "ada").unwrap_err();
    assert_eq!(told.claimed, "us\\u{200b}er");
}

#[test]
fn who_is_not_heard_of_is_offline() {
    let said = Presence::says(None, "thinking", Some("tests".into()), now());
    let later = |seconds: i64| Timestamp::from_millis(now().as_millis() + seconds * 1000);
    assert_eq!(shown(None, now()).state, "offline");
    assert_eq!(
        (shown(Some(&said), later(TTL)).state.as_str(), shown(Some(&said), later(TTL)).stale),
        ("thinking", false)
    );
    let gone = shown(Some(&said), later(TTL + 1));
    assert_eq!((gone.state.as_str(), gone.stale), ("offline", true));
    let again = Presence::says(Some(&said), "listening", None, later(1));
    assert_eq!((again.state.as_str(), again.details.as_deref()), ("listening", Some("tests")));
}

proptest! {
    /// For all messages and authors: no participant wakes itself, none that is muted or not invited is woken,
    /// and a paused thread wakes none.
    #[test]
    fn wakes_keep_to_the_rules(
        words in "[ @a-zA-Z0-9.,!-]{0,60}|.*@(ada|planner|claude|all|opus|codex-1).*",
        to in "all|user|ada|codex-1|claude-1|[a-z]{0,6}",
        from in prop_oneof![Just(USER), Just("codex-1"), Just("claude-1"), Just("stranger")],
        switches in any::<[bool; 5]>(),
    ) {
        let mut bed = Bed::with_two();
        let [muted, paused, discussion, mentions, auto] = switches;
        if muted { bed.control(json!({"mute": {"targets": ["claude-1"]}})); }
        if auto { bed.control(json!({"invited_auto": {}})); }
        bed.control(json!({"discussion": {"on": discussion, "allow_agent_mentions": mentions}}));
        if paused { bed.control(json!({"pause": {}})); }
        let Ok((wakes, _)) = bed.say(from, &to, &words) else { return Ok(()) };
        prop_assert!(!wakes.iter().any(|seat| seat == from));
        prop_assert!(wakes.iter().all(|seat| bed.thread.invited.contains_key(seat)));
        prop_assert!(!muted || !wakes.iter().any(|seat| seat == "claude-1"));
        prop_assert!(!paused || wakes.is_empty());
        let addressed = matches!(address(&bed.thread, &to, |_| Vec::new()), Address::Seat(_));
        prop_assert!(from == USER || addressed || wakes.is_empty() || (discussion && mentions));
        bed.assert_replays();
    }

    /// No control, however odd, is anything but taken or refused in words.
    #[test]
    fn any_control_is_taken_or_refused(content in any_json()) {
        let bed = Bed::with_two();
        match control(&bed.thread, &content, &Others::new()) {
            Ok(control) => {
                let mut thread = bed.thread.clone();
                let event = Event::Controlled { post: post_id(7), from: USER.into(), control: Box::new(control), by: None, cause: None };
                thread.apply(&event, now());
            }
            Err(refused) => prop_assert!(!refused.to_string().is_empty()),
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let key = "invite|uninvite|mute|unmute|pause|discussion|invited_auto|targets|on|mode|participant_id|profile|client|model|[a-z]{1,4}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "codex-1|claude-1|hard|.{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
