//! Workers as people have them: started, watched, written to, taken over, ended. With the real tmux.

use std::fmt::Debug;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use paseo_testkit::home::{Output, TestHome};
use paseo_wire::error::Code;
use paseo_wire::words::ItemKind;
use paseo_wire::worker::{CaptureQuery, StartWorker, StartedWorker, WorkerQuery, WorkerView};

use crate::cast::Cast;
use crate::screens::{assert_said, assert_told, squeezed};
use crate::watch::{PATIENCE, origin};

/// A home with the team `red`.
pub(crate) fn red() -> Cast {
    red_at(TestHome::new(env!("CARGO_BIN_EXE_paseo")))
}

/// The same in a home that is there.
pub(crate) fn red_at(home: TestHome) -> Cast {
    let cast = Cast::at(home, &[]);
    let work = cast.0.home.work().display().to_string();
    cast.0.home.paseo(&["team", "create", "red", "-C", &work]).ok();
    cast
}

/// Asks for a worker that does what its task says.
pub(crate) fn wanted(task: &str) -> StartWorker {
    StartWorker {
        task: task.to_owned(),
        team: Some("red".into()),
        provider: Some("scripted".to_owned()),
        ..StartWorker::default()
    }
}

pub(crate) async fn started(cast: &Cast, task: &str) -> WorkerView {
    cast.0.client.start_worker(&wanted(task), None).await.unwrap().worker
}

/// Types like a person who is attached.
pub(crate) fn type_in(cast: &Cast, worker: &str, keys: &[&str]) {
    let target = format!("={worker}:");
    let words = [&["send-keys", "-t", &target], keys].concat();
    assert!(tmux(cast, &words).status().unwrap().success());
}

#[allow(clippy::disallowed_methods)] // A person's own tmux.
pub(crate) fn tmux(cast: &Cast, words: &[&str]) -> Command {
    let mut command = Command::new("tmux");
    command.arg("-S").arg(cast.0.home.path().join("tmux.sock")).args(words).stdin(Stdio::null());
    command
}

/// Waits until something is so: no event tells of what a screen shows, or of what a thread holds.
pub(crate) async fn until(what: &str, is_so: impl AsyncFnMut() -> bool) {
    until_seen(what, is_so, |is_so| *is_so).await;
}

