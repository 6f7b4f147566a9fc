use paseo_runtime::keys::Secret;

use super::*;

fn resolve(config: &str, variables: &[(&str, &str)], no_start: bool) -> Result<Settings, Failure> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("config.toml"), config).unwrap();
    let global = Global { home: Some(directory.path().to_owned()), no_start, verbose: false };
    let settings = Settings::resolve(&global, |wanted| {
        variables.iter().find(|(name, _)| *name == wanted.name).map(|(_, value)| OsString::from(value))
    })?;
    settings.need_config().map(|()| settings)
}

#[test]
fn a_mistake_in_the_file_says_what_to_change() {
    let told = |text: &str| {
        let failure = parse(text, Path::new("/h/config.toml")).unwrap_err();
        (failure.message, failure.hint.unwrap_or_default())
    };
    let (message, hint) = told("log = 'info'\nlistn = 'x'\n");
    assert_eq!(message, "/h/config.toml:2: unknown key `listn`");
    assert_eq!(hint, "did you mean `listen`?");
    let (message, hint) = told("[limits]\nnonsense = 1\n");
    assert_eq!(message, "/h/config.toml:2: unknown key `nonsense`");
    assert_eq!(hint, "use one of live_processes, workers, thread_patience_seconds, start_seconds");
    let (message, _) = told("[limits]\nworkers = 'two'\n");
    assert_eq!(message, "/h/config.toml:2: expected a whole number of 0 or more, not \"two\"");
    for (text, expected) in [
        ("[limits]\nworkers = -1\n", "2: expected a whole number of 0 or more, not -1"),
        ("[limits]\nworkers = 1.5\n", "2: expected a whole number of 0 or more, not 1.5"),
        ("listen = 3\n", "1: expected text in quotes, not 3"),
        ("plugins = 3\n", "1: expected a table, not 3"),
        ("public_urls = 'x'\n", "1: expected a list in brackets, not \"x\""),
        ("[plugins.todo]\nenabled = 1\n", "2: expected true or false, not 1"),
        ("[plugins.todo]\n", "1: expected the key `enabled` here"),
        ("log = 'a'\nlog = 'b'\n", "2: this key is already set above"),
        ("a b\n", "1: not valid TOML: "),
    ] {
        let (message, _) = told(text);
        assert!(message.starts_with(&format!("/h/config.toml:{expected}")), "{message}");
    }
    let (message, hint) = told("listen = \n");
    assert!(message.starts_with("/h/config.toml:1: "), "{message}");
    assert_eq!(hint, "fix this line; \"Configuration\" in the documentation lists all keys");
}

#[test]
fn a_broken_file_leaves_the_defaults_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("config.toml"), "provider = 'codex'\nlistn = 1\n").unwrap();
    let global = Global { home: Some(directory.path().to_owned()), no_start: false, verbose: false };
    let settings = Settings::resolve(&global, |_| None).unwrap();
    assert_eq!((settings.listen.port(), settings.provider), (6767, None));
    assert!(settings.problem.unwrap().message.contains("config.toml:2: unknown key `listn`"));
}

#[test]
fn no_room_for_any_agent_is_a_mistake() {
    let failure = resolve("[limits]\nlive_processes = 0\n", &[], false).unwrap_err();
    assert!(failure.message.starts_with("limits.live_processes in config.toml is 0"), "{failure:?}");
    assert_eq!(failure.hint.as_deref(), Some("set it to 1 or more"));
}

#[test]
fn no_patience_at_all_is_a_mistake() {
    let failure = resolve("[limits]\nthread_patience_seconds = 0\n", &[], false).unwrap_err();
    assert!(failure.message.starts_with("limits.thread_patience_seconds in config.toml is 0"), "{failure:?}");
    let patient = resolve("[limits]\nthread_patience_seconds = 5\n", &[], false).unwrap();
    assert_eq!(patient.thread_patience, Duration::from_secs(5));
    let failure = resolve("[limits]\nstart_seconds = 0\n", &[], false).unwrap_err();
    assert!(failure.message.starts_with("limits.start_seconds in config.toml is 0"), "{}", failure.message);
    let patient = resolve("[limits]\nstart_seconds = 5\n", &[], false).unwrap();
    assert_eq!(patient.start_patience, Duration::from_secs(5));
}

