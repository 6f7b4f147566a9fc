//! The real Claude Code, with a scripted model behind it. Where it is not installed, there is nothing to run.

mod asks;

use std::path::Path;

use paseo_core::id::TurnId;
use paseo_core::item::{Kind, ToolOutcome, Usage};
use paseo_core::permission::{Form, Mode, Shape, form};
use paseo_core::time::Timestamp;
use paseo_runtime::claude::Claude;
use paseo_runtime::process_table;
use paseo_runtime::provider::{
    Answer, DeltaKind, FailureCode, Harness, Input, Launch, McpServer, Options, Output, Provider, Readiness,
    TurnEnd,
};
use paseo_testkit::model::ModelServer;
use paseo_testkit::real::{Program, Real};

use crate::support::{Place, executable, human, within};

/// A place where the real program can live.
struct House {
    model: ModelServer,
    real: Real,
    place: Place,
}

impl House {
    fn new() -> Option<Self> {
        let model = ModelServer::start();
        let real = Program::Claude.with(&model)?;
        Some(Self { model, real, place: Place::new() })
    }

    fn claude(&self) -> Claude {
        let program = Some(self.real.program().to_owned());
        Claude::new(Options { program, isolated_home: Some(self.real.config()) })
    }

    fn launch(&self) -> Launch {
        let mut environment = self.place.environment();
        // Its shells read the start files of whoever runs the tests.
        environment.push(("HOME".to_owned(), self.place.home().display().to_string()));
        environment
            .extend(self.real.environment().iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        Launch {
            session: self.place.session,
            directory: self.place.home().to_owned(),
            model: Some("claude-sonnet-4-5".into()),
            effort: None,
            permissions: Mode::Full,
            withheld: Vec::new(),
            guarded: false,
            terminal: None,
            prompt: "the first prompt".into(),
            servers: Vec::new(),
            tools: Vec::new(),
            chain: Vec::new(),
            remote: None,
            past: Vec::new(),
            resume: None,
            turns: 0,
            executable: executable(),
            environment,
            removed: Vec::new(),
            patience: std::time::Duration::from_secs(60),
        }
    }

    async fn start(&self) -> Talk {
        self.start_with(self.launch()).await
    }

    async fn start_with(&self, launch: Launch) -> Talk {
        // A message with an id that the conversation knows would be taken for a repeat.
        let turns = if launch.resume.is_some() { 100 } else { 0 };
        Talk { harness: self.claude().start(launch).await.unwrap(), turns, allow: true, words: None }
    }
}

/// A talk with the program.
struct Talk {
    harness: Harness,
    turns: u8,
    /// What becomes of an ask.
    allow: bool,
    /// Said along with it.
    words: Option<String>,
}

impl Talk {
    async fn send(&self, input: Input) {
        within(self.harness.input.send(input)).await.unwrap();
    }

    async fn begin(&mut self, text: &str) {
        self.turns += 1;
        let turn = TurnId::from_parts(Timestamp::from_millis(1), [self.turns; 10]);
        self.send(Input::Turn { turn, messages: vec![human(text)] }).await;
    }

    /// Returns the next output. Asks are answered on the way.
    async fn next(&mut self) -> Output {
        let output = within(self.harness.output.recv()).await.expect("the harness went silent");
        if let Output::Ask(request) = &output {
            let decision =
                if let (Some(Form::Questions { questions }), Some(words)) = (&request.form, &self.words) {
                    Answer::Choose { answers: form::answers_in_words(questions, words).unwrap() }
                } else if self.allow {
                    // Out of the words of a question no input is read.
                    let question = matches!(request.shape, Shape::Question { .. });
                    let input = if question { serde_json::Value::Null } else { request.input.clone() };
                    Answer::Allow { input, message: self.words.clone() }
                } else {
                    Answer::Deny { message: "no".into() }
                };
            self.send(Input::Permission { call: request.call.clone(), decision }).await;
        }
        output
    }

    /// Reads up to the output that is looked for.
    async fn until(&mut self, wanted: impl Fn(&Output) -> bool) -> Vec<Output> {
        let mut outputs = Vec::new();
        loop {
            outputs.push(self.next().await);
            if outputs.last().is_some_and(&wanted) {
                return outputs;
            }
        }
    }

    async fn finish(&mut self) -> Vec<Output> {
        self.until(|output| matches!(output, Output::TurnEnded { .. })).await
    }

