//! What participants are called, and for whom they could be taken.

use super::*;

fn others(ids: &[&str]) -> Others {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn names_that_are_taken_or_odd_are_refused() {
    let bed = Bed::with_two();
    let profile = |nickname: &str| json!({"client": "c", "model": "m", "nickname": nickname});
    let refused = |id: &str, profile: Value| {
        let content = json!({"invite": {"participant_id": id, "profile": profile}});
        control(&bed.thread, &content, &Others::new()).unwrap_err().to_string()
    };
    for reserved in ["user", "USER", "u-s-e-r", "all", "everyone", "bridge-coordinator", "Bridge_Coordinator"]
    {
        assert!(refused(reserved, profile("x")).contains("reserved"), "{reserved}");
        assert!(refused("x1", profile(reserved)).contains("reserved"), "{reserved}");
    }
    for odd in ["a b", "us\u{200b}er", "аdmin", "../x", "-", ".", "", "@ada", "a\n", "x.", &"x".repeat(65)] {
        let told = refused("x1", profile(odd));
        assert!(told.contains("invalid nickname"), "{odd:?}: {told}");
    }
    assert_eq!(refused("x1", profile("Ada")), "`Ada` is taken by participant `codex-1`; choose another");
    assert_eq!(
        refused("x1", profile("ada")),
        "`ada` is too similar to a name of participant `codex-1`; choose another"
    );
    assert!(refused("ADA", profile("x")).contains("`ADA` is too similar to a name of participant `codex-1`"));
    assert!(refused("codex1", profile("x")).contains("`codex1` is too similar"));
    assert!(refused("x1", json!({"client": "c"})).contains("missing `model`"));
    assert!(refused("x1", json!({"client": " ", "model": "m"})).contains("missing `client`"));
    assert!(refused("x1", json!("codex")).contains("invite.profile"));
}

#[test]
fn whoever_speaks_with_a_token_is_not_taken_for_a_participant() {
    let mut bed = Bed::new();
    bed.invite(
        "ada",
        json!({"client": "codex", "model": "default", "nickname": "Countess", "roles": ["dev"]}),
    );
    for free in ["ada", "eve", "ada2"] {
        assert_eq!(check_speaker(&bed.thread, free, &Others::new()), Ok(()), "{free}");
    }
    let taken = Err(Refused::Taken("Countess".to_owned(), "ada".to_owned()));
    assert_eq!(check_speaker(&bed.thread, "Countess", &Others::new()), taken);
    for similar in ["Ada", "a-da", "a.d_a", "countess"] {
        let expected = Err(Refused::Similar(similar.to_owned(), "ada".to_owned()));
        assert_eq!(check_speaker(&bed.thread, similar, &Others::new()), expected);
    }
    assert!(matches!(check_speaker(&bed.thread, "User", &Others::new()), Err(Refused::Reserved(_))));
    assert!(matches!(check_speaker(&bed.thread, "аda", &Others::new()), Err(Refused::Malformed(..))));
}

#[test]
fn nobody_is_taken_for_a_person_or_the_daemon() {
    let mut bed = Bed::new();
    let profile = |nickname: &str| json!({"client": "c", "model": "m", "nickname": nickname});
    let invite =
        |id: &str, nickname: &str| json!({"invite": {"participant_id": id, "profile": profile(nickname)}});
    for name in
        ["us3r", "User1", "user-2", "human", "You", "coordinator", "C00rdinator", "paseo", "system", "Daem0n"]
    {
        for content in [invite(name, "x"), invite("x1", name)] {
            let told = control(&bed.thread, &content, &Others::new()).unwrap_err().to_string();
            assert!(told.contains("is reserved"), "{name}: {told}");
        }
        assert!(check_speaker(&bed.thread, name, &Others::new()).is_err(), "{name}");
    }
    for name in ["Ali", "usher", "youri", "humane", "system-tester", "user-research"] {
        assert!(control(&bed.thread, &invite(name, "x"), &Others::new()).is_ok(), "{name}");
    }
    // A client may be called so; the participant is not.
    let client = Profile { client: Some("paseo".into()), ..Profile::default() };
    assert_eq!(free_id(&bed.thread, &client, &Others::new()), "agent");
    // Participants that were invited before this rule existed keep their names.
    bed.invite("ada", profile("x"));
    let mut seat = bed.thread.invited.remove("ada").unwrap();
    seat.profile.nickname = Some("You".into());
    bed.thread.invited.insert("human".into(), seat);
    let again = json!({"invite": {"participant_id": "human", "profile": {"model": "n"}}});
    assert!(control(&bed.thread, &again, &Others::new()).is_ok());
}

#[test]
fn nobody_is_taken_for_another_who_is_about() {
    let mut bed = Bed::new();
    bed.invite("alice", json!({"client": "c", "model": "m"}));
    bed.say("guest", "all", "hi").unwrap();
    let about = others(&["outer"]);
    let refused = |id: &str, nickname: &str| {
        let profile = json!({"client": "c", "model": "m", "nickname": nickname});
        let content = json!({"invite": {"participant_id": id, "profile": profile}});
        control(&bed.thread, &content, &about).map(drop).map_err(|refused| refused.to_string())
    };
    for (id, nickname, taken) in [
        ("x", "aIice", "alice"),
        ("al1c3", "x", "alice"),
        ("x", "Guest", "guest"),
        ("x", "0uter", "outer"),
        ("gue5t", "x", "guest"),
    ] {
        let told = refused(id, nickname).unwrap_err();
        assert!(told.contains(&format!("participant `{taken}`; choose another")), "{id} {nickname}: {told}");
        for name in [id, nickname].iter().filter(|name| **name != "x") {
            assert!(check_speaker(&bed.thread, name, &about).is_err(), "{name}");
        }
    }
    // A guest may be invited, and get another token.
    for id in ["guest", "outer"] {
        assert_eq!(refused(id, "x"), Ok(()), "{id}");
        assert_eq!(check_speaker(&bed.thread, id, &about), Ok(()));
    }
    let client = Profile { client: Some("outer".into()), ..Profile::default() };
    assert_eq!(free_id(&bed.thread, &client, &about), "outer-2");
}

#[test]
fn whoever_may_speak_can_be_muted_before_they_do() {
    let bed = Bed::new();
    let mute = json!({"mute": {"targets": ["outer"]}});
    assert!(control(&bed.thread, &mute, &Others::new()).is_err());
    assert_eq!(control(&bed.thread, &mute, &others(&["outer"])).unwrap().mute, ["outer"]);
}
