//! The real codex, with a scripted model behind it. Where it is not installed, there is nothing to run.

use paseo_core::id::TurnId;
use paseo_core::item::{Kind, ToolOutcome};
use paseo_core::permission::{Mode, Power};
use paseo_core::time::Timestamp;
use paseo_runtime::codex::Codex;
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
        let real = Program::Codex.with(&model)?;
        Some(Self { model, real, place: Place::new() })
    }

    fn codex(&self) -> Codex {
        let program = Some(self.real.program().to_owned());
        Codex::new(Options { program, isolated_home: Some(self.real.config()) })
    }

    fn launch(&self) -> Launch {
        let mut environment = self.place.environment();
        // Commands run in login shells: what the user's own profile does is not for tests to cut off.
        environment.push(("HOME".to_owned(), self.place.home().display().to_string()));
        environment
            .extend(self.real.environment().iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        Launch {
            session: self.place.session,
            directory: self.place.home().canonicalize().unwrap(),
            model: Some("chosen".into()),
            effort: Some("high".into()),
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
        Talk { harness: self.codex().start(launch).await.unwrap(), turns: 0, deny: false, asked: Vec::new() }
    }

    fn has(&self, file: &str) -> bool {
        self.place.home().join(file).exists()
    }

    /// Counts a text in the last request to the model.
    fn told(&self, text: &str) -> usize {
        let requests = self.model.requests();
        requests.last().unwrap().body["input"].to_string().matches(text).count()
    }
}

/// A talk with the program.
struct Talk {
    harness: Harness,
    turns: u8,
    /// What is not reading is denied.
    deny: bool,
    /// The tools that were asked about, with the power that they need.
    asked: Vec<(String, Power)>,
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
            self.asked.push((request.tool.clone(), request.power));
            let decision = if self.deny && request.power != Power::Read {
                Answer::Deny { message: "no".into() }
            } else {
                Answer::Allow { input: request.input.clone(), message: None }
            };
            self.send(Input::Permission { call: request.call.clone(), decision }).await;
        }
        output
    }

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

fn said(outputs: &[Output]) -> Vec<&str> {
    let texts = outputs.iter().filter_map(|output| match output {
        Output::Item { draft, .. } if draft.kind == Kind::AssistantText => draft.text.as_deref(),
        _ => None,
    });
    texts.collect()
}

fn kinds(outputs: &[Output]) -> Vec<&Kind> {
    let kinds = outputs.iter().filter_map(|output| match output {
        Output::Item { draft, .. } => Some(&draft.kind),
        _ => None,
    });
    kinds.collect()
}

fn outcomes(outputs: &[Output]) -> Vec<ToolOutcome> {
    let outcomes = kinds(outputs).into_iter().filter_map(|kind| match kind {
        Kind::ToolResult { outcome, .. } => Some(*outcome),
        _ => None,
    });
    outcomes.collect()
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
async fn codex_is_ready_and_says_its_version() {
    let Some(house) = House::new() else { return };
    std::fs::write(house.real.config().join("auth.json"), "{}").unwrap();
    let codex = house.codex();
    assert_eq!(codex.readiness(), Readiness::Ready { program: Some(house.real.program().to_owned()) });
    assert!(codex.version().await.unwrap().unwrap().starts_with("codex-cli "));
}

#[tokio::test]
async fn codex_streams_runs_its_tools_and_ends() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let outputs = talk
        .run("<<think hm>> <<say hello>> <<bash echo hi > made>> <<write new.txt text>> <<say done>>")
        .await;
    assert_eq!(end(&outputs), TurnEnd::Completed);
    assert_eq!(said(&outputs), ["hello", "done [turns=1 tools=2 model=chosen]"]);
    assert_eq!(outcomes(&outputs), [ToolOutcome::Ok, ToolOutcome::Ok]);
    assert!(is_handed_first(&outputs), "{outputs:?}");
    for kind in [DeltaKind::Thinking, DeltaKind::AssistantText] {
        let streamed =
            |output: &Output| matches!(output, Output::Delta { kind: found, .. } if *found == kind);
        assert!(outputs.iter().any(streamed), "{kind:?}");
    }
    assert!(house.has("made") && house.has("new.txt"));
    assert_eq!(house.told("the first prompt"), 1);
    assert_eq!(house.model.requests().last().unwrap().body["reasoning"]["effort"], "high");
    let second = talk.run("<<say again>>").await;
    assert_eq!(said(&second), ["again [turns=2 tools=2 model=chosen]"]);
    let usages = kinds(&outputs).into_iter().filter(|kind| matches!(kind, Kind::Usage(_))).count();
    assert_eq!(usages, 1);
    let all = [&outputs[..], &second[..]].concat();
    assert!(!kinds(&all).iter().any(|kind| matches!(kind, Kind::Raw { .. })), "{all:?}");
    talk.leave().await;
}