    async fn run(&mut self, text: &str) -> Vec<Output> {
        self.begin(text).await;
        self.finish().await
    }

    /// Ends all processes and waits for that.
    async fn leave(mut self) {
        self.harness.control.stop();
        self.until(|output| matches!(output, Output::Exited(_))).await;
    }
}

fn is_call(output: &Output) -> bool {
    matches!(output, Output::Item { draft, .. } if matches!(draft.kind, Kind::ToolCall { .. }))
}

fn said(outputs: &[Output]) -> Vec<&str> {
    let texts = outputs.iter().filter_map(|output| match output {
        Output::Item { draft, .. } if draft.kind == Kind::AssistantText => draft.text.as_deref(),
        _ => None,
    });
    texts.collect()
}

fn codes(outputs: &[Output]) -> Vec<&str> {
    let codes = outputs.iter().filter_map(|output| match output {
        Output::Item { draft, .. } => match &draft.kind {
            Kind::Notice { code } => Some(code.as_str()),
            _ => None,
        },
        _ => None,
    });
    codes.collect()
}

fn outcomes(outputs: &[Output]) -> Vec<ToolOutcome> {
    let outcomes = outputs.iter().filter_map(|output| match output {
        Output::Item { draft, .. } => match draft.kind {
            Kind::ToolResult { outcome, .. } => Some(outcome),
            _ => None,
        },
        _ => None,
    });
    outcomes.collect()
}

fn usages(outputs: &[Output]) -> Vec<Usage> {
    let usages = outputs.iter().filter_map(|output| match output {
        Output::Item { draft, .. } => match draft.kind {
            Kind::Usage(usage) => Some(usage),
            _ => None,
        },
        _ => None,
    });
    usages.collect()
}

fn end(outputs: &[Output]) -> TurnEnd {
    match outputs.last() {
        Some(Output::TurnEnded { end, .. }) => end.clone(),
        other => panic!("not ended: {other:?}"),
    }
}

fn failure(outputs: &[Output]) -> FailureCode {
    match end(outputs) {
        TurnEnd::Failed(failed) => failed.code,
        other => panic!("not failed: {other:?}"),
    }
}

fn reference(outputs: &[Output]) -> String {
    let found = outputs.iter().find_map(|output| match output {
        Output::Reference(reference) => Some(reference.clone()),
        _ => None,
    });
    found.expect("a reference")
}

/// Says whether something under the shim has this word on its command line.
fn runs(shim: u32, word: &str) -> bool {
    process_table::descendants(shim).iter().any(|process| {
        let line = std::fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes())
    })
}

#[tokio::test]
async fn it_is_ready_and_says_its_version() {
    let Some(house) = House::new() else { return };
    std::fs::write(house.real.config().join(".credentials.json"), "{}").unwrap();
    let claude = house.claude();
    assert_eq!(claude.readiness(), Readiness::Ready { program: Some(house.real.program().to_owned()) });
    assert!(claude.version().await.unwrap().unwrap().starts_with(char::is_numeric));
}

#[tokio::test]
async fn a_turn_streams_runs_its_tools_and_ends() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let outputs = talk.run("<<think hm>> <<say hello>> <<bash echo hi > made>> <<say done>>").await;
    assert_eq!(end(&outputs), TurnEnd::Completed);
    assert_eq!(said(&outputs), ["hello", "done [turns=1 tools=1 model=claude-sonnet-4-5]"]);
    assert_eq!(outcomes(&outputs), [ToolOutcome::Ok]);
    let first = outputs.iter().find(|output| !matches!(output, Output::Commands(_)));
    assert!(matches!(first, Some(Output::Handed { .. })), "{outputs:?}");
    for kind in [DeltaKind::Thinking, DeltaKind::AssistantText] {
        assert!(
            outputs
                .iter()
                .any(|output| matches!(output, Output::Delta { kind: found, .. } if *found == kind))
        );
    }
    assert_eq!(std::fs::read_to_string(house.place.home().join("made")).unwrap(), "hi\n");
    let second = talk.run("<<say again>>").await;
    assert_eq!(said(&second), ["again [turns=2 tools=1 model=claude-sonnet-4-5]"]);
    let unknown = [&outputs[..], &second[..]].concat().into_iter().find(
        |output| matches!(output, Output::Item { draft, .. } if matches!(draft.kind, Kind::Raw { .. })),
    );
    assert_eq!(unknown, None);
    talk.leave().await;
}

