//! Threads: what a command says that changes nothing, or wakes nobody.

use paseo_testkit::home::{Output, TestHome};

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
    for (command, first, again) in [
        (&["mute", "plan", "ada"][..], "plan: ada may not speak", "plan: ada is muted already"),
        (&["unmute", "plan", "ada"], "plan: ada may speak again", "plan: ada is not muted"),
        (&["pause", "plan"], "plan: nobody but people may speak", "plan: it is paused already"),
        (&["resume", "plan"], "plan: everybody may speak again", "plan: it is not paused"),
        (
            &["auto", "plan"],
            "plan: what you say to nobody wakes all who are invited",
            "plan: it is on already",
        ),
        (&["auto", "plan", "off"], "plan: only who is addressed is woken", "plan: it is off already"),
        (&["discuss", "plan", "on"], "plan: agents wake each other by mentions", "plan: it is on already"),
        (&["discuss", "plan", "--off"], "plan: agents do not wake each other", "plan: it is off already"),
    ] {
        let before = plan.events();
        assert_eq!(plan.run(command).ok(), first, "{command:?}");
        assert_eq!(plan.run(command).ok(), again, "{command:?}");
        assert_eq!(plan.events(), before + 1, "{command:?}");
    }
    // One of two is something to do.
    plan.run(&["mute", "plan", "ada"]).ok();
    assert_eq!(plan.run(&["mute", "plan", "ada", "eve"]).ok(), "plan: ada, eve may not speak");
    assert_eq!(plan.run(&["mute", "plan", "ada", "eve"]).ok(), "plan: ada, eve are muted already");
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
    assert!(post(&["--to", "bob", "hi"]).contains("`bob` is not invited to this thread"));
    assert!(post(&["@bob hi"]).contains("Nobody here is called @bob. Invited: ada, eve."));
    assert!(post(&["@all hi"]).contains("@all wakes nobody: mention participants one by one"));
    plan.run(&["mute", "plan", "ada"]).ok();
    assert!(post(&["@ada @eve hi"]).contains("ada is muted, and is not woken"));
    // Scripts read it as well, beside what they parse.
    assert!(post(&["--json", "@ada hi"]).contains("ada is muted, and is not woken"));
    plan.run(&["pause", "plan"]).ok();
    assert!(post(&["@eve hi"]).contains("The thread is paused: nobody is woken"));
}

#[test]
fn a_second_thread_of_a_name_is_warned_of() {
    let plan = Plan::new();
    let other = plan.run(&["new", "other", "-q"]);
    assert_eq!(other.stderr, "");
    let again = plan.run(&["new", "plan", "-q"]);
    assert!(again.stderr.contains("there is another thread called plan: "), "{again:?}");
    assert!(again.stderr.contains(again.ok()), "the way to name it: {again:?}");
    let renamed = plan.run(&["rename", other.ok(), "plan"]);
    assert!(renamed.stderr.contains(again.ok()), "{renamed:?}");
}

#[test]
fn an_answer_says_whom_it_answers_also_when_that_is_not_shown() {
    let plan = Plan::new();
    let first = plan.run(&["post", "plan", "-q", "well?"]).ok().to_owned();
    plan.run(&["post", "plan", "--reply-to", &first, "yes"]).ok();
    let told = plan.run(&["tail", "plan", "-n", "1"]).ok().to_owned();
    assert!(told.contains("(answers user)") && !told.contains("well?"), "{told}");
}
