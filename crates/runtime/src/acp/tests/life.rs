//! The life of the session and of its turns.

use paseo_core::attachment;

use super::super::preset::find;
use super::*;

#[test]
fn a_turn_waits_for_the_session_and_is_answered() {
    let mut bed = Bed::start(&launch());
    bed.turn(1, "go");
    assert_eq!(bed.request("initialize")["params"]["protocolVersion"], 1);
    assert_eq!(bed.request("initialize")["params"]["clientCapabilities"]["terminal"], false);
    let forms = &bed.request("initialize")["params"]["clientCapabilities"]["elicitation"];
    assert!(forms["form"].is_object() && forms["url"].is_object(), "{forms}");
    bed.answer("initialize", hello());
    let opened = bed.request("session/new")["params"].clone();
    assert_eq!(opened["cwd"], "/project");
    assert_eq!(opened["mcpServers"][0]["headers"][0]["value"], "Bearer secret");
    bed.answer("session/new", json!({ "sessionId": SESSION }));
    let prompt = bed.request("session/prompt")["params"]["prompt"].clone();
    assert_eq!(prompt[0]["text"], "<instructions>\nBe kind.\n</instructions>");
    assert_eq!(prompt[1]["text"], "go");
    assert!(bed.outputs.is_empty(), "nothing is taken up yet: {:?}", bed.outputs);
    bed.say("hi");
    assert_eq!(bed.outputs[0], Output::Handed { turn: turn_id(1) });
    assert_eq!(bed.outputs[1], Output::Reference(SESSION.to_owned()));
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    assert_eq!((bed.end(), bed.texts(&Kind::AssistantText)), (&TurnEnd::Completed, vec!["hi"]));
    bed.turn(2, "on");
    let prompt = &bed.request("session/prompt")["params"]["prompt"];
    assert_eq!(prompt.as_array().unwrap().len(), 1, "it was told already");
}

#[test]
fn an_agent_that_hangs_is_ended_and_told() {
    let mut bed = Bed::start(&launch());
    bed.turn(1, "go");
    bed.wake();
    let (code, text) = bed.failure();
    assert_eq!(code, "harness_error");
    assert!(text.contains("helper did not answer initialize within 60 seconds"), "{text}");
    assert!(bed.ended);
    bed.outputs.clear();
    bed.turn(2, "again");
    assert_eq!(bed.failure().0, "harness_error");
}

#[test]
fn another_version_and_another_protocol_are_refused_with_words() {
    for (said, words) in [
        (json!({ "protocolVersion": 7 }), "speaks ACP version 7, but Paseo speaks version 1"),
        (json!({ "capabilities": {} }), "does not speak ACP: it answered initialize with"),
    ] {
        let mut bed = Bed::start(&launch());
        bed.turn(1, "go");
        bed.answer("initialize", said);
        assert!(bed.failure().1.contains(words), "{:?}", bed.failure());
        assert!(bed.ended);
    }
}

#[test]
fn a_login_is_asked_for_in_the_agents_words() {
    let mut bed = Bed::start(&launch());
    bed.turn(1, "go");
    bed.answer("initialize", hello());
    bed.refuse("session/new", -32000);
    let (code, text) = bed.failure();
    assert_eq!(code, "not_logged_in");
    assert!(text.contains("Log in (Run `agent login`)"), "{text}");
}

#[test]
fn a_conversation_is_continued_and_what_is_told_again_is_not_stored() {
    let mut bed = Bed::start(&Launch { resume: Some(SESSION.to_owned()), turns: 3, ..launch() });
    bed.turn(1, "go");
    bed.answer("initialize", hello());
    assert_eq!(bed.request("session/load")["params"]["sessionId"], SESSION);
    bed.say("old");
    bed.update(
        json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "old", "status": "completed" }),
    );
    bed.answer("session/load", json!({}));
    bed.say("new");
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    assert_eq!(bed.texts(&Kind::AssistantText), ["new"]);
    assert_eq!(bed.drafts().len(), 1, "{:#?}", bed.drafts());
    assert!(!bed.outputs.contains(&Output::Forgotten));
}