#[tokio::test]
async fn a_conversation_goes_on_after_its_process_was_killed() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    talk.begin("<<bash for i in 1 2 3 4 5 6 7 8 9; do sleep 4; done>> <<say never>>").await;
    talk.until(is_call).await;
    let outputs = talk.until(|output| matches!(output, Output::Reference(_))).await;
    let reference = reference(&outputs);
    paseo_runtime::process::kill(talk.harness.shim.unwrap());
    talk.until(|output| matches!(output, Output::Exited(_))).await;
    let launch =
        Launch { resume: Some(reference.clone()), prompt: "the second prompt".into(), ..house.launch() };
    let mut talk = house.start_with(launch).await;
    let outputs = talk.run("<<say back>>").await;
    assert!(said(&outputs)[0].starts_with("back [turns=2"), "{outputs:?}");
    assert_eq!(self::reference(&outputs), reference);
    let prompts: Vec<String> =
        house.model.requests().iter().map(|request| request.body["system"].to_string()).collect();
    assert!(prompts.first().unwrap().contains("the first prompt"));
    let last = prompts.last().unwrap();
    assert!(last.contains("the second prompt") && !last.contains("the first prompt"));
    talk.leave().await;
}

#[tokio::test]
async fn a_conversation_that_is_not_there_is_forgotten() {
    let Some(house) = House::new() else { return };
    let resume = Some("00000000-0000-4000-8000-000000000001".to_owned());
    let mut talk = house.start_with(Launch { resume, ..house.launch() }).await;
    let outputs = talk.run("<<say x>>").await;
    assert!(outputs.contains(&Output::Forgotten));
    assert_eq!(failure(&outputs), FailureCode::ResumeFailed);
    talk.until(|output| matches!(output, Output::Exited(_))).await;
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_every_command_it_started() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    // One that claude itself can find, and one that got away from it.
    let script = "setsid sleep 6401 & bash -c 'setsid sleep 6402 & disown'; touch ready; sleep 6403";
    talk.begin(&format!("<<bash {script}>> <<say never>>")).await;
    talk.until(is_call).await;
    talk.until(|output| matches!(output, Output::Ask(_))).await;
    let ready = house.place.home().join("ready");
    within(async {
        while !ready.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    assert!(runs(talk.harness.shim.unwrap(), "6402"));
    talk.send(Input::Interrupt).await;
    let outputs = talk.finish().await;
    assert_eq!(end(&outputs), TurnEnd::Interrupted);
    assert_eq!(outcomes(&outputs), [ToolOutcome::Interrupted]);
    for left in ["6401", "6402", "6403"] {
        within(async {
            while runs(talk.harness.shim.unwrap(), left) {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        })
        .await;
    }
    let next = talk.run("<<say next>>").await;
    assert!(said(&next)[0].starts_with("next"));
    assert_eq!(said(&next).len(), 1);
    talk.leave().await;
}

#[tokio::test]
async fn an_interrupt_right_after_the_message_ends_that_turn() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    talk.begin("<<slow 300>> <<say a b c d e f g h i j>>").await;
    talk.send(Input::Interrupt).await;
    let outputs = talk.finish().await;
    assert_eq!(end(&outputs), TurnEnd::Interrupted);
    let next = talk.run("<<say next>>").await;
    assert_eq!(end(&next), TurnEnd::Completed);
    assert!(said(&next)[0].starts_with("next"));
    talk.leave().await;
}

#[tokio::test]
async fn a_steered_message_enters_the_running_turn() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    talk.begin("<<bash for i in 1 2; do sleep 1; done>> <<say old>>").await;
    talk.until(is_call).await;
    let message = human("steered <<say new>>");
    let delivery = message.delivery;
    talk.send(Input::Steer { message }).await;
    let outputs = talk.finish().await;
    assert!(outputs.contains(&Output::Steered { delivery, item: None }));
    assert_eq!(end(&outputs), TurnEnd::Completed);
    talk.leave().await;
}

#[tokio::test]
async fn a_message_steered_at_the_very_end_is_not_lost() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    talk.begin("<<slow 200>> <<say a b c>>").await;
    talk.until(|output| matches!(output, Output::Delta { .. })).await;
    let message = human("late <<say new>>");
    let delivery = message.delivery;
    talk.send(Input::Steer { message }).await;
    let outputs = talk.finish().await;
    assert!(outputs.contains(&Output::Steered { delivery, item: None }), "{outputs:?}");
    assert!(said(&outputs).last().unwrap().starts_with("new"), "{outputs:?}");
    talk.leave().await;
}