/// Says whether nothing but notices and the reference came before the turn was handed.
fn is_handed_first(outputs: &[Output]) -> bool {
    let handed = outputs.iter().position(|output| matches!(output, Output::Handed { .. }));
    let before = &outputs[..handed.expect("handed")];
    before.iter().all(|output| match output {
        Output::Item { draft, .. } => matches!(draft.kind, Kind::Notice { .. }),
        output => matches!(output, Output::Reference(_)),
    })
}

#[tokio::test]
async fn codex_goes_on_after_it_was_killed_in_the_middle_of_a_tool() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let first = talk.run("<<say one>>").await;
    let thread = reference(&first);
    let mut witness = house.place.witness();
    talk.begin("<<bash echo go > witness; sleep 1000>>").await;
    witness.line().await;
    for process in process_table::descendants(talk.harness.shim.unwrap()) {
        let pid = rustix::process::Pid::from_raw(process.pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
    }
    talk.until(|output| matches!(output, Output::Exited(_))).await;

    let mut talk = house
        .start_with(Launch {
            resume: Some(thread.clone()),
            prompt: "the second prompt".into(),
            ..house.launch()
        })
        .await;
    let outputs = talk.run("<<say two>>").await;
    assert_eq!(said(&outputs), ["two [turns=3 tools=1 model=chosen]"]);
    assert_eq!((house.told("the first prompt"), house.told("the second prompt")), (1, 1));
    talk.leave().await;
    let mut talk = house
        .start_with(Launch { resume: Some(thread), prompt: "the second prompt".into(), ..house.launch() })
        .await;
    talk.run("<<say three>>").await;
    assert_eq!(house.told("the second prompt"), 1, "not again while it is the same");
    assert_eq!(house.model.requests().last().unwrap().body["reasoning"]["effort"], "high");
    talk.leave().await;
}

#[tokio::test]
async fn codex_is_told_that_its_prompt_is_gone() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let outputs = talk.run("<<say one>>").await;
    let thread = outputs.iter().find_map(|output| match output {
        Output::Reference(thread) => Some(thread.clone()),
        _ => None,
    });
    talk.leave().await;
    let launch = Launch { resume: thread, prompt: String::new(), ..house.launch() };
    let mut talk = house.start_with(launch).await;
    talk.run("<<say two>>").await;
    assert_eq!(house.told("no longer apply"), 1);
    talk.run("<<say three>>").await;
    assert_eq!(house.told("no longer apply"), 1, "said once");
    talk.leave().await;
}

#[tokio::test]
async fn codex_calls_that_it_makes_no_item_of_are_told() {
    let Some(house) = House::new() else { return };
    let launch = Launch { permissions: Mode::ReadOnly, ..house.launch() };
    let mut talk = house.start_with(launch).await;
    let outputs = talk.run("<<bash touch /tmp/paseo-never>><<tool gone {}>><<say done>>").await;
    let calls = outputs
        .iter()
        .filter(|output| matches!(output, Output::Item { draft, .. } if draft.kind.word() == "tool_call"));
    let results: Vec<&ToolOutcome> = outputs
        .iter()
        .filter_map(|output| match output {
            Output::Item { draft, .. } => match &draft.kind {
                Kind::ToolResult { outcome, .. } => Some(outcome),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(calls.count(), 2, "{outputs:#?}");
    assert!(results.len() == 2 && !results.contains(&&ToolOutcome::Ok), "{results:?}");
    talk.leave().await;
}

#[tokio::test]
async fn codex_forgets_a_conversation_that_it_does_not_know() {
    let Some(house) = House::new() else { return };
    let resume = Some("01a1df29-adb1-7bd2-8d23-095b12cbde00".to_owned());
    let mut talk = house.start_with(Launch { resume, ..house.launch() }).await;
    let outputs = talk.run("<<say hi>>").await;
    assert!(outputs.contains(&Output::Forgotten), "{outputs:?}");
    assert_eq!(failure(&outputs), FailureCode::ResumeFailed);
    assert_eq!(end(&talk.run("<<say hi>>").await), TurnEnd::Completed, "a new one");
    talk.leave().await;
}

#[tokio::test]
async fn codex_ends_the_commands_of_a_turn_that_is_interrupted_and_no_others() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let background = r#"<<tool exec_command {"cmd": "sleep 1001", "yield_time_ms": 250}>> <<say up>>"#;
    let outputs = talk.run(background).await;
    assert_eq!(outcomes(&outputs), [ToolOutcome::Ok], "it runs on");
    assert!(runs(talk.harness.shim.unwrap(), "1001"));
    let mut witness = house.place.witness();
    talk.begin("<<bash setsid sleep 1002 & sh -c 'echo go > witness; exec sleep 1003'>> <<say never>>").await;
    witness.line().await;
    talk.send(Input::Interrupt).await;
    let outputs = talk.finish().await;
    assert_eq!(end(&outputs), TurnEnd::Interrupted);
    assert!(!runs(talk.harness.shim.unwrap(), "1003") && !runs(talk.harness.shim.unwrap(), "1002"));
    assert!(runs(talk.harness.shim.unwrap(), "1001"), "an earlier turn's goes on");
    let outputs = talk.run("<<say next>>").await;
    assert_eq!(said(&outputs).len(), 1, "{outputs:?}");
    assert_eq!(outcomes(&outputs), [], "nothing late");
    talk.leave().await;
}

#[tokio::test]
async fn codex_can_be_interrupted_as_soon_as_it_has_a_turn() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    talk.run("<<say warm>>").await;
    for _ in 0..5 {
        talk.begin("<<bash sleep 1000>>").await;
        talk.send(Input::Interrupt).await;
        assert_eq!(end(&talk.finish().await), TurnEnd::Interrupted);
    }
    talk.leave().await;
}

#[tokio::test]
async fn codex_confirms_a_steered_message_once_the_model_has_it() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    let is_steered = |output: &Output| matches!(output, Output::Steered { .. });
    let mut witness = house.place.witness();
    talk.begin("<<bash echo go > witness; sleep 1>> <<say done>>").await;
    witness.line().await;
    talk.send(Input::Steer { message: human("also this") }).await;
    let outputs = talk.finish().await;
    assert_eq!(outputs.iter().filter(|output| is_steered(output)).count(), 1);
    assert!(said(&outputs).last().unwrap().contains("also this"), "{outputs:?}");
    talk.begin("<<bash sleep 1000>>").await;
    let is_call =
        |output: &Output| matches!(output, Output::Item { draft, .. } if draft.kind.word() == "tool_call");
    talk.until(is_call).await;
    talk.send(Input::Steer { message: human("lost") }).await;
    talk.send(Input::Interrupt).await;
    assert!(!talk.finish().await.iter().any(is_steered));
    talk.run("<<say next>>").await;
    assert_eq!(house.told("lost"), 0, "so it must be sent again");
    talk.leave().await;
}