#[test]
fn a_silent_way_to_continue_is_taken_where_there_is_one() {
    let mut bed = Bed::start(&Launch { resume: Some(SESSION.to_owned()), ..launch() });
    let mut able = hello();
    able["agentCapabilities"]["sessionCapabilities"]["resume"] = json!({});
    bed.answer("initialize", able);
    assert_eq!(bed.request("session/resume")["params"]["sessionId"], SESSION);
}

#[test]
fn a_session_that_is_gone_is_forgotten_and_a_new_one_begins() {
    let resumed = Launch { resume: Some("gone".to_owned()), turns: 3, ..launch() };
    let begins_anew = |bed: &mut Bed| {
        assert!(bed.outputs.contains(&Output::Forgotten), "{:?}", bed.outputs);
        assert_eq!(bed.notices()[0].0, "conversation_lost");
        bed.answer("session/new", json!({ "sessionId": SESSION }));
        bed.request("session/prompt");
    };
    let mut by_code = Bed::start(&resumed);
    by_code.turn(1, "go");
    by_code.answer("initialize", hello());
    by_code.refuse("session/load", -32002);
    begins_anew(&mut by_code);
    let mut by_list = Bed::start(&resumed);
    by_list.turn(1, "go");
    by_list.answer("initialize", hello());
    by_list.refuse("session/load", -32603);
    by_list.answer("session/list", json!({ "sessions": [{ "sessionId": "other" }], "nextCursor": "2" }));
    by_list.answer("session/list", json!({ "sessions": [] }));
    begins_anew(&mut by_list);
    let mut unable = Bed::start(&resumed);
    unable.turn(1, "go");
    unable.answer("initialize", json!({ "protocolVersion": 1 }));
    begins_anew(&mut unable);
}

#[test]
fn a_session_that_is_there_and_does_not_open_is_kept() {
    let mut bed = Bed::start(&Launch { resume: Some(SESSION.to_owned()), ..launch() });
    bed.turn(1, "go");
    bed.answer("initialize", hello());
    bed.refuse("session/load", -32603);
    bed.answer("session/list", json!({ "sessions": [{ "sessionId": SESSION }] }));
    assert_eq!(bed.failure().0, "resume_failed");
    assert!(!bed.outputs.contains(&Output::Forgotten));
}

#[test]
fn an_agent_that_must_not_load_begins_anew_and_says_so() {
    let mut bed = Bed::of(find("gemini").unwrap(), &Launch { turns: 2, ..launch() });
    bed.answer("initialize", hello());
    assert_eq!(bed.notices()[0].0, "conversation_lost");
    bed.answer("session/new", json!({ "sessionId": SESSION }));
    bed.turn(1, "go");
    bed.say("hi");
    assert!(!bed.outputs.iter().any(|output| matches!(output, Output::Reference(_))));
}

#[test]
fn what_takes_no_servers_is_promised_no_tools() {
    let mut bed = Bed::start(&launch());
    bed.turn(1, "go");
    bed.answer("initialize", json!({ "protocolVersion": 1 }));
    assert_eq!(bed.request("session/new")["params"]["mcpServers"], json!([]));
    bed.answer("session/new", json!({ "sessionId": SESSION }));
    assert_eq!(bed.notices()[0].0, "no_tools");
    let prompt = &bed.request("session/prompt")["params"]["prompt"];
    assert!(prompt[1]["text"].as_str().unwrap().contains("Paseo's tools are not available here"), "{prompt}");
    // `inspect --prompt` shows that, too.
    let given = bed.outputs.iter().find_map(|output| match output {
        Output::Prompted(given) => Some(given.as_str()),
        _ => None,
    });
    let given = given.unwrap_or_default();
    assert!(given.starts_with("Be kind.\n\nPaseo's tools are not available here"), "{given}");
    assert!(!Bed::running().outputs.iter().any(|output| matches!(output, Output::Prompted(_))));
}

