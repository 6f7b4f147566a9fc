//! Who is mentioned, whatever stands around it.

use proptest::prelude::*;

use super::*;

#[test]
fn mentions_name_ids_nicknames_roles_clients_and_models() {
    let mut bed = Bed::with_two();
    for (words, woken) in [
        ("@codex-1: look", "codex-1"),
        ("well, @ADA!", "codex-1"),
        ("(@ada) no: @ada?!", "codex-1"),
        ("ask @planner.", "codex-1"),
        ("@claude, please", "claude-1"),
        ("@Opus", "claude-1"),
        ("@gpt-5 go", "codex-1"),
    ] {
        assert_eq!(bed.wakes("all", words), [woken], "{words}");
    }
    assert_eq!(bed.wakes("all", "@ada and @claude"), ["claude-1", "codex-1"]);
    for words in ["ada", "mail@ada", "@nobody", "@", "@user", "@bridge-coordinator"] {
        assert_eq!(bed.wakes("all", words), [""; 0], "{words}");
    }
    bed.invite("codex-2", json!({"client": "codex", "model": "gpt-5", "roles": ["planner"]}));
    assert_eq!(bed.wakes("all", "@planner @codex"), ["codex-1", "codex-2"]);
    for word in ["@all", "@everyone", "@here"] {
        let (wakes, remarks) = bed.say(USER, "all", word).unwrap();
        assert!(wakes.is_empty() && remarks[0].contains("one by one"), "{remarks:?}");
    }
}

#[test]
fn a_name_that_could_be_two_is_asked_about() {
    let mut bed = Bed::with_two();
    // As an older log may have it.
    bed.thread.invited.get_mut("claude-1").unwrap().profile.nickname = Some("Ada".into());
    let (wakes, remarks) = bed.say(USER, "all", "@ada look").unwrap();
    assert!(wakes.is_empty());
    assert_eq!(remarks, ["`ada` matches several participants. Write @claude-1 or @codex-1."]);
    let (wakes, remarks) = bed.say(USER, "ada", "look").unwrap();
    assert!(wakes.is_empty() && remarks.len() == 1);
}

#[test]
fn a_mention_counts_with_whatever_is_attached_to_it() {
    let mut bed = Bed::with_two();
    for words in
        ["@ada,@claude", "@ada/@claude", "(@ada)(@claude)", "\"@ada\" “@claude”", "**@ada** _@claude_"]
    {
        assert_eq!(bed.wakes("all", words), ["claude-1", "codex-1"], "{words}");
    }
    for words in ["@ada’s turn", "@ada's turn", "@ada:look", "@ada)", "[@ada](x)", "@codex-1-", "-@ada"] {
        assert_eq!(bed.wakes("all", words), ["codex-1"], "{words}");
    }
    // What is not a word by itself is not a name: e-mail addresses, paths, code.
    bed.control(json!({"invited_auto": {}}));
    for words in ["x@ada.z", "(x@ada)", "./@ada/x", "`@ada`", "https://x.y/@ada", "@", "@!"] {
        assert_eq!(
            bed.wakes("all", words),
            ["claude-1", "codex-1"],
            "{words} calls nobody, so all are woken"
        );
    }
    // The author of a mention of an unknown name is told.
    for (words, name) in [("@zed,x", "zed"), ("(@zed)", "zed"), ("@Jörg", "Jörg"), ("@zed/pkg", "zed")] {
        let (wakes, remarks) = bed.say(USER, "all", words).unwrap();
        assert!(wakes.is_empty(), "{words}");
        assert!(remarks[0].starts_with(&format!("@{name} is not a participant. ")), "{remarks:?}");
    }
    let (_, remarks) = bed.say(USER, "all", &format!("@{}", "x".repeat(9999))).unwrap();
    assert!(remarks[0].len() < 200);
    // A model may have signs in its name that no participant has.
    bed.invite("pi-1", json!({"client": "pi", "model": "zai/glm:4.6"}));
    assert_eq!(bed.wakes("all", "(@zai/glm:4.6)"), ["pi-1"]);
}

proptest! {
    /// However mentions are strung together, all of them count.
    #[test]
    fn nobody_who_is_mentioned_is_passed_over(
        parts in prop::collection::vec(("[(\"'*,;:]{0,3}", "@(ada|claude-1|zed)", "[)\"'*,;:!?/’]{1,3}| "), 1..6),
    ) {
        let text: String = parts.iter().map(|(before, name, after)| format!("{before}{name}{after}")).collect();
        let reading = read(&Bed::with_two().thread, &text);
        let said = |name: &str| parts.iter().any(|(_, said, _)| said == name);
        prop_assert_eq!(reading.seats.contains("codex-1"), said("@ada"), "{}", text);
        prop_assert_eq!(reading.seats.contains("claude-1"), said("@claude-1"), "{}", text);
        prop_assert_eq!(reading.unknown.contains(&"zed".to_owned()), said("@zed"), "{}", text);
    }

    /// Each mention wakes a participant, or its author is told why not.
    #[test]
    fn no_mention_is_swallowed(text in "[@a-z0-9 ,./()’é-]{0,40}|.*") {
        let reading = read(&Bed::with_two().thread, &text);
        let told = reading.seats.len() + reading.everybody.len() + reading.ambiguous.len() + reading.unknown.len();
        prop_assert!(!reading.any || told > 0 || text.to_lowercase().contains("@user"), "{}", text);
        prop_assert!(reading.any || told == 0);
    }
}