#[tokio::test]
async fn it_goes_on_by_itself_when_work_in_the_background_ends() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let outputs = talk.run("<<background sleep 1; echo finished>> <<say started>>").await;
    assert_eq!(end(&outputs), TurnEnd::Completed);
    assert!(outputs.contains(&Output::Background { tasks: 1 }), "{outputs:?}");
    let outputs = talk.finish().await;
    assert!(outputs.contains(&Output::Background { tasks: 0 }), "{outputs:?}");
    let began = outputs.iter().find_map(|output| match output {
        Output::TurnBegan { turn } => Some(*turn),
        _ => None,
    });
    assert_eq!(outputs.last(), Some(&Output::TurnEnded { turn: began.unwrap(), end: TurnEnd::Completed }));
    assert_eq!(codes(&outputs), ["background_task"]);
    talk.leave().await;
}

#[tokio::test]
async fn failures_have_their_codes() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let cases = [
        ("401", FailureCode::NotLoggedIn),
        ("403", FailureCode::NotLoggedIn),
        ("429", FailureCode::RateLimited),
        ("500", FailureCode::ModelError),
        ("529", FailureCode::ModelError),
        ("400", FailureCode::HarnessError),
    ];
    for (status, code) in cases {
        let outputs = talk.run(&format!("<<status {status}>>")).await;
        assert_eq!(failure(&outputs), code, "{status}");
        assert_eq!(said(&outputs), [""; 0]);
    }
    let outputs = talk.run("<<status 529 times=1>> <<say after all>>").await;
    assert_eq!(end(&outputs), TurnEnd::Completed);
    assert_eq!(codes(&outputs), ["retrying"]);
    talk.leave().await;
}

#[tokio::test]
async fn a_server_of_ours_that_cannot_be_reached_is_told() {
    let Some(house) = House::new() else { return };
    let servers = vec![McpServer { name: "Paseo".into(), url: "http://127.0.0.1:9/mcp".into() }];
    let mut talk = house.start_with(Launch { servers, ..house.launch() }).await;
    let outputs = talk.run("<<say x>>").await;
    assert_eq!(codes(&outputs), ["mcp_failed"]);
    assert_eq!(end(&outputs), TurnEnd::Completed);
    talk.leave().await;
}

#[tokio::test]
async fn the_commands_of_claude_do_not_outlive_it() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    talk.begin("<<bash touch ready; for i in 1 2 3 4 5 6 7 8 9; do sleep 4; done>>").await;
    let ready = house.place.home().join("ready");
    talk.until(is_call).await;
    talk.until(|output| matches!(output, Output::Ask(_))).await;
    within(async {
        while !Path::exists(&ready) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    let below = process_table::descendants(talk.harness.shim.unwrap());
    talk.leave().await;
    let alive = below
        .iter()
        .filter(|process| process_table::ancestors(process.pid).is_ok_and(|chain| chain[0] == **process));
    assert_eq!(alive.count(), 0);
}

#[tokio::test]
async fn a_turn_is_paid_once_however_its_process_ended() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let mut outputs = talk.run("<<say a>>").await;
    outputs.extend(talk.run("<<bash true>><<say b>>").await);
    let reference = reference(&outputs);
    let resumed = || Launch { resume: Some(reference.clone()), ..house.launch() };
    // After a clean exit, the sum goes on.
    talk.leave().await;
    let mut talk = house.start_with(resumed()).await;
    outputs.extend(talk.run("<<say c>>").await);
    // After a crash, it goes on from where it was before this process.
    paseo_runtime::process::kill(talk.harness.shim.unwrap());
    talk.until(|output| matches!(output, Output::Exited(_))).await;
    let mut talk = house.start_with(resumed()).await;
    talk.turns = 150;
    outputs.extend(talk.run("<<say d>>").await);
    outputs.extend(talk.run("<<say e>>").await);
    talk.leave().await;
    let usages = usages(&outputs);
    assert_eq!(usages.len(), 5, "{usages:?}");
    for usage in usages {
        // Dollars for a million tokens: 3 in, 0.3 from the cache, 15 out.
        let fresh = usage.input_tokens - usage.cached_tokens;
        let price = fresh * 3 + usage.cached_tokens * 3 / 10 + usage.output_tokens * 15;
        assert_eq!(usage.cost_micros, Some(price), "{usage:?}");
    }
}