/// What a session offers to be set.
fn offers() -> Value {
    let select = |id: &str, category: &str, values: &[&str]| {
        let options: Vec<Value> =
            values.iter().map(|value| json!({ "value": value, "name": value })).collect();
        json!({ "id": id, "name": id, "category": category, "type": "select", "currentValue": values[0], "options": options })
    };
    json!({
        "sessionId": SESSION,
        "modes": { "currentModeId": "default", "availableModes": [
            { "id": "default", "name": "Default" }, { "id": "yolo", "name": "Yolo" },
        ] },
        "configOptions": [select("m", "model", &["small", "large"]), select("t", "thought_level", &["low", "high"])],
    })
}

#[test]
fn mode_model_and_effort_are_set_before_the_first_turn() {
    let wants = Launch { model: Some("large".into()), effort: Some("high".into()), ..launch() };
    let mut bed = Bed::of(find("gemini").unwrap(), &wants);
    bed.turn(1, "go");
    bed.answer("initialize", hello());
    bed.answer("session/new", offers());
    assert_eq!(bed.request("session/set_mode")["params"]["modeId"], "yolo");
    bed.answer("session/set_mode", json!({}));
    assert_eq!(bed.request("session/set_config_option")["params"]["value"], "large");
    bed.answer("session/set_config_option", json!({ "configOptions": [] }));
    assert_eq!(bed.request("session/set_config_option")["params"]["value"], "high");
    bed.answer("session/set_config_option", json!({ "configOptions": [] }));
    bed.request("session/prompt");
}

#[test]
fn what_an_agent_does_not_know_is_told_with_what_it_knows() {
    let opened = |wants: &Launch, offers: Value| {
        let mut bed = Bed::start(wants);
        bed.turn(1, "go");
        bed.answer("initialize", hello());
        bed.answer("session/new", offers);
        bed.failure().1.to_owned()
    };
    let model = Launch { model: Some("huge".into()), ..launch() };
    assert_eq!(opened(&model, offers()), "helper has no model `huge`; it has: small, large");
    let plain = json!({ "sessionId": SESSION });
    assert!(opened(&model, plain.clone()).contains("does not support choosing a model"));
    let effort = Launch { effort: Some("high".into()), ..launch() };
    assert!(opened(&effort, plain).contains("does not support choosing an effort"));
}

#[test]
fn a_mode_that_must_be_kept_is_no_wish() {
    let mut bed = Bed::of(find("gemini").unwrap(), &Launch { permissions: Mode::Ask, ..launch() });
    bed.turn(1, "go");
    bed.answer("initialize", hello());
    bed.answer("session/new", json!({ "sessionId": SESSION }));
    assert!(bed.failure().1.contains("has no mode `default`"), "{:?}", bed.failure());
    // An agent that may do everything is allowed it anyway.
    let mut full = Bed::of(find("gemini").unwrap(), &launch());
    full.turn(1, "go");
    full.answer("initialize", hello());
    full.answer("session/new", json!({ "sessionId": SESSION }));
    full.request("session/prompt");
}

#[test]
fn a_stop_is_passed_on_once_and_ends_the_turn() {
    let mut bed = Bed::running();
    bed.say("half");
    bed.input(Input::Interrupt);
    bed.input(Input::Interrupt);
    assert_eq!(bed.written.iter().filter(|line| line["method"] == "session/cancel").count(), 1);
    bed.answer("session/prompt", json!({ "stopReason": "cancelled" }));
    assert_eq!((bed.end(), bed.texts(&Kind::AssistantText)), (&TurnEnd::Interrupted, vec!["half"]));
    let mut late = Bed::running();
    late.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "make", "kind": "execute", "status": "in_progress",
        "rawInput": { "command": "make" },
    }));
    late.input(Input::Interrupt);
    late.answer("session/prompt", json!({ "stopReason": "cancelled" }));
    late.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed" }));
    let results = late.drafts().into_iter().filter(|draft| matches!(draft.kind, Kind::ToolResult { .. }));
    assert_eq!(results.count(), 0, "the daemon has closed it");
    let mut failing = Bed::running();
    failing.input(Input::Interrupt);
    failing.refuse("session/prompt", -32603);
    assert_eq!(failing.end(), &TurnEnd::Interrupted);
}