#[test]
fn the_documented_example_is_valid() {
    let page = include_str!("../../../../docs/configuration.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let settings = resolve(example, &[], false).unwrap();
    assert_eq!(settings.live_processes, DEFAULT_LIVE_PROCESSES);
    assert_eq!(settings.thread_patience, DEFAULT_THREAD_PATIENCE);
    assert_eq!(settings.listen.to_string(), environment::LISTEN.default);
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_defaults() {
    let plain = resolve("", &[], false).unwrap();
    assert_eq!((plain.listen.port(), plain.provider, plain.start), (6767, None, true));
    assert_eq!((plain.log.as_str(), plain.live_processes), ("info", 8));

    let config = "listen = '127.0.0.1:1'\nprovider = 'codex'\n[limits]\nlive_processes = 3\n";
    let file = resolve(config, &[], false).unwrap();
    assert_eq!((file.listen.port(), file.provider.as_deref()), (1, Some("codex")));
    assert_eq!(file.live_processes, 3);

    let variables = [("PASEO_LISTEN", "127.0.0.1:2"), ("PASEO_PROVIDER", "pi"), ("PASEO_NO_START", "1")];
    let both = resolve(config, &variables, false).unwrap();
    assert_eq!((both.listen.port(), both.provider.as_deref()), (2, Some("pi")));
    assert!(!both.start);
    assert!(resolve("", &[("PASEO_NO_START", "0")], false).unwrap().start);
    assert!(!resolve("", &[("PASEO_NO_START", "0")], true).unwrap().start);
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let failure = resolve("log = 'info'\n\nlistn = '127.0.0.1:1'\n", &[], false).unwrap_err();
    assert!(failure.message.contains("config.toml:3: unknown key `listn`"), "{}", failure.message);
    assert_eq!(failure.exit, paseo_wire::error::Exit::Usage);
    let nested = resolve("[limits]\nlive = 3\n", &[], false).unwrap_err();
    assert!(nested.message.contains("config.toml:2: unknown key `live`"), "{}", nested.message);
}

#[test]
fn a_bad_value_says_where_it_stands() {
    let failure = resolve("log = 3\n", &[], false).unwrap_err();
    assert!(failure.message.contains("config.toml:1:"), "{}", failure.message);
    let failure = resolve("listen = 'here'", &[], false).unwrap_err();
    assert!(failure.message.contains("`here` (listen in config.toml)"), "{}", failure.message);
    let failure = resolve("", &[("PASEO_LISTEN", "6767")], false).unwrap_err();
    assert!(failure.message.contains("`6767` (PASEO_LISTEN)"), "{}", failure.message);
}

#[test]
fn providers_have_programs_and_homes_of_their_own() {
    let config = "[providers.claude]\nprogram = '/opt/claude'\nisolated_home = '~/.claude-paseo'\n";
    let providers = resolve(config, &[], false).unwrap().providers;
    assert_eq!(providers["claude"].program.as_deref(), Some(Path::new("/opt/claude")));
    let home = std::env::home_dir().unwrap().join(".claude-paseo");
    assert_eq!(providers["claude"].isolated_home.as_deref(), Some(home.as_path()));
    assert!(!providers.contains_key("codex"));

    let bare = resolve("[providers.codex]\nprogram = 'codex-next'\n", &[], false).unwrap().providers;
    assert_eq!(bare["codex"].program.as_deref(), Some(Path::new("codex-next")));
    let pi = resolve("[providers.pi]\nprogram = 'pi-next'\n", &[], false).unwrap().providers;
    assert_eq!(pi["pi"].program.as_deref(), Some(Path::new("pi-next")));
    let failure = resolve("[providers.codex]\nprogram = './codex'\n", &[], false).unwrap_err();
    assert!(failure.message.contains("providers.codex.program in config.toml"), "{}", failure.message);
    let failure = resolve("[providers.cloude]\n", &[], false).unwrap_err();
    assert!(failure.message.contains("unknown key `cloude`"), "{}", failure.message);
}

#[test]
fn keys_say_where_their_secret_is() {
    let config = "[[keys]]\nid = 'work'\nprovider = 'claude-cli'\nenv = 'WORK_KEY'\nbase_url = 'http://127.0.0.1:1'\n\
        [[keys]]\nid = 'own'\nprovider = 'codex'\nfile = '/keys/own'\n[[agents]]\nagentId = 7\n";
    let keys = resolve(config, &[], false).unwrap().keys;
    assert_eq!(keys["work"].provider, "claude");
    assert_eq!(keys["work"].secret, Secret::Variable("WORK_KEY".to_owned()));
    assert_eq!(keys["own"].secret, Secret::File("/keys/own".into()));
    for (wrong, expected) in [
        ("provider = 'claude'", "needs either `env` or `file`"),
        ("provider = 'claude'\nenv = 'A'\nfile = '/b'", "needs either `env` or `file`"),
        ("provider = 'clod'\nenv = 'A'", "is for `clod`, which takes no keys"),
        ("provider = 'codex'\nenv = 'A'\nbase_url = 'x'", "invalid base_url"),
        ("provider = 'codex'\nfile = 'x'", "is not an absolute path"),
        ("provider = 'codex'\nkey = 'x'", "config.toml:4: unknown key `key`"),
        (
            "provider = 'codex'\nenv = 'A'\n[[keys]]\nid = 'k'\nprovider = 'codex'\nenv = 'A'",
            "is defined twice",
        ),
    ] {
        let failure = resolve(&format!("[[keys]]\nid = 'k'\n{wrong}\n"), &[], false).unwrap_err();
        assert!(failure.message.contains(expected), "{wrong}: {}", failure.message);
    }
}

#[test]
fn public_urls_are_origins_that_browsers_trust() {
    let urls = |url: &str| resolve(&format!("public_urls = ['{url}']"), &[], false);
    let good = urls("https://Paseo.example.org").unwrap();
    assert_eq!(good.public_urls[0].origin(), "https://paseo.example.org");
    let malformed = urls("https://a/b").unwrap_err();
    assert_eq!(malformed.message, "`https://a/b` (public_urls in config.toml) is not a valid public URL");
    let plain = urls("http://paseo.lan:28991").unwrap_err();
    assert!(plain.message.contains("(public_urls in config.toml) has no TLS"), "{}", plain.message);
    let hint = plain.hint.unwrap();
    assert!(hint.contains("reverse proxy") && hint.contains("tailscale serve"), "{hint}");
}
