//! What was said is found by its words, and not any more once it is gone.

use paseo_client::Client;
use paseo_testkit::home::TestHome;
use paseo_wire::error::Code;
use paseo_wire::search::{SearchHit, SearchPage, SearchQuery};
use paseo_wire::words::SearchKind;

use crate::screens::{assert_said, assert_told, squeezed};
use crate::watch::Watched;
use crate::{home, start, start_hanging};

fn search(home: &TestHome, arguments: &[&str]) -> Vec<SearchHit> {
    let all: Vec<&str> = ["search", "--json"].iter().chain(arguments).copied().collect();
    let page: SearchPage = serde_json::from_str(home.paseo(&all).ok()).unwrap();
    assert_eq!(page.behind, 0);
    page.hits
}

/// Returns what kinds were found, the newest first.
fn kinds(home: &TestHome, arguments: &[&str]) -> Vec<String> {
    search(home, arguments).into_iter().map(|hit| hit.kind.to_string()).collect()
}

fn text(hit: &SearchHit) -> String {
    hit.excerpt.iter().map(|piece| piece.text.as_str()).collect()
}

fn ask(words: &str) -> SearchQuery {
    SearchQuery { q: words.to_owned(), ..SearchQuery::default() }
}

/// Starts an agent and waits until it is done.
fn done(home: &TestHome, prompt: &str) -> String {
    let handle = start(home, prompt);
    home.paseo(&["wait", &handle]);
    handle
}