#[test]
fn commands_that_a_stop_leaves_are_ended_and_no_others() {
    let stopped = |name: &str| {
        let mut bed = Bed::of(find(name).unwrap(), &launch());
        bed.answer("initialize", hello());
        bed.answer("session/new", json!({ "sessionId": SESSION }));
        bed.turn(1, "go");
        bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
        // What runs on after a turn that was not stopped belongs to the agent.
        bed.turn(2, "go");
        bed.input(Input::Interrupt);
        bed.answer("session/prompt", json!({ "stopReason": "cancelled" }));
        bed.commands
    };
    assert_eq!(stopped("codex-acp"), ["noted", "noted", "CODEX_THREAD_ID"]);
    assert_eq!(stopped("claude-agent-acp"), ["noted", "noted", "CLAUDE_CODE_CHILD_SESSION"]);
    assert!(stopped("gemini").is_empty());
}

#[test]
fn a_stop_before_the_session_is_open_ends_the_turn_at_once() {
    let mut bed = Bed::start(&launch());
    bed.turn(1, "go");
    bed.input(Input::Interrupt);
    assert_eq!(bed.end(), &TurnEnd::Interrupted);
    bed.answer("initialize", hello());
    bed.answer("session/new", json!({ "sessionId": SESSION }));
    assert!(bed.written.iter().all(|line| line["method"] != "session/prompt"));
}

#[test]
fn every_way_to_end_a_turn_is_told() {
    for (reason, code) in [
        ("refusal", "refusal"),
        ("max_tokens", "max_tokens"),
        ("max_turn_requests", "max_turn_requests"),
        ("weather", "harness_error"),
    ] {
        let mut bed = Bed::running();
        bed.answer("session/prompt", json!({ "stopReason": reason }));
        assert_eq!(bed.failure().0, code);
        assert!(bed.outputs.contains(&Output::Handed { turn: turn_id(1) }));
    }
}

#[test]
fn an_image_goes_only_to_an_agent_that_says_it_takes_them() {
    let picture =
        Attachment { name: "a.png".into(), kind: attachment::Kind::Png, bytes: b"\x89PNG".as_slice().into() };
    let notes =
        Attachment { name: "a.md".into(), kind: attachment::Kind::Text, bytes: b"# A".as_slice().into() };
    for takes in [true, false] {
        let mut bed = Bed::start(&launch());
        let mut hello = hello();
        hello["agentCapabilities"]["promptCapabilities"] = json!({ "image": takes });
        bed.answer("initialize", hello);
        bed.answer("session/new", json!({ "sessionId": SESSION }));
        let attachments = vec![picture.clone(), notes.clone()];
        bed.turn_with(1, "look", attachments);
        if takes {
            let prompt = bed.request("session/prompt")["params"]["prompt"].clone();
            let text = "look\n\n<attached-file name=\"a.md\">\n# A\n</attached-file>";
            assert_eq!(prompt[1], json!({ "type": "text", "text": text }));
            assert_eq!(prompt[2], json!({ "type": "image", "mimeType": "image/png", "data": "iVBORw==" }));
            continue;
        }
        assert!(!bed.written.iter().any(|line| line["method"] == "session/prompt"), "{:?}", bed.written);
        let turn = turn_id(1);
        assert!(bed.outputs.contains(&Output::Handed { turn }), "{:?}", bed.outputs);
        let ended = bed.outputs.iter().find_map(|output| match output {
            Output::TurnEnded { end: TurnEnd::Failed(failed), .. } => Some(failed),
            _ => None,
        });
        let failed = ended.unwrap();
        assert_eq!(failed.code.word(), "attachment_refused");
        assert!(failed.text.contains("does not accept images"), "{}", failed.text);
        // The next one is taken.
        bed.turn(2, "go on");
        bed.request("session/prompt");
    }
}
