//! `paseo settings` and `paseo token`

use crate::screens::{assert_said, assert_told};
use crate::{assert_shown, home, json};

#[test]
fn settings_are_shown_and_switched() {
    let home = home();
    assert_shown!(home, home.paseo(&["settings", "get"]).ok(), @r"
    perm_send_to_tab  off
    perm_read_tab     off
    perm_user_agent   off
    perm_summon       off
    perm_todo         off
    web_shell         off
    ");
    assert_eq!(home.paseo(&["settings"]).ok(), home.paseo(&["settings", "get"]).ok());
    assert_eq!(home.paseo(&["settings", "set", "perm_summon", "on"]).ok(), "perm_summon  on");
    assert!(home.kill_daemon());
    assert_eq!(home.paseo(&["settings", "get", "-q", "perm_summon"]).ok(), "on");
    let all = home.paseo(&["settings", "get", "-q"]);
    assert!(all.ok().lines().any(|line| line == "perm_summon on"), "{all:?}");
    assert_eq!(json(&home.paseo(&["settings", "get", "--json"]))["perm_summon"], true);
    let unknown = home.paseo(&["settings", "set", "perm_all", "on"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("perm_send_to_tab"), "{}", unknown.stderr);
    assert_eq!(home.paseo(&["settings", "set", "perm_summon", "maybe"]).code, 2);
}

#[test]
fn a_token_shows_its_secret_once() {
    let home = home();
    let created = home.paseo(&["token", "create", "--name", "ci"]);
    assert_said!(home, &created.stderr, @"Created token ci. Its secret is shown only once:");
    let secret = created.ok();
    assert!(secret.len() >= 32 && !secret.contains(char::is_whitespace), "{secret}");
    let listed = home.paseo(&["token", "ls"]);
    assert!(listed.ok().contains("ci") && !listed.stdout.contains(secret));
    let id = home.paseo(&["token", "ls", "-q"]).ok().to_owned();
    home.paseo(&["token", "revoke", &id]).ok();
    assert_eq!(home.paseo(&["token", "ls", "-q"]).ok(), "");
    assert_eq!(home.paseo(&["token", "revoke", &id]).code, 3);
}

#[test]
fn a_token_is_revoked_by_its_name_unless_another_has_the_same() {
    let home = home();
    let create = || home.paseo(&["token", "create", "--name", "ci", "-q"]).ok().to_owned();
    create();
    assert_said!(home, home.paseo(&["token", "revoke", "ci"]).ok(), @"Revoked token ci");
    assert_eq!(home.paseo(&["token", "ls", "-q"]).ok(), "");
    create();
    create();
    assert_told!(home, home.paseo(&["token", "revoke", "ci"]), @r"
    exit 3
    error: 2 tokens are named `ci`
     hint: use an id in place of the name: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1 or aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2
    ");
    assert_eq!(home.paseo(&["token", "ls", "-q"]).ok().lines().count(), 2);
}