#[tokio::test]
async fn codex_asks_before_it_does_more_than_read_and_does_what_is_allowed() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start_with(Launch { permissions: Mode::Ask, ..house.launch() }).await;
    let script = "<<bash cat a>> <<bash touch made>> <<write new.txt text>> <<say done>>";
    talk.deny = true;
    let outputs = talk.run(script).await;
    assert_eq!(end(&outputs), TurnEnd::Completed);
    assert!(!house.has("made") && !house.has("new.txt"));
    let shell = |power| ("shell".to_owned(), power);
    let asked = [shell(Power::Read), shell(Power::Shell), ("apply_patch".to_owned(), Power::Write)];
    assert_eq!(talk.asked, asked);
    assert_eq!(outcomes(&outputs)[1..], [ToolOutcome::Denied, ToolOutcome::Denied]);
    talk.deny = false;
    let outputs = talk.run(script).await;
    assert_eq!(outcomes(&outputs)[1..], [ToolOutcome::Ok, ToolOutcome::Ok]);
    assert!(house.has("made") && house.has("new.txt"));
    assert_eq!(talk.asked.len(), 6);
    talk.leave().await;
}

#[tokio::test]
async fn codex_cannot_write_where_it_may_only_read() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start_with(Launch { permissions: Mode::ReadOnly, ..house.launch() }).await;
    let outputs = talk.run("<<bash touch made>> <<write new.txt text>> <<say done>>").await;
    assert_eq!(end(&outputs), TurnEnd::Completed);
    assert!(!house.has("made") && !house.has("new.txt"));
    assert_eq!(talk.asked, []);
    talk.leave().await;
}

#[tokio::test]
async fn codex_fails_by_the_codes_of_the_model_server() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    assert_eq!(failure(&talk.run("<<status 429 reset=60>>").await), FailureCode::RateLimited);
    let outputs = talk.run("<<status 401>>").await;
    assert_eq!(failure(&outputs), FailureCode::NotLoggedIn);
    let retries = kinds(&outputs)
        .into_iter()
        .filter(|kind| matches!(kind, Kind::Notice { code } if code == "retrying"))
        .count();
    assert!(retries > 0, "{outputs:?}");
    assert_eq!(failure(&talk.run("<<status 500>>").await), FailureCode::ModelError);
    assert_eq!(failure(&talk.run("<<status 400>>").await), FailureCode::HarnessError);
    assert_eq!(end(&talk.run("<<say better>>").await), TurnEnd::Completed);
    talk.leave().await;
}

#[tokio::test]
async fn codex_does_not_begin_without_our_tools() {
    let Some(house) = House::new() else { return };
    let servers = vec![McpServer { name: "paseo-tools".into(), url: "http://127.0.0.1:1/mcp".into() }];
    let mut talk = house.start_with(Launch { servers, ..house.launch() }).await;
    let outputs = talk.run("<<say hi>>").await;
    let TurnEnd::Failed(failed) = end(&outputs) else { panic!("{outputs:?}") };
    assert!(failed.text.contains("paseo-tools"), "{}", failed.text);
    assert!(!outputs.iter().any(|output| matches!(output, Output::Handed { .. })));
    talk.leave().await;
}
