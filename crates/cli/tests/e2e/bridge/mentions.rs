//! Whom words wake.

use serde_json::json;

use super::{Bridge, words};
use crate::screens::assert_said;

/// B15, B30
#[test]
fn a_mention_is_an_id_a_nickname_a_role_a_client_or_a_model() {
    let bridge = Bridge::new(&[]);
    bridge.invite("ada", json!({"nickname": "Countess", "roles": ["planner", "critic"]}));
    for text in [
        "@ada go",
        "well, @Ada: go",
        "(@ada) is not one, @ADA! is",
        "@countess, please",
        "is it @COUNTESS?",
        "@planner",
        "ask the @Critic.",
        "@scripted...",
        "@default;",
    ] {
        let asked = bridge.say("all", &format!("{text} <<say x>>"));
        assert_eq!(bridge.woken(&asked), ["ada"], "{text}");
    }
    for text in ["ada go", "mail@ada", "@", "@nobody", "@ad\u{200b}a", "@user", "@bridge-coordinator"] {
        assert_eq!(bridge.woken(&bridge.say("all", text)), [""; 0], "{text}");
    }
    // In `to`, too, with or without the sign.
    for to in ["ada", "@ada", "Ada", "countess", "@Countess"] {
        let asked = bridge.say(to, "<<say x>>");
        assert_eq!((bridge.woken(&asked), &asked["to"]), (vec!["ada".to_owned()], &json!("ada")), "{to}");
    }
}

/// B17
#[test]
fn words_for_everybody_wake_nobody_and_that_is_said() {
    let bridge = Bridge::new(&["ada"]);
    for word in ["@all", "@everyone", "@Here,"] {
        let asked = bridge.say("all", &format!("{word} <<say x>>"));
        assert_eq!(bridge.woken(&asked), [""; 0], "{word}");
        let told = bridge.reply(&asked);
        assert_eq!((&told["from"], &told["to"]), (&json!("bridge-coordinator"), &json!("user")));
        assert_said!(bridge.home, words(&told));
    }
}

/// B18, B19, B14
#[test]
fn agents_wake_others_only_in_a_discussion_and_never_themselves() {
    let bridge = Bridge::new(&["ada", "eve"]);
    let ada = bridge.seat("ada");
    let mention = |words: &str| bridge.post(&ada, &json!({"content": words})).ok()["event"].clone();
    assert_eq!(bridge.woken(&mention("@eve look")), [""; 0]);
    bridge.control(json!({"discussion": {"on": true, "allow_agent_mentions": false}}));
    assert_eq!(bridge.woken(&mention("@eve look")), [""; 0]);
    bridge.control(json!({"discussion": {}}));
    assert_eq!(bridge.state()["discussion"], json!({"on": true, "allow_agent_mentions": true}));
    let heard = mention("@eve and @ada look");
    assert_eq!(bridge.woken(&heard), ["eve"]);
    // What an agent says is no script for another.
    assert_said!(bridge.home, words(&bridge.reply(&heard)), @r"
    Received: [message from daemon]

    [thread plan: messages since your last turn]

    ada:
    > @eve look

    ada:
    > @eve look
    Received: [message from seat:aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1/ada]

    [thread plan: ada to all; you are eve, and your answer will be posted]

    > @eve and @ada look
    ");
    assert_eq!(bridge.woken(&mention("@ada again")), [""; 0]);
    bridge.control(json!({"discussion": {"on": false}}));
    assert_eq!(bridge.state()["discussion"], json!({"on": false, "allow_agent_mentions": false}));
}

/// B20
#[test]
fn what_a_person_says_to_nobody_wakes_all_when_that_is_switched_on() {
    let bridge = Bridge::new(&["ada", "eve"]);
    let bob = bridge.seat("bob");
    assert_eq!(bridge.woken(&bridge.say("all", "<<say x>>")), [""; 0]);
    bridge.control(json!({"invited_auto": {}}));
    assert_eq!(bridge.woken(&bridge.say("all", "<<say x>>")), ["ada", "eve"]);
    assert_eq!(bridge.woken(&bridge.say("all", "@eve <<say x>>")), ["eve"]);
    assert_eq!(bridge.woken(&bridge.say("all", "@nobody <<say x>>")), [""; 0]);
    let said = bridge.post(&bob, &json!({"content": "hello"})).ok()["event"].clone();
    assert_eq!(bridge.woken(&said), [""; 0]);
}

/// B23
#[test]
fn what_comes_later_changes_nothing_about_what_was_said() {
    let bridge = Bridge::new(&["ada"]);
    let before = bridge.say("all", "<<say early>>");
    bridge.control(json!({"invited_auto": {"on": true}}));
    let after = bridge.say("all", "<<say late>>");
    bridge.control(json!({"invited_auto": {"on": false}}));
    assert_eq!((bridge.woken(&before), bridge.woken(&after)), (vec![], vec!["ada".to_owned()]));
    assert!(words(&bridge.reply(&after)).ends_with("late"));
    // Who was woken before a pause still works; the answer is kept until it may be posted.
    let asked = bridge.say("ada", "<<say now>>");
    bridge.control(json!({"pause": {}}));
    bridge.control(json!({"pause": {"on": false}}));
    assert!(words(&bridge.reply(&asked)).ends_with("now"));
    let replies = bridge.events().iter().filter(|event| event["meta"]["reply_to"] == before["id"]).count();
    assert_eq!(replies, 0);
}
