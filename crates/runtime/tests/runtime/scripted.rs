//! Every verb of the scripted provider, through its real process.

use std::path::Path;

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::item::{Kind, ToolOutcome, Usage};
use paseo_core::permission::{Mode, Power};
use paseo_runtime::process_table::ancestors;
use paseo_runtime::provider::{
    Answer, Check, DeltaKind, Failed, FailureCode, Input, Output, Provider, TurnEnd,
};
use paseo_runtime::scripted::Scripted;
use serde_json::{Value, json};

use crate::support::{Place, Session, human, message, within};

#[tokio::test]
async fn say_think_and_usage_become_items_in_order() {
    let mut session = Session::start().await;
    let outcome = session.run("<<think hm>> x <<say hello>> y <<usage 10 20>><<wait 1>>").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    let kinds: Vec<&Kind> = outcome.items().into_iter().map(|(_, draft)| &draft.kind).collect();
    let usage = Usage { input_tokens: 10, output_tokens: 20, ..Usage::default() };
    assert_eq!(kinds, [&Kind::Thinking, &Kind::AssistantText, &Kind::Usage(usage)]);
    assert_eq!(outcome.texts("assistant_text"), ["hello"]);
}

#[tokio::test]
async fn a_stream_comes_word_by_word_and_ends_in_one_item() {
    let mut session = Session::start().await;
    let outcome = session.run("<<stream 1ms a bc d>>").await;
    let mut deltas = Vec::new();
    for output in &outcome.outputs {
        match output {
            Output::Delta { item, kind: DeltaKind::AssistantText, text } => {
                deltas.push((*item, text.as_str()))
            }
            Output::Item { id, draft, .. } => {
                assert!(deltas.iter().all(|(item, _)| item == id));
                assert_eq!(draft.text.as_deref(), Some("a bc d"));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(deltas.iter().map(|(_, text)| *text).collect::<Vec<_>>(), ["a ", "bc ", "d"]);
}

#[tokio::test]
async fn several_turns_share_a_process_and_plain_text_is_answered() {
    let mut session = Session::start().await;
    let shim = session.harness.shim.unwrap();
    assert_eq!(session.run("hello").await.texts("assistant_text"), ["You said: hello"]);
    session.begin(vec![message(Actor::Session(SessionId::from_random([3; 16])), "<<sh touch x>>")]).await;
    assert_eq!(session.finish().await.texts("assistant_text"), ["Received: <<sh touch x>>"]);
    assert!(!session.place.home().join("x").exists());
    assert_eq!(session.run("<<say three>>").await.texts("assistant_text"), ["three"]);
    assert_eq!(session.harness.shim.unwrap(), shim);
}

#[tokio::test]
async fn a_shell_step_is_asked_for_run_and_stored() {
    let mut session = Session::start().await;
    let outcome = session.run("<<sh pwd; echo oops >&2; printf 'h\\303'; exit 3>><<say done>>").await;
    let home = session.place.home().canonicalize().unwrap();
    let expected = format!("{}\noops\nh\u{fffd}", home.display());
    assert_eq!(outcome.results(), [(ToolOutcome::Error, Some(3), expected.as_str())]);
    let request = outcome.outputs.iter().find_map(|output| match output {
        Output::Ask(request) => Some((request.power, request.input["command"].as_str().unwrap())),
        _ => None,
    });
    assert_eq!(request.unwrap().0, Power::Shell);
    assert!(request.unwrap().1.starts_with("pwd;"));
    let steps: Vec<u32> = outcome.items().into_iter().map(|(step, _)| step).collect();
    assert_eq!(steps, [0, 0, 1]);
    let streamed: String = outcome
        .outputs
        .iter()
        .filter_map(|output| match output {
            Output::Printed { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(expected.starts_with(&streamed) && streamed.contains("oops"));
}

#[tokio::test]
async fn a_tool_gets_the_daemons_answer_and_a_shell_that_is_denied_does_not_run() {
    let mut session = Session::start().await;
    session.begin(vec![human(r#"<<tool todo {"a":1}>><<tool nope>><<say after>>"#)]).await;
    let mut outputs = Vec::new();
    let outcome = loop {
        match session.next().await {
            Output::ToolRequest { call, name, input } => {
                let (outcome, text) = match name.as_str() {
                    "todo" => (ToolOutcome::Ok, input.to_string()),
                    _ => (ToolOutcome::Denied, "not granted".to_owned()),
                };
                session.send(Input::ToolResult { call, outcome, text }).await;
            }
            Output::TurnEnded { end, .. } => break crate::support::Outcome { outputs, end },
            output => outputs.push(output),
        }
    };
    let expected = [
        (ToolOutcome::Ok, None, json!({"a": 1}).to_string()),
        (ToolOutcome::Denied, None, "not granted".into()),
    ];
    let results: Vec<_> = outcome.results().into_iter().map(|(o, c, t)| (o, c, t.to_owned())).collect();
    assert_eq!(results, expected);
    assert_eq!(outcome.texts("assistant_text"), ["after"]);

    session.begin(vec![human("<<sh touch ran>>")]).await;
    let call = loop {
        match within(session.harness.output.recv()).await.unwrap() {
            Output::Ask(request) => break request.call,
            _ => continue,
        }
    };
    session.send(Input::Permission { call, decision: Answer::Deny { message: "no shell".into() } }).await;
    let outcome = session.finish().await;
    assert_eq!(outcome.results(), [(ToolOutcome::Denied, None, "no shell")]);
    assert!(!session.place.home().join("ran").exists());
}

#[tokio::test]
async fn an_ask_waits_for_its_answer_and_the_script_goes_on() {
    let mut session = Session::start().await;
    session.begin(vec![human("<<ask one?>><<say a>><<ask two?>><<say b>>")]).await;
    let mut calls = Vec::new();
    let (allow, deny) =
        (Answer::Allow { input: Value::Null, message: None }, Answer::Deny { message: "why".into() });
    for (question, stale, decision) in [("one?", &deny, &allow), ("two?", &allow, &deny)] {
        let call = loop {
            match session.next().await {
                Output::Ask(request) if request.display() == question => break request.call,
                Output::Item { .. } => continue,
                other => panic!("{other:?}"),
            }
        };
        session.send(Input::Permission { call: "stale".into(), decision: stale.clone() }).await;
        session.send(Input::Permission { call: call.clone(), decision: decision.clone() }).await;
        calls.push(call);
    }
    assert_ne!(calls[0], calls[1]);
    let outcome = session.finish().await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    assert_eq!(outcome.texts("notice"), ["Denied: two? (why)"]);
    assert_eq!(outcome.texts("assistant_text"), ["b"]);
}

#[tokio::test]
async fn failures_have_codes_and_the_process_lives_on() {
    let mut session = Session::start().await;
    let failed = |code: &str, text: &str| {
        TurnEnd::Failed(Failed { code: FailureCode::Own(code.into()), text: text.into(), until: None })
    };
    let outcome = session.run("<<say a>><<fail no luck>><<say b>>").await;
    assert_eq!(outcome.end, failed("scripted_failure", "no luck"));
    assert_eq!(outcome.texts("assistant_text"), ["a"]);
    let outcome = session.run("<<say a>><<dance>>").await;
    let TurnEnd::Failed(Failed { code, text, .. }) = outcome.end else { panic!("{outcome:?}") };
    assert_eq!(code.word(), "script_error");
    assert!(text.contains("`<<dance>>`") && text.contains("big-line"), "{text}");
    assert!(outcome.outputs.is_empty());
    assert_eq!(session.run("<<say still here>>").await.texts("assistant_text"), ["still here"]);
}

#[tokio::test]
async fn crashes_are_told_apart() {
    for (text, code, signal) in
        [("<<crash>>", Some(70), None), ("<<crash 3>>", Some(3), None), ("<<crash KILL>>", None, Some(9))]
    {
        let mut session = Session::start().await;
        session.begin(vec![human(&format!("<<sh sleep 1000 &>>{text}"))]).await;
        let exit = session.exit().await;
        assert_eq!((exit.code, exit.signal), (code, signal), "{text}");
    }
}

#[tokio::test]
async fn lines_that_are_not_the_protocol_are_kept_and_harm_nothing() {
    let mut session = Session::start().await;
    let outcome = session.run("<<garbage>><<big-line 1m>><<big-line 65m>><<say fine>>").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    let raw = outcome.texts("raw");
    assert!(raw[0].contains("this is not the protocol"), "{}", raw[0]);
    assert_eq!(raw[1].len(), 1024 * 1024);
    assert_eq!(raw[2].len(), 64 * 1024);
    let size = (65 * 1024 * 1024).to_string();
    assert!(outcome.texts("notice")[0].contains(&size));
    assert_eq!(outcome.texts("assistant_text"), ["fine"]);
}

#[tokio::test]
async fn spew_is_as_long_as_it_says() {
    let mut session = Session::start().await;
    let outcome = session.run("<<spew 300k>>").await;
    let text = outcome.texts("assistant_text")[0];
    assert_eq!(text.len(), 300 * 1024);
    let streamed: usize = outcome
        .outputs
        .iter()
        .map(|output| match output {
            Output::Delta { text, .. } => text.len(),
            _ => 0,
        })
        .sum();
    assert_eq!(streamed, text.len());
}

#[tokio::test]
async fn an_interrupt_ends_a_command_and_all_that_it_started() {
    let mut session = Session::start().await;
    let mut witness = session.place.witness();
    let command =
        "(setsid sh -c 'exec 9>witness; trap \"\" TERM; echo up >&9; sleep 1000' &); echo hi; sleep 1000";
    session.begin(vec![human(&format!("<<sh {command}>><<say never>>"))]).await;
    while !matches!(session.next().await, Output::Printed { .. }) {}
    assert_eq!(witness.line().await, "up");
    session.send(Input::Interrupt).await;
    let outcome = session.finish().await;
    assert_eq!(outcome.end, TurnEnd::Interrupted);
    assert_eq!(outcome.results(), [(ToolOutcome::Interrupted, None, "hi\n")]);
    assert!(outcome.texts("assistant_text").is_empty());
    witness.gone().await;
    assert_eq!(session.run("<<sh echo next>>").await.results(), [(ToolOutcome::Ok, Some(0), "next\n")]);
}

#[tokio::test]
async fn an_interrupt_spares_what_an_earlier_turn_left_running() {
    let mut session = Session::start().await;
    let mut witness = session.place.witness();
    session.run("<<sh sh -c 'exec 9>witness; echo $$ >&9; exec sleep 1000' &>>").await;
    let background = witness.line().await.parse().unwrap();
    session.begin(vec![human("<<sh echo up; sleep 1000>>")]).await;
    while !matches!(session.next().await, Output::Printed { .. }) {}
    session.send(Input::Interrupt).await;
    assert_eq!(session.finish().await.end, TurnEnd::Interrupted);
    assert!(
        ancestors(background).unwrap().iter().any(|process| process.pid == session.harness.shim.unwrap())
    );
    session.harness.control.stop();
    session.exit().await;
    witness.gone().await;
}

#[tokio::test]
async fn an_interrupt_ends_what_only_waits() {
    let mut session = Session::start().await;
    for script in
        ["<<say x>><<hang>>", "<<say x>><<ask y?>>", "<<say x>><<tool t>>", "<<say x>><<wait 999999>>"]
    {
        session.begin(vec![human(script)]).await;
        assert!(matches!(session.next().await, Output::Item { .. }), "{script}");
        session.send(Input::Interrupt).await;
        let outcome = session.finish().await;
        assert_eq!(outcome.end, TurnEnd::Interrupted, "{script}");
        let calls = outcome.texts("tool_call").len();
        assert_eq!(outcome.results().len(), calls, "{script}");
    }
    assert_eq!(session.run("<<say on>>").await.texts("assistant_text"), ["on"]);
}

#[tokio::test]
async fn a_steered_message_is_taken_up_between_steps() {
    let mut session = Session::start().await;
    session.begin(vec![human("<<say first>><<ask go on?>><<say second>>")]).await;
    let call = loop {
        if let Output::Ask(request) = session.next().await {
            break request.call;
        }
    };
    let directive = human("<<say steered>>");
    let quoted = message(Actor::Daemon, "<<say no>>");
    session.send(Input::Steer { message: directive.clone() }).await;
    session.send(Input::Steer { message: quoted.clone() }).await;
    session
        .send(Input::Permission { call, decision: Answer::Allow { input: Value::Null, message: None } })
        .await;
    let outcome = session.finish().await;
    assert_eq!(outcome.texts("assistant_text"), ["second", "steered", "Received: <<say no>>"]);
    let confirmed =
        [directive, quoted].map(|message| Output::Steered { delivery: message.delivery, item: None });
    assert_eq!(outcome.outputs[..2], confirmed);
}

#[tokio::test]
async fn a_start_file_gives_each_turn_its_section_also_after_a_restart() {
    let place = Place::new();
    std::fs::write(place.home().join("script"), "<<say one>>\n---\n<<say two>>\n---\n<<say three>>\n")
        .unwrap();
    let mut session = Session::start_with(place, Some("script"), 1).await;
    assert_eq!(session.run("go").await.texts("assistant_text"), ["two"]);
    assert_eq!(session.run("<<say mine>>").await.texts("assistant_text"), ["mine"]);
    assert_eq!(session.run("go").await.texts("assistant_text"), ["three"]);
}

#[tokio::test]
async fn a_start_file_that_cannot_be_run_is_refused_with_words() {
    let place = Place::new();
    let directory = place.home().to_owned();
    std::fs::write(directory.join("wrong"), "<<say a>>\n---\n<<dance>>").unwrap();
    std::fs::write(directory.join("binary"), [0xff, 0xfe]).unwrap();
    for (model, words) in [("missing", "cannot read"), ("binary", "cannot read"), ("wrong", "section 2")] {
        let check = check(&directory, Some(model));
        let error = Scripted.check(&check).unwrap_err();
        assert!(error.message.contains(words) && error.message.contains(model), "{error}");
        assert!(error.hint.is_some());
    }
    assert_eq!(Scripted.check(&check(&directory, None)), Ok(()));
}

fn check(directory: &Path, model: Option<&str>) -> Check {
    Check {
        directory: directory.to_owned(),
        model: model.map(str::to_owned),
        effort: None,
        permissions: Mode::Full,
    }
}

#[tokio::test]
async fn the_end_of_input_is_a_clean_end_and_a_dropped_harness_ends_too() {
    let mut session = Session::start().await;
    let (closed, _) = tokio::sync::mpsc::channel(1);
    session.harness.input = closed;
    assert_eq!(session.exit().await.code, Some(0));

    let mut session = Session::start().await;
    let mut witness = session.place.witness();
    session.begin(vec![human("<<sh exec 9>witness; echo up >&9; sleep 1000>>")]).await;
    while !matches!(session.next().await, Output::Ask(_)) {}
    assert_eq!(witness.line().await, "up");
    drop(session.harness);
    witness.gone().await;
}
