//! The example in `docs/external.md` works.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::cast::Cast;
use crate::far_agent::define_at;
use crate::screens::assert_said;

const PAGE: &str = include_str!("../../../../docs/external.md");

/// The agent of the example, and its port.
struct Example(Child, u16);

impl Drop for Example {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Runs the example; `None` where there is no Python.
#[allow(clippy::disallowed_methods)] // It is somebody else's program.
fn run(folder: &Path, secret: Option<&str>) -> Option<Example> {
    let code = PAGE.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let file = folder.join("agent.py");
    fs::write(&file, code).unwrap();
    let mut command = Command::new("python3");
    command.arg(&file).arg("0").stdout(Stdio::piped()).stderr(Stdio::null()).env_remove("PASEO_SECRET");
    secret.map(|secret| command.env("PASEO_SECRET", secret));
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if std::env::var_os("CI").is_some() => panic!("python3: {error}"),
        Err(_) => return None,
    };
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().rsplit(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("it said {line:?}"));
    Some(Example(child, port))
}

#[tokio::test]
async fn the_agent_of_the_page_answers_and_hears_nobody_else() {
    let cast = Cast::new(&[]);
    let Some(open) = run(&cast.0.home.work(), None) else { return };
    define_at(&cast.0.home, "far", &format!("http://127.0.0.1:{}", open.1), "");
    let answered = cast.0.home.paseo(&["run", "--agent", "far", "hello"]);
    assert_eq!(answered.ok(), "You said: hello");
    let session = cast.open("far").await.remove(0);

    let secret = cast.0.home.paseo(&["inspect", "--secret", &session.handle]).ok().to_owned();
    let Some(closed) = run(&cast.0.home.work(), Some(&secret)) else { return };
    define_at(&cast.0.home, "far", &format!("http://127.0.0.1:{}", closed.1), "");
    assert_eq!(cast.0.home.paseo(&["send", "--wait", &session.handle, "again"]).ok(), "You said: again");
    let refused = cast.0.home.paseo(&["run", "--agent", "far", "from another session"]);
    assert!(refused.code == 1 && refused.stderr.contains("403"), "{refused:?}");
}

#[test]
fn what_the_page_shows_is_a_definition() {
    let text = PAGE.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let home = crate::home();
    home.paseo(&["up"]).ok();
    let folder = home.path().join("agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("far.toml"), text).unwrap();
    let checked = home.paseo(&["agents", "check"]);
    let told = format!("{}{}", checked.stdout, checked.stderr);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert_said!(home, &told, @"/tmp/paseo-000000/home/agents/far.toml:4: warning: the daemon rejects callbacks sent to paseo.example.org, because it does not know this host; add `https://paseo.example.org` to public_urls in config.toml");
}
