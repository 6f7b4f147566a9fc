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
        (&["mute", "plan", "ada"][..], "plan: ada is muted", "plan: ada is already muted"),
        (&["unmute", "plan", "ada"], "plan: ada is unmuted", "plan: ada is not muted"),
        (&["pause", "plan"], "plan: paused; only people can post", "plan: already paused"),
        (&["resume", "plan"], "plan: resumed", "plan: not paused"),
        (
            &["auto", "plan"],
            "plan: auto on; posts that name no one wake all participants",
            "plan: already on",
        ),
        (&["auto", "plan", "off"], "plan: auto off; only addressed participants wake", "plan: already off"),
        (
            &["discuss", "plan", "on"],
            "plan: discussion on; agents wake each other with mentions",
            "plan: already on",
        ),
        (
            &["discuss", "plan", "--off"],
            "plan: discussion off; agents don't wake each other",
            "plan: already off",
        ),
    ] {
        let before = plan.events();
        assert_eq!(plan.run(command).ok(), first, "{command:?}");
        assert_eq!(plan.run(command).ok(), again, "{command:?}");
        assert_eq!(plan.events(), before + 1, "{command:?}");
    }
    // One of two is something to do.
    plan.run(&["mute", "plan", "ada"]).ok();
    assert_eq!(plan.run(&["mute", "plan", "ada", "eve"]).ok(), "plan: ada, eve are muted");
    assert_eq!(plan.run(&["mute", "plan", "ada", "eve"]).ok(), "plan: ada, eve are already muted");
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
    assert!(post(&["@bob hi"]).contains("No participant is called @bob. Invited: ada, eve."));
    assert!(post(&["@all hi"]).contains("@all wakes no participants: mention participants one by one"));
    plan.run(&["mute", "plan", "ada"]).ok();
    assert!(post(&["@ada @eve hi"]).contains("ada is muted and was not woken"));
    // Scripts read it as well, beside what they parse.
    assert!(post(&["--json", "@ada hi"]).contains("ada is muted and was not woken"));
    plan.run(&["pause", "plan"]).ok();
    assert!(post(&["@eve hi"]).contains("The thread is paused: the message wakes no participants"));
}

#[test]
fn a_second_thread_of_a_name_is_warned_of() {
    let plan = Plan::new();
    let other = plan.run(&["new", "other", "-q"]);
    assert_eq!(other.stderr, "");
    let again = plan.run(&["new", "plan", "-q"]);
    assert!(again.stderr.contains("another thread has the name plan: "), "{again:?}");
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