#[test]
fn what_was_said_answered_and_done_is_found() {
    let home = home();
    let handle = done(&home, "The Zürich plan <<think ponder>><<sh printf 'gro%s' mmet>><<say fizz buzz>>");
    home.paseo(&["rename", &handle, "Marigold helper"]).ok();

    let [hit] = search(&home, &["ZURICH"]).try_into().unwrap();
    let agent = hit.agent.as_ref().unwrap();
    assert_eq!((agent.handle.as_str(), agent.name.as_deref()), (handle.as_str(), Some("Marigold helper")));
    assert_eq!((hit.kind.as_str(), hit.who.as_str()), ("said", "human:cli"));
    let marked: Vec<&str> =
        hit.excerpt.iter().filter(|piece| piece.hit).map(|piece| piece.text.as_str()).collect();
    assert_eq!(marked, ["Zürich"]);

    assert_eq!(kinds(&home, &["grommet"]), ["tool"]);
    assert_eq!(kinds(&home, &["printf"]), ["tool", "said"]);
    assert_eq!(kinds(&home, &["fizz buzz"]), ["answered", "said"]);
    assert_eq!(kinds(&home, &["\"buzz fizz\""]), Vec::<String>::new());
    assert_eq!(kinds(&home, &["fizz", "--kind", "answered"]), ["answered"]);
    assert_eq!(kinds(&home, &["marig*"]), ["name"]);
    assert_eq!(kinds(&home, &["ponder", "--kind", "answered", "--kind", "tool"]), Vec::<String>::new());

    // The command that is shown shows it.
    let shown = home.paseo(&["search", "fizz", "--kind", "answered"]);
    let command = format!("paseo logs {handle} --since ");
    let ordinal = shown.ok().lines().find_map(|line| line.trim().strip_prefix(&command)).unwrap();
    assert!(home.paseo(&["logs", &handle, "--since", ordinal]).ok().contains("fizz buzz"), "{shown:?}");
    assert_eq!(home.paseo(&["search", "-q", "fizz"]).ok(), handle);

    home.paseo(&["close", &handle]).ok();
    let shown = home.paseo(&["search", "grommet"]);
    assert_said!(home, &squeezed(shown.ok()), @r"
    aaa1 Marigold helper (closed) a tool now
    grommet
    paseo logs aaa1 --since 4
    ");
    let nothing = home.paseo(&["search", "nowhere"]);
    assert_eq!((nothing.ok(), nothing.stderr.trim()), ("", "No matches."));
}

#[test]
fn filters_narrow_and_pages_follow_each_other() {
    let home = home();
    let first = done(&home, "<<say pebble>>");
    let second = done(&home, "<<say pebble>>");
    let elsewhere = home.work().join("deep");
    std::fs::create_dir(&elsewhere).unwrap();
    let deep =
        home.paseo(&["run", "-d", "--cwd", elsewhere.to_str().unwrap(), "<<say pebble>>"]).ok().to_owned();
    home.paseo(&["wait", &deep]).ok();
    home.paseo(&["thread", "new", "stones"]).ok();
    home.paseo(&["thread", "post", "stones", "a pebble for all"]).ok();

    let handles = |arguments: &[&str]| -> Vec<String> {
        let all: Vec<&str> = ["pebble", "--kind", "answered"].iter().chain(arguments).copied().collect();
        search(&home, &all).into_iter().map(|hit| hit.agent.unwrap().handle).collect()
    };
    assert_eq!(handles(&[]), [deep.as_str(), &second, &first]);
    assert_eq!(handles(&["--agent", &second]), [second.as_str()]);
    assert_eq!(handles(&["--from", &first]), [first.as_str()]);
    assert_eq!(handles(&["--directory", elsewhere.to_str().unwrap()]), [deep.as_str()]);
    assert_eq!(handles(&["--project", home.work().to_str().unwrap()]).len(), 3);
    assert_eq!(handles(&["--since", "1h"]).len(), 3);
    assert_eq!(handles(&["--until", "1h"]).len(), 0);
    assert_eq!(handles(&["--best"]).len(), 3);
    assert_eq!(handles(&["--in", "threads"]).len(), 0);

    let [hit] = search(&home, &["pebble", "--in", "threads"]).try_into().unwrap();
    assert_eq!((hit.thread.as_ref().unwrap().name.as_str(), hit.who.as_str()), ("stones", "user"));
    assert_eq!(search(&home, &["pebble", "--thread", "stones", "--from", "me"]), [hit]);
    assert_eq!(kinds(&home, &["stones"]), ["name"]);
    assert_eq!(search(&home, &["pebble", "--from", "me"]).len(), 4);

    for order in [&[][..], &["--best"][..]] {
        let page = |after: &[&str]| -> SearchPage {
            let all = [&["search", "--json", "pebble", "-n", "3"], order, after].concat();
            serde_json::from_str(home.paseo(&all).ok()).unwrap()
        };
        let all: Vec<SearchHit> = search(&home, &[&["pebble"], order].concat());
        let (one, mut paged) = (page(&[]), Vec::new());
        let mut next = one.next;
        paged.extend(one.hits);
        while let Some(after) = next {
            let page = page(&["--after", &after]);
            next = page.next;
            paged.extend(page.hits);
        }
        assert_eq!((all.len(), &paged), (7, &all));
        let refused = home.paseo(&[&["search", "pebble", "--after", "foo"], order].concat());
        assert_told!(home, refused, @r"
        exit 2
        error: `foo` is not a cursor of this list: pass the `next` of the previous page
        ");
    }
}

#[tokio::test]
async fn what_was_acknowledged_is_found_at_once_also_while_it_waits() {
    let watched = Watched::new();
    let session = watched.create("<<hang>>").await.session.id;
    for n in 0..20 {
        watched.send(&session, &format!("waiting needle{n}x")).await;
        let page = watched.client.search(&ask(&format!("needle{n}x"))).await.unwrap();
        assert_eq!((page.hits.len(), page.behind), (1, 0), "{n}");
        assert_eq!((page.hits[0].kind.as_str(), page.hits[0].ordinal), ("said", None));
    }
    watched.client.stop(&session).await.unwrap();
}

#[tokio::test]
async fn cleared_and_deleted_words_are_gone_from_the_file_too() {
    let watched = Watched::new();
    let home = &watched.home;
    let cleared = done(home, "<<sh printf 'quux%s' shell>><<say quuxanswer>>");
    let deleted = done(home, "<<sh printf 'corge%s' shell>><<say corgeanswer>>");
    home.paseo(&["rename", &cleared, "keeper"]).ok();
    home.paseo(&["rename", &deleted, "corgename"]).ok();
    let kept = done(home, "<<say garply>>");
    assert_eq!(kinds(home, &["quux*"]), ["answered", "tool", "tool", "said"]);
    assert_eq!(kinds(home, &["corge*"]), ["name", "answered", "tool", "tool", "said"]);
    assert!(holds(home, "quuxanswer") && holds(home, "corgename"));

    home.paseo(&["clear", &cleared]).ok();
    home.paseo(&["rm", &deleted]).ok();
    for _ in 0..2 {
        assert_eq!(kinds(home, &["quux*"]), Vec::<String>::new());
        assert_eq!(kinds(home, &["corge*"]), Vec::<String>::new());
        assert_eq!(kinds(home, &["keeper"]), ["name"]);
        assert_eq!(search(home, &["garply"])[0].agent.as_ref().unwrap().handle, kept);
        for gone in ["quuxanswer", "quuxshell", "corgeanswer", "corgeshell", "corgename"] {
            assert!(!holds(home, gone), "{gone}");
        }
        watched.crash();
    }
}

#[tokio::test]
async fn what_waits_is_found_after_a_clear() {
    let watched = Watched::new();
    let handle = start_hanging(&watched.home);
    watched.send(&handle, "remember the turnip").await;
    assert_eq!(kinds(&watched.home, &["started"]), ["answered", "said"]);
    watched.home.paseo(&["stop", &handle]).ok();
    // Stopping is over when the turn is.
    watched.settled(&handle).await;
    watched.home.paseo(&["clear", &handle]).ok();
    assert_eq!(kinds(&watched.home, &["turnip"]), ["said"]);
    assert_eq!(kinds(&watched.home, &["started"]), Vec::<String>::new());
}

#[tokio::test]
async fn a_crash_before_the_index_was_fed_loses_and_doubles_nothing() {
    let watched = Watched::new();
    let session = watched.create("<<say first>>").await.session.id;
    for round in 0..4 {
        for n in 0..5 {
            watched.send(&session, &format!("word crash{round}n{n}")).await;
        }
        if round % 2 == 0 {
            // An agent without a script says what it was told.
            let query = SearchQuery { kind: vec![SearchKind::Said], ..ask(&format!("crash{round}n4")) };
            assert_eq!(watched.client.search(&query).await.unwrap().hits.len(), 1);
        }
        watched.crash();
    }
    watched.settled(&session).await;
    let query = SearchQuery { kind: vec![SearchKind::Said], limit: Some(100), ..ask("word") };
    let page = watched.client.search(&query).await.unwrap();
    let mut found: Vec<String> = page.hits.iter().map(text).collect();
    found.sort();
    let expected: Vec<String> =
        (0..4).flat_map(|round| (0..5).map(move |n| format!("word crash{round}n{n}"))).collect();
    assert_eq!(found, expected);
    assert!(page.hits.iter().all(|hit| hit.ordinal.is_some()), "each is an item by now");
}

#[tokio::test]
async fn hostile_questions_are_answered_or_refused_in_words() {
    let watched = Watched::new();
    done(&watched.home, "<<say either OR neither NEAR the col: 日本語 x>>");
    let long = "x".repeat(10_000);
    let odd = [
        "\" OR *",
        "NEAR(",
        "col:",
        "a AND NOT",
        "^either",
        "text : x",
        "日本語",
        "'; DROP TABLE event; --",
        "%00",
        "(",
        "x\u{0}y",
    ];
    for typed in odd {
        match watched.client.search(&ask(typed)).await {
            Ok(page) => assert_eq!(page.behind, 0),
            Err(error) => assert_eq!(error.code(), Some(Code::InvalidRequest), "{typed}"),
        }
    }
    assert_eq!(watched.client.search(&ask("\" OR *")).await.unwrap().hits.len(), 2);
    assert_eq!(watched.client.search(&ask("col: NEAR(")).await.unwrap().hits.len(), 2);
    assert_eq!(watched.client.search(&ask(&long)).await.unwrap_err().code(), Some(Code::TooLarge));
    for empty in ["", "*", "\"\""] {
        assert_eq!(watched.client.search(&ask(empty)).await.unwrap_err().code(), Some(Code::InvalidRequest));
    }
    assert_eq!(watched.client.search(&ask("🎉")).await.unwrap().hits, [], "no word is made of signs");
    for bad in [
        SearchQuery { within: Some("nowhere".into()), ..ask("x") },
        SearchQuery { kind: vec![SearchKind::Said, "thought".into()], ..ask("x") },
        SearchQuery { after: Some("soon".into()), ..ask("x") },
        SearchQuery { directory: Some("here".into()), ..ask("x") },
    ] {
        assert_eq!(watched.client.search(&bad).await.unwrap_err().code(), Some(Code::InvalidRequest));
    }
    let refused = watched.home.paseo(&["search", &long]);
    assert_eq!(refused.code, 2);
    assert_told!(watched.home, refused, @r#"
    exit 2
    error: the query has 10000 characters; the limit is 1000
     hint: enter words, a "phrase" or a prefix*
    "#);
    assert_eq!(watched.home.paseo(&["search", "***"]).code, 2);
    assert_eq!(watched.home.paseo(&["search", "x", "--agent", "ffff"]).code, 3);
}

#[tokio::test]
async fn only_people_may_search() {
    let watched = Watched::new();
    let home = &watched.home;
    done(home, "<<say mallow>>");
    let printed = watched.shell("<<sh paseo search mallow; echo \"exit=$?\">>").await;
    assert_said!(home, &printed, @r"
    error: only people can do this, and you are calling as an agent
     hint: ask a person; this process belongs to agent aaa1
    exit=6
    ");
    home.paseo(&["thread", "new", "plan"]).ok();
    home.paseo(&["thread", "invite", "plan", "scripted", "--id", "ada"]).ok();
    let secret = home.paseo(&["thread", "token", "plan", "--as", "ada", "-q"]).ok().to_owned();
    let url = watched.client.status().await.unwrap().url;
    for (token, code) in [(Some(secret), Code::Forbidden), (None, Code::Unauthenticated)] {
        let other = Client::tcp(url.trim_start_matches("http://"), token);
        assert_eq!(other.search(&ask("mallow")).await.unwrap_err().code(), Some(code));
    }
}

/// Says whether a file of the database has these bytes.
fn holds(home: &TestHome, needle: &str) -> bool {
    let files = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
    let mut databases = files.filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("paseo.sqlite3"))
    });
    databases.any(|path| {
        std::fs::read(path).unwrap().windows(needle.len()).any(|bytes| bytes == needle.as_bytes())
    })
}
