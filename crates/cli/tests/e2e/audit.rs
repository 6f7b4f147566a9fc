//! `make audit`: what is looked for, what is said about what could not be, and how it ends. With programs in the place of
//! those that need the network.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use paseo_testkit::home::{Output, TestHome, finish};

use crate::home;

const SOUND: &str = "crates: nothing is known against them";
const SOUND_PACKAGES: &str = "packages of the web app: nothing is known against them";

/// Cargo, as the audit calls it. Files beside it say what goes wrong.
const CARGO: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "cargo $*" >>"$here/called"
case "$*" in
    "deny --version") test ! -e "$here/no-deny" ;;
    "install cargo-deny --locked") exit 101 ;;
    "fetch --locked --quiet") test ! -e "$here/no-registry" ;;
    "deny fetch db") test ! -e "$here/no-database" ;;
    "deny check --disable-fetch advisories")
        test ! -e "$here/bad-crate" || { echo "error[vulnerability]: a crate" >&2; exit 1; } ;;
    *) echo "unexpected: cargo $*" >&2; exit 99 ;;
esac
"#;

/// The same for npm, which ends alike with findings and without an answer.
const NPM: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "npm $* in $(basename "$PWD")" >>"$here/called"
test ! -e "$here/no-npm" || { echo '{"error": {"code": "ENOTFOUND"}}'; exit 1; }
test "$*" = "audit --json" && echo '{"auditReportVersion": 2}' || echo "a package: high"
test ! -e "$here/bad-package"
"#;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs the audit where these things are wrong. Returns what came of it, and which programs were called.
fn audited(wrong: &[&str]) -> (Output, String) {
    let mut home: TestHome = home();
    let folder = home.work().join("programs");
    fs::create_dir(&folder).unwrap();
    for (name, script) in [("cargo", CARGO), ("npm", NPM)] {
        let path = folder.join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in wrong {
        fs::write(folder.join(name), "").unwrap();
    }
    home.prepend_path(&folder);
    let mut command = home.program(root().join("scripts/audit"), &[] as &[&str]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = finish(command.spawn().unwrap());
    (output, fs::read_to_string(folder.join("called")).unwrap())
}

#[test]
fn what_is_sound_is_said_to_be() {
    let (output, called) = audited(&[]);
    let said = output.ok();
    assert!(said.contains(SOUND) && said.contains(SOUND_PACKAGES) && !said.contains("NOT"), "{output:?}");
    assert!(called.contains("cargo deny check --disable-fetch advisories\n"), "{called}");
    assert!(called.contains("npm audit --json in ui\n"), "{called}");
}

#[test]
fn what_cannot_be_checked_is_named_and_nothing_is_called_sound() {
    for wrong in ["no-deny", "no-registry", "no-database", "no-npm"] {
        let (output, called) = audited(&[wrong]);
        assert_eq!(output.code, 2, "{wrong}: {output:?}");
        let told = output.stdout.lines().find(|line| line.contains("NOT CHECKED")).unwrap_or_default();
        insta::with_settings!({ snapshot_suffix => wrong, omit_expression => true }, {
            insta::assert_snapshot!(told);
        });
        assert_eq!(output.stdout.matches("NOT CHECKED").count(), 1, "{wrong}: {output:?}");
        // The other half is checked, and this one is not said to be sound.
        assert_eq!(output.stdout.contains(SOUND), wrong == "no-npm", "{wrong}: {output:?}");
        assert_eq!(output.stdout.contains(SOUND_PACKAGES), wrong != "no-npm", "{wrong}: {output:?}");
        let is_checked = called.contains("cargo deny check");
        assert_eq!(is_checked, wrong == "no-npm", "{wrong}: {called}");
    }
    let (output, _) = audited(&["no-deny", "no-npm"]);
    assert_eq!((output.code, output.stdout.matches("NOT CHECKED").count()), (2, 2), "{output:?}");
}

#[test]
fn what_is_found_fails_the_audit_also_when_the_rest_could_not_be_checked() {
    for wrong in [
        &["bad-crate"][..],
        &["bad-package"],
        &["bad-crate", "bad-package"],
        &["bad-crate", "no-npm"],
        &["bad-package", "no-database"],
    ] {
        let (output, _) = audited(wrong);
        assert_eq!(output.code, 1, "{wrong:?}: {output:?}");
        let shown = format!("{}{}", output.stdout, output.stderr);
        for (name, finding, sound) in
            [("bad-crate", "a crate", SOUND), ("bad-package", "a package: high", SOUND_PACKAGES)]
        {
            if wrong.contains(&name) {
                assert!(shown.contains(finding) && !shown.contains(sound), "{wrong:?}: {output:?}");
            }
        }
        let is_partial = wrong.iter().any(|name| name.starts_with("no-"));
        assert_eq!(shown.contains("NOT CHECKED"), is_partial, "{wrong:?}: {output:?}");
    }
}

#[test]
fn make_runs_it_and_vulnerabilities_are_not_ignored() {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let audit = makefile.split("\naudit:").nth(1).unwrap();
    assert!(audit.lines().nth(1).unwrap().contains("scripts/audit"), "{audit}");
    let rules: toml::Table = fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap();
    let advisories = rules["advisories"].as_table().unwrap();
    assert!(!advisories["db-urls"].as_array().unwrap().is_empty(), "{advisories:?}");
    assert_eq!(advisories["yanked"].as_str(), Some("deny"), "{advisories:?}");
    // An exception says why.
    for ignored in advisories["ignore"].as_array().unwrap() {
        assert!(ignored.get("reason").is_some(), "{ignored:?}");
    }
}
