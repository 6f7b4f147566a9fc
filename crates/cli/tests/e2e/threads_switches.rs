//! Threads: what a command says that changes nothing, or wakes nobody.

use paseo_testkit::home::{Output, TestHome};

use crate::screens::assert_said;

struct Plan(TestHome);

impl Plan {
    /// A home with a thread called `plan`, in which `ada` and `eve` sit.
    fn new() -> Self {
        let plan = Self(TestHome::new(env!("CARGO_BIN_EXE_paseo")));
        plan.run(&["new", "plan"]).ok();
        for id in ["ada", "eve"] {
            plan.run(&["invite", "plan", "scripted", "--id", id]).ok();
        }
        plan
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let all: Vec<&str> = ["thread"].iter().chain(arguments).copied().collect();
        self.0.paseo(&all)
    }

    fn events(&self) -> usize {
        self.run(&["tail", "plan", "--json"]).ok().lines().count()
    }
}

#[test]
fn what_is_so_already_is_said_and_is_no_event() {
    let plan = Plan::new();
    let mut told = String::new();
    for command in [
        &["mute", "plan", "ada"][..],
        &["unmute", "plan", "ada"],
        &["pause", "plan"],
        &["resume", "plan"],
        &["auto", "plan"],
        &["auto", "plan", "off"],
        &["discuss", "plan", "on"],
        &["discuss", "plan", "--off"],
    ] {
        let before = plan.events();
        for _ in 0..2 {
            told += &format!("{}\n", plan.run(command).ok());
        }
        assert_eq!(plan.events(), before + 1, "{command:?}");
    }
    assert_said!(plan.0, &told);
    // One of two is something to do.
    plan.run(&["mute", "plan", "ada"]).ok();
    assert_said!(plan.0, plan.run(&["mute", "plan", "ada", "eve"]).ok(), @"Muted ada, eve in plan");
    assert_said!(plan.0, plan.run(&["mute", "plan", "ada", "eve"]).ok(), @"ada, eve are already muted in plan");
    // What was switched is called what the commands call it.
    let told = plan.run(&["tail", "plan"]).ok().to_owned();
    for words in ["switches auto on", "switches auto off", "switches discuss on", "switches discuss off"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let both = plan.run(&["auto", "plan", "on", "--off"]);
    assert_eq!(both.code, 2, "{both:?}");
}

#[test]
fn a_message_that_wakes_nobody_says_why() {
    let plan = Plan::new();
    let post = |arguments: &[&str]| {
        let all: Vec<&str> = ["post", "plan"].iter().chain(arguments).copied().collect();
        let posted = plan.run(&all);
        posted.ok();
        posted.stderr
    };
    assert_eq!(post(&["just so"]), "");
    assert_said!(plan.0, &post(&["--to", "bob", "hi"]), @"No participants woken: `bob` is not a participant. Participants: ada, eve.");
    assert_said!(plan.0, &post(&["@bob hi"]), @"@bob is not a participant. Participants: ada, eve.");
    assert_said!(plan.0, &post(&["@all hi"]), @"@all wakes no participants: mention participants one by one, or wake all of them with unaddressed messages (`paseo thread auto`). Participants: ada, eve.");
    plan.run(&["mute", "plan", "ada"]).ok();
    assert_said!(plan.0, &post(&["@ada @eve hi"]), @"ada is muted and was not woken. Unmute it with `paseo thread unmute`.");
    // Scripts read it as well, beside what they parse.
    assert_said!(plan.0, &post(&["--json", "@ada hi"]), @"ada is muted and was not woken. Unmute it with `paseo thread unmute`.");
    plan.run(&["pause", "plan"]).ok();
    assert_said!(plan.0, &post(&["@eve hi"]), @"The thread is paused: the message wakes no participants, now or later. Resume the thread (`paseo thread resume`) and send it again.");
}

#[test]
fn a_second_thread_of_a_name_is_warned_of() {
    let plan = Plan::new();
    let other = plan.run(&["new", "other", "-q"]);
    assert_eq!(other.stderr, "");
    let again = plan.run(&["new", "plan", "-q"]);
    assert_said!(plan.0, &again.stderr, @r"
    warning: another thread is also named plan
       hint: rename one of them, or use ids in place of names. New thread: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1. Existing: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2
    ");
    assert!(again.stderr.contains(again.ok()), "the way to name it: {again:?}");
    // The name would be ambiguous.
    let third = plan.run(&["new", "plan", "-v"]);
    let id = third.stderr.lines().find_map(|line| line.strip_prefix("thread ")).unwrap();
    assert!(third.stderr.contains(&format!("paseo thread invite {id} ")), "{third:?}");
    let renamed = plan.run(&["rename", other.ok(), "plan"]);
    assert!(renamed.stderr.contains(again.ok()), "{renamed:?}");
}

#[test]
fn an_answer_says_whom_it_answers_also_when_that_is_not_shown() {
    let plan = Plan::new();
    let first = plan.run(&["post", "plan", "-q", "well?"]).ok().to_owned();
    plan.run(&["post", "plan", "--reply-to", &first, "yes"]).ok();
    let told = plan.run(&["tail", "plan", "-n", "1"]).ok().to_owned();
    assert!(!told.contains("well?"), "{told}");
    assert_said!(plan.0, &told, @r"
    you  (answers you)  12:00:00
    yes
    ");
}