/// Waits until what is seen is what is wanted.
pub(crate) async fn until_seen<T: Debug>(
    what: &str,
    mut look: impl AsyncFnMut() -> T,
    is_wanted: impl Fn(&T) -> bool,
) -> T {
    let began = Instant::now();
    loop {
        let seen = look().await;
        if is_wanted(&seen) {
            return seen;
        }
        assert!(began.elapsed() < PATIENCE, "{what} never came; seen last: {seen:#?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns what tmux says about a worker's terminal, in its own words.
pub(crate) fn told(cast: &Cast, worker: &str, words: &str) -> String {
    let target = format!("={worker}:");
    let told = tmux(cast, &["display-message", "-p", "-t", &target, words]).output().unwrap();
    String::from_utf8_lossy(&told.stdout).trim_end().to_owned() + &String::from_utf8_lossy(&told.stderr)
}

async fn shown(cast: &Cast, worker: &str) -> String {
    cast.0.client.capture_worker(worker, &CaptureQuery::default()).await.unwrap().text
}

#[tokio::test]
async fn a_worker_is_typed_its_task_and_answers_in_its_thread() {
    let cast = red();
    let worker = started(&cast, "<<say the parser is done>>").await;
    assert_eq!((worker.name.as_str(), worker.team.as_str()), ("red-1", "red"));
    assert_eq!(worker.thread.as_deref(), Some("thread-0001"));
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert_eq!(cast.said(&worker.session).await, ["the parser is done"]);
    assert_eq!(cast.heard(&worker.session).await, ["<<say the parser is done>>"]);

    // What came of it is in the thread, in its own name; how to get to it, in that of whoever started it.
    let reader = Reader::new(&cast);
    reader.until_posts("thread-0001", 2).await;
    let posts = reader.posts("thread-0001");
    assert_eq!(posts[0].0, "user", "{posts:?}");
    assert_said!(cast.0.home, &posts[0].1, @r#"
    Started red-1 (aaa1). Its answers are posted here.

    Watch or take over: `paseo worker attach red-1`
    Show its terminal: `paseo worker capture red-1`
    Send a message: `paseo worker send red-1 "…"`
    Kill it: `paseo worker kill red-1`
    "#);
    assert_eq!(posts[1], ("red-1".to_owned(), "the parser is done".to_owned()));

    // It is an agent like any other.
    let listed = cast.0.home.paseo(&["ls"]);
    let line = listed.ok().lines().find(|line| line.contains(&worker.handle)).unwrap().to_owned();
    assert_said!(cast.0.home, &squeezed(&line), @"aaa1 idle red-1 (worker) scripted now");
    assert!(listed.ok().lines().all(|line| line.chars().count() <= 80), "{listed:?}");
    let why = cast.0.home.paseo(&["why", &worker.handle]);
    assert_said!(cast.0.home, why.ok());
    let team = cast.0.client.team("red").await.unwrap().team;
    assert_eq!(team.agents.iter().map(|agent| agent.id.as_str()).collect::<Vec<_>>(), ["reader", "red-1"]);

    let workers = cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers;
    assert_eq!((workers.len(), workers[0].alive, workers[0].attached), (1, true, 0));
    assert!(shown(&cast, "red-1").await.contains("the parser is done"));
    let captured = cast.0.home.paseo(&["worker", "capture", &worker.handle, "--lines", "1"]);
    assert_eq!(captured.ok().lines().count(), 1, "{captured:?}");

    // By its handle or by its name: what is sent is typed in.
    cast.0.home.paseo(&["send", &worker.handle, "<<say again>>", "--wait"]).ok();
    cast.0.home.paseo(&["worker", "send", "red-1", "<<say and again>>"]).ok();
    cast.0.settled(&worker.session).await;
    assert_eq!(cast.said(&worker.session).await, ["the parser is done", "again", "and again"]);
    reader.until_posts("thread-0001", 4).await;

    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
    assert!(cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers.is_empty());
    assert_eq!(cast.view(&worker.session).await.status.as_str(), "closed");
    assert_eq!(cast.0.home.left_beside_the_daemon(), Vec::<String>::new());
}

#[tokio::test]
async fn a_thread_wakes_no_worker_and_says_what_does() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    Reader::new(&cast).until_posts("thread-0001", 2).await;
    cast.0.home.paseo(&["thread", "post", "red/thread-0001", "--to", "red-1", "hi"]).ok();
    let told = cast.0.home.paseo(&["thread", "tail", "red/thread-0001"]);
    assert_said!(cast.0.home, told.ok());
    let shown = cast.0.home.paseo(&["thread", "show", "red/thread-0001"]);
    let line = shown.ok().lines().find(|line| line.starts_with("red-1 ")).unwrap();
    assert_said!(cast.0.home, &squeezed(line), @"red-1 worker, idle");
}

#[tokio::test]
async fn a_person_who_types_into_the_terminal_is_seen_as_one() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    type_in(&cast, "red-1", &["-l", "<<say by hand>><<hang>>"]);
    type_in(&cast, "red-1", &["Enter"]);
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("by hand")))
        .await;
    let items = cast.0.items(&worker.session).await;
    let typed = items.iter().rfind(|item| item.kind() == ItemKind::UserText).unwrap();
    assert_eq!(origin(typed), "human:terminal");
    assert_eq!(typed.text.as_deref(), Some("<<say by hand>><<hang>>"));
    let view = cast.view(&worker.session).await;
    assert_eq!((view.status.as_str(), view.terminal.unwrap().person), ("running", true));
    let listed = cast.0.home.paseo(&["ls"]);
    assert_said!(cast.0.home, &squeezed(listed.ok()), @r"
    HANDLE STATUS NAME PROVIDER UPDATED
    aaa1 running red-1 (worker, a person is typing) scripted now
    ");
    let why = cast.0.home.paseo(&["why", &worker.handle]);
    assert_said!(cast.0.home, why.ok());
    let logs = cast.0.home.paseo(&["logs", &worker.handle]);
    assert!(logs.ok().contains("<<say by hand>>"), "{logs:?}");

    // A person stops it by its key, and it lives on.
    cast.0.home.paseo(&["stop", &worker.handle]).ok();
    cast.0.settled(&worker.session).await;
    assert!(cast.0.client.worker("red-1").await.unwrap().worker.alive);
    cast.0.home.paseo(&["send", &worker.handle, "<<say still here>>", "--wait"]).ok();
    assert_eq!(cast.said(&worker.session).await.last().unwrap(), "still here");
}

#[tokio::test]
async fn a_worker_that_dies_at_once_keeps_its_last_screen_and_its_exit_code() {
    let cast = red();
    let worker = started(&cast, "<<say last words>><<crash 3>>").await;
    until("the end", async || cast.view(&worker.session).await.terminal.unwrap().exit.is_some()).await;
    cast.0.settled(&worker.session).await;
    let view = cast.0.client.worker("red-1").await.unwrap().worker;
    assert_eq!((view.alive, view.exit.unwrap().code, view.status.as_str()), (false, Some(3), "error"));
    assert!(shown(&cast, "red-1").await.contains("last words"));
    let listed = cast.0.home.paseo(&["ls"]);
    assert_said!(cast.0.home, &squeezed(listed.ok()), @r"
    HANDLE STATUS NAME PROVIDER UPDATED
    aaa1 error red-1 (worker, exited 3) scripted now
    ");
    // Whoever writes to it has it started again, in the same terminal.
    cast.0.home.paseo(&["send", &worker.handle, "<<say back again>>", "--wait"]).ok();
    let view = cast.0.client.worker("red-1").await.unwrap().worker;
    assert!(view.alive && view.exit.is_none(), "{view:?}");
    cast.0.home.paseo(&["rm", "--force", &worker.handle]).ok();
    assert_eq!(cast.0.home.left_beside_the_daemon(), Vec::<String>::new());
}

#[tokio::test]
async fn nothing_in_a_task_is_read_by_tmux_or_by_a_shell() {
    let cast = red();
    let task = "one; two #{pane_id} $(touch pwned) `id` %1 ~\n\tthree 'four' \"five\" \\ ä€𝄞 {} C-c Enter\n\
                \u{1b}[201~\u{3}\u{4}<<say literally>>";
    let worker = started(&cast, task).await;
    cast.0.settled(&worker.session).await;
    assert_eq!(cast.said(&worker.session).await, ["literally"]);
    let heard = cast.heard(&worker.session).await.join("");
    for part in ["one; two #{pane_id} $(touch pwned) `id` %1", "three 'four' \"five\" \\ ä€𝄞 {} C-c Enter"]
    {
        assert!(heard.contains(part), "{heard:?}");
    }
    assert!(!cast.0.home.work().join("pwned").exists());
}

#[tokio::test]
async fn a_hostile_tmux_environment_changes_nothing() {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    let trap = home.work().with_file_name("trapped");
    let config = format!(
        "run-shell 'touch {0}'\nset -g remain-on-exit off\nset -g default-command 'touch {0}'\n\
         set -s command-alias[99] new-session=kill-server\nset-hook -g session-created 'run-shell \"touch {0}\"'\n\
         set -g base-index 7\nset -g pane-base-index 7\nset -g default-shell /bin/false\n",
        trap.display()
    );
    let folder = home.work().with_file_name(".config").join("tmux");
    fs::create_dir_all(&folder).unwrap();
    for file in [home.work().with_file_name(".tmux.conf"), folder.join("tmux.conf")] {
        fs::write(file, &config).unwrap();
    }
    home.set("TERM", "no such terminal");
    home.set("SHELL", "/bin/false");
    home.set("TMUX", "/nowhere/else,1,0");
    home.set("TMUX_PANE", "%99");
    home.set("TMUX_TMPDIR", "/nowhere");
    home.set("PI_TEAMD_TOKEN_FILE", "/of/another");
    home.set("PI_AGENT_ID", "somebody-else");
    let cast = red_at(home);
    let worker =
        started(&cast, "<<sh echo \"[$PI_AGENT_ID $PI_TEAM_ID $PI_TEAMD_TOKEN_FILE $PASEO_SESSION]\">>")
            .await;
    cast.0.settled(&worker.session).await;
    let printed = cast.called(&worker.session).await.pop().unwrap().text;
    assert!(printed.contains(&format!("[red-1 red  {}]", worker.session)), "{printed}");
    assert!(!trap.exists(), "nobody's configuration is read");

    // A person who is attached can set what they like.
    for option in
        [["base-index", "7"], ["pane-base-index", "7"], ["default-command", "false"], ["prefix", "C-a"]]
    {
        assert!(tmux(&cast, &["set-option", "-g", option[0], option[1]]).status().unwrap().success());
    }
    for words in [["rename-window", "a.b:c"], ["split-window", "-d"], ["rename-session", "mine"]] {
        let words = [words[0], "-t", "=red-1:", words[1]];
        assert!(tmux(&cast, &words).status().unwrap().success());
    }
    let second = started(&cast, "<<say second>>").await;
    cast.0.settled(&second.session).await;
    assert_eq!(cast.said(&second.session).await, ["second"]);
    cast.0.home.paseo(&["send", &worker.handle, "<<say still here>>", "--wait"]).ok();
    assert_eq!(cast.said(&worker.session).await, ["still here"]);
    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
}

#[tokio::test]
async fn a_worker_has_a_token_of_its_own_and_nobody_elses() {
    let cast = red();
    let ask =
        "curl -s -H \"authorization: Bearer $PI_TEAMD_TOKEN\" \"$PI_TEAMD_URL/v1/inbox?teamId=$PI_TEAM_ID\"";
    let worker = started(&cast, &format!("<<sh paseo task create Parse && {ask} && echo \"same=$([ \"$PI_TEAMD_TOKEN\" = \"$PASEO_TOKEN\" ] && echo yes)\">>")).await;
    cast.0.settled(&worker.session).await;
    let printed = cast.called(&worker.session).await.pop().unwrap().text;
    assert!(printed.contains("\"events\"") && printed.contains("same=yes"), "{printed}");
    let task = cast.0.client.task("red", "task-0001").await.unwrap().task;
    assert_eq!(task.created_by, "red-1");
    // Its shell may not have workers, although it is one.
    cast.0
        .send(
            &worker.session,
            "<<sh paseo worker ls; echo \"exit=$?\"; paseo worker kill red-1; echo \"exit=$?\">>",
        )
        .await;
    cast.0.settled(&worker.session).await;
    let printed = cast.called(&worker.session).await.pop().unwrap().text;
    assert_eq!(printed.matches("exit=6").count(), 2, "{printed}");
}

/// What is refused leaves nothing behind: no worktree, no branch, no thread, no member.
#[tokio::test]
async fn what_is_refused_leaves_no_worktree() {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    crate::worktrees::make_repository(&home.work());
    let program = home.work().with_file_name("my-claude");
    fs::write(&program, "#!/nonexistent/interp\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(home.path()).unwrap();
    let config = format!("[limits]\nworkers = 1\n[providers.claude]\nprogram = '{}'\n", program.display());
    fs::write(home.path().join("config.toml"), config).unwrap();
    let cast = red_at(home);
    let home = &cast.0.home;
    let start = |provider: &str| {
        home.paseo(&["worker", "start", "--team", "red", "--worktree", "--provider", provider, "<<say hi>>"])
    };
    let left = async || {
        let team = cast.0.client.team("red").await.unwrap().team;
        let worktrees = crate::json(&home.paseo(&["worktree", "ls", "--json"]));
        (worktrees["worktrees"].as_array().unwrap().len(), team.agents.len(), team.threads)
    };
    let refused = start("claude");
    assert_ne!(refused.code, 0, "{refused:?}");
    let why = "its interpreter /nonexistent/interp does not exist";
    assert!(refused.stderr.contains(why), "{refused:?}");
    assert_eq!(left().await, (0, 0, 0));
    start("scripted").ok();
    assert_eq!(left().await, (1, 1, 1));
    let refused = start("scripted");
    assert_told!(cast.0.home, refused);
    assert_eq!(left().await, (1, 1, 1));
    let branches = crate::worktrees::git(&home.work(), &["branch", "--list", "paseo/*"]);
    assert_eq!(branches.lines().count(), 1, "{branches}");
}

#[tokio::test]
async fn what_cannot_be_started_is_refused_with_a_word() {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    fs::create_dir_all(home.path()).unwrap();
    fs::write(home.path().join("config.toml"), "[limits]\nworkers = 2\n").unwrap();
    let cast = red_at(home);
    let client = &cast.0.client;
    let refused = async |wanted: StartWorker| client.start_worker(&wanted, None).await.unwrap_err();
    let of = |change: fn(&mut StartWorker)| {
        let mut one = wanted("<<say hi>>");
        change(&mut one);
        one
    };
    for (one, code) in [
        (of(|one| one.task = " ".into()), Code::InvalidRequest),
        (of(|one| one.task = "x".repeat(300_000)), Code::TooLarge),
        (of(|one| one.team = Some("blue".into())), Code::NotFound),
        (of(|one| one.prefix = Some("a.b".into())), Code::InvalidRequest),
        (of(|one| one.prefix = Some("-x".into())), Code::InvalidRequest),
        (of(|one| one.prefix = Some("a:0".into())), Code::InvalidRequest),
        (of(|one| one.thread = Some("thread-0009".into())), Code::NotFound),
        (of(|one| one.thread = Some("../x".into())), Code::NotFound),
        (of(|one| one.directory = Some("/".into())), Code::Forbidden),
        (of(|one| one.directory = Some("/no/such/place".into())), Code::NotFound),
        (of(|one| one.provider = Some("openai".into())), Code::ProviderUnavailable),
        (of(|one| one.provider = Some("nobody".into())), Code::ProviderUnavailable),
        (of(|one| one.agent = Some("nobody".into())), Code::NotFound),
        (of(|one| one.provider = Some("claude".into())), Code::ProviderUnavailable),
    ] {
        let error = refused(one.clone()).await;
        assert_eq!(error.code(), Some(code), "{one:?}: {error}");
    }
    // Nothing came of any of it.
    assert!(client.workers(&WorkerQuery::default()).await.unwrap().workers.is_empty());
    assert_eq!(client.team("red").await.unwrap().team.agents.len(), 0);
    for unknown in ["red-9", "../x", "=red-1", "red-1:0.0"] {
        let error = client.capture_worker(unknown, &CaptureQuery::default()).await.unwrap_err();
        assert_eq!(error.code(), Some(Code::SessionNotFound), "{unknown}: {error}");
    }
    // The same request is the same worker, and there are no more than there may be.
    let once =
        async || client.start_worker(&of(|one| one.prefix = Some("x".into())), Some("k")).await.unwrap();
    let (first, second): (StartedWorker, StartedWorker) = (once().await, once().await);
    assert_eq!((first.worker.name.as_str(), second.worker.session), ("x-1", first.worker.session.clone()));
    // What was refused took no number of a worker or a thread.
    assert_eq!(first.worker.thread.as_deref(), Some("thread-0001"));
    let next = started(&cast, "<<say hi>>").await;
    assert_eq!((next.name.as_str(), next.thread.as_deref()), ("red-1", Some("thread-0002")));
    let error = refused(of(|_| {})).await;
    assert_eq!(error.code(), Some(Code::Conflict), "{error}");
    assert_said!(cast.0.home, &error.to_string(), @"worker limit reached: 2 of 2");
    cast.0.home.paseo(&["worker", "kill", "x-1"]).ok();
    // There is room for another, by a name of its own.
    assert_eq!(
        client.start_worker(&of(|one| one.prefix = Some("x".into())), None).await.unwrap().worker.name,
        "x-2"
    );
}

#[test]
fn without_tmux_there_are_no_workers() {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    let empty = home.work().with_file_name("bin");
    fs::create_dir(&empty).unwrap();
    home.set("PATH", empty);
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    let refused = home.paseo(&["worker", "start", "--team", "red", "--provider", "scripted", "hi", "--json"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(home, refused);
    assert_eq!(home.paseo(&["worker", "ls", "-q"]).ok(), "");
    let of_tmux = |diagnosis: &Output| {
        let mut rest = diagnosis.stdout.lines().skip_while(|line| !line.contains(" tmux "));
        let first = rest.next().unwrap();
        let rest = rest.take_while(|line| line.starts_with(' '));
        squeezed(&[first].into_iter().chain(rest).collect::<Vec<_>>().join("\n"))
    };
    assert_said!(home, &of_tmux(&home.paseo(&["doctor"])), @r"
    warn tmux not installed
    → install tmux 3.2 or newer with your system's package manager; workers need it
    ");
    // It is the daemon that needs it, whatever else finds it.
    home.set("PATH", std::env::var_os("PATH").unwrap());
    assert_said!(home, &of_tmux(&home.paseo(&["doctor"])), @r"
    warn tmux `tmux` is not installed, or not on the daemon's PATH (install it: `apt install tmux` or `dnf install tmux`; if it is installed, run `paseo down` and `paseo up` in a shell that has it on the PATH)
    ");
}

/// Reads the threads of the team, as a client of teamd.
pub(crate) struct Reader {
    address: String,
    token: String,
}

impl Reader {
    pub(crate) fn new(cast: &Cast) -> Self {
        let variables =
            crate::json(&cast.0.home.paseo(&["team", "env", "red", "--agent", "reader", "--json"]));
        let words = |name: &str| variables[name].as_str().unwrap().to_owned();
        Self { address: words("PI_TEAMD_URL").replace("http://", ""), token: words("PI_TEAMD_TOKEN") }
    }

    /// Returns who said what in a thread.
    pub(crate) fn posts(&self, thread: &str) -> Vec<(String, String)> {
        let path = format!("/v1/threads/{thread}/tail?teamId=red&limit=200");
        let headers = format!("authorization: Bearer {}\r\n", self.token);
        let (status, body) = crate::teamd::ask(&self.address, "GET", &path, "", &headers);
        assert_eq!(status, 200, "{body}");
        let text = |message: &serde_json::Value, name: &str| message[name].as_str().unwrap().to_owned();
        let messages = body["messages"].as_array().unwrap().iter();
        messages.map(|message| (text(message, "from"), text(message, "body"))).collect()
    }

    /// Waits until a thread has so many messages.
    pub(crate) async fn until_posts(&self, thread: &str, count: usize) {
        let what = format!("message {count} of {thread}");
        until_seen(&what, async || self.posts(thread), |posts| posts.len() == count).await;
    }
}
