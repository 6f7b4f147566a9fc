//! `paseo doctor`, `demo`, `completions` and `man`

use paseo_testkit::home::Output;

use crate::screens::{assert_said, squeezed};
use crate::{home, json};

#[test]
fn doctor_names_a_definition_that_does_not_load() {
    let home = home();
    let verdict = || {
        let diagnosis = json(&home.paseo(&["doctor", "--json"]));
        let checks = diagnosis["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "definitions")
    };
    assert_eq!(verdict(), None, "only a daemon that runs has read them");
    home.paseo(&["up"]).ok();
    assert_eq!(verdict().unwrap()["verdict"], "ok");
    let folder = home.path().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("good.toml"), "").unwrap();
    std::fs::write(folder.join("bad.toml"), "name = 'bad'\nprompt = 'x'\n").unwrap();
    let found = verdict().unwrap();
    assert_eq!(found["verdict"], "warn", "{found}");
    assert_said!(home, found["found"].as_str().unwrap(), @r#"some do not load: /tmp/paseo-000000/home/agents/bad.toml:2: unknown field `prompt`; the fields are under "Definitions" in the documentation; new definition `good` is not trusted yet"#);
    assert_eq!(found["fix"], "run `paseo agents check`");
}

#[test]
fn doctor_changes_nothing_and_says_how_to_fix() {
    let mut home = home();
    home.set("PATH", "/nowhere");
    let before = home.paseo(&["doctor"]);
    let claude: Vec<&str> =
        before.ok().lines().skip_while(|line| !line.contains(" claude ")).take(2).collect();
    assert_said!(home, &squeezed(&claude.join("\n")), @r"
    warn claude not installed
    → install it with `npm install -g @anthropic-ai/claude-code`, or set `program` for the provider `claude` in config.toml
    ");
    assert!(!home.path().exists() && home.daemon_pid().is_none(), "it started nothing");
    let path = std::env::var("PATH").unwrap();
    home.set("PATH", path);
    home.paseo(&["up"]).ok();
    let diagnosis = json(&home.paseo(&["doctor", "--json"]));
    let checks = diagnosis["checks"].as_array().unwrap();
    let verdict = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap()["verdict"].clone();
    for name in ["home", "socket", "version", "port", "database", "git"] {
        assert_eq!(verdict(name), "ok", "{name}: {checks:#?}");
    }
}

#[test]
fn doctor_fails_when_something_does() {
    let mut home = home();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    home.set("PASEO_LISTEN", taken.local_addr().unwrap().to_string());
    let output = home.paseo(&["doctor"]);
    assert_eq!(output.code, 1, "{output:?}");
    let failure = |output: &Output| {
        let rest = output.stdout.lines().skip_while(|line| !line.starts_with("fail"));
        squeezed(&rest.take(2).collect::<Vec<_>>().join("\n"))
    };
    assert_said!(home, &failure(&output), @r"
    fail port cannot listen on 127.0.0.1:40000: Address already in use (os error 98)
    → set PASEO_LISTEN, or `listen` in config.toml, to another address
    ");
    std::fs::create_dir(home.path()).unwrap();
    std::fs::set_permissions(home.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    home.set("PASEO_LISTEN", "127.0.0.1:0");
    let open = home.paseo(&["doctor"]);
    assert_eq!(open.code, 1, "{open:?}");
    assert_said!(home, &failure(&open), @r"
    fail home /tmp/paseo-000000/home is accessible to other users (mode 755)
    → chmod 700 /tmp/paseo-000000/home
    ");
}

#[test]
fn the_tour_does_real_work_and_leaves_nothing() {
    let mut home = home();
    let temporary = home.work().join("t");
    std::fs::create_dir(&temporary).unwrap();
    home.set("TMPDIR", &temporary);
    let toured = home.paseo(&["demo", "--fast"]);
    let shown = toured.ok();
    for sign in [
        "greet.sh | 2 +-",
        "Allowed ",
        "Spell the greeting",
        "Queued: ",
        "Interrupting ",
        "--wait \"Is that all?\"",
        "$ kill -9 ",
        "the daemon, which restarted",
        "continued from there",
    ] {
        assert!(shown.contains(sign), "{sign}: {shown}");
    }
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "nothing is left");
    assert!(!home.path().exists(), "the home of the person is untouched");
    let kept = home.paseo(&["demo", "--fast", "--keep"]);
    assert_eq!(kept.code, 0, "{kept:?}");
    let directory = std::fs::read_dir(&temporary).unwrap().next().unwrap().unwrap().path();
    let greeting = std::fs::read_to_string(directory.join("greet/greet.sh")).unwrap();
    assert!(greeting.contains("Hello"), "{greeting}");
}

#[test]
fn completions_know_the_commands() {
    let home = home();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.paseo(&["completions", shell]);
        assert!(script.ok().contains("attach") && !script.stdout.contains("scripted-agent"), "{shell}");
    }
    assert_eq!(home.paseo(&["completions", "csh"]).code, 2);
    assert_eq!(home.daemon_pid(), None);
}

#[test]
fn there_is_a_page_for_each_command() {
    let home = home();
    assert!(home.paseo(&["man"]).ok().contains(".TH paseo 1"));
    home.paseo(&["man", "--dir", "pages"]).ok();
    for name in ["paseo", "paseo-run", "paseo-permit-allow", "paseo-daemon-logs"] {
        let page = std::fs::read_to_string(home.work().join(format!("pages/{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains("SYNOPSIS"), "{name}");
    }
    assert!(!home.work().join("pages/paseo-help.1").exists());
    std::fs::write(home.work().join("file"), "").unwrap();
    assert_eq!(home.paseo(&["man", "--dir", "file"]).code, 2);
}
