//! `paseo providers models`

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::chat::{at, configure};
use crate::screens::{assert_said, assert_told};
use crate::{home, json};

/// A server with these answers, one after the other, the last again and again. Notes the heads of requests.
fn server(answers: &'static [(&'static str, &'static str)]) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let book = Arc::clone(&heads);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let number = {
                let mut book = book.lock().unwrap();
                book.push(head.join("\n"));
                book.len()
            };
            let (status, body) = answers[(number - 1).min(answers.len() - 1)];
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).ok();
        }
    });
    (url, heads)
}

#[test]
fn a_server_is_asked_once_with_the_key() {
    let (url, heads) = server(&[("200 OK", r#"{"data":[{"id":"small"},{"id":"large"}]}"#)]);
    let home = at(&url);
    let listed = json(&home.paseo(&["providers", "models", "openai", "--json"]));
    assert_eq!((&listed["source"], &listed["models"][1]["id"]), (&"endpoint".into(), &"large".into()));
    assert!(listed["efforts"].as_array().unwrap().contains(&"high".into()), "{listed}");
    assert_eq!(home.paseo(&["providers", "models", "openai", "-q"]).ok(), "small\nlarge");
    let shown = home.paseo(&["providers", "models", "openai"]);
    assert!(shown.ok().contains("small") && shown.stderr.contains("endpoint"), "{shown:?}");
    let heads = heads.lock().unwrap();
    assert_eq!(heads.len(), 1, "it is kept for a while");
    assert!(heads[0].starts_with("GET /v1/models "), "{}", heads[0]);
    assert!(heads[0].to_lowercase().contains("authorization: bearer sk-environment"), "{}", heads[0]);
}

#[test]
fn a_server_that_refuses_is_told_and_asked_again() {
    let (url, _) =
        server(&[("401 No", "sk-environment"), ("200 OK", "<html>"), ("200 OK", r#"{"data":[]}"#)]);
    let home = at(&url);
    let refused = home.paseo(&["providers", "models", "openai"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(!refused.stderr.contains("sk-"), "{}", refused.stderr);
    assert_told!(home, refused);
    let page = home.paseo(&["providers", "models", "openai"]);
    assert_told!(home, page);
    assert_told!(home, home.paseo(&["providers", "models", "openai"]), @r"
    exit 0
    openai offers no models
    ");
}

#[test]
fn a_key_of_the_configuration_is_used_when_the_environment_has_none() {
    let (url, heads) = server(&[("200 OK", r#"{"data":[{"id":"mine"}]}"#)]);
    let home = home();
    std::fs::write(home.work().join("key"), "sk-file\n").unwrap();
    let key = home.work().join("key");
    let config = format!(
        "[[keys]]\nid = 'own'\nprovider = 'openai-compatible'\nfile = '{}'\nbase_url = '{url}'\n",
        key.display()
    );
    configure(&home, &config, &[]);
    assert_eq!(home.paseo(&["providers", "models", "openai-compatible", "-q"]).ok(), "mine");
    assert!(heads.lock().unwrap()[0].to_lowercase().contains("bearer sk-file"));
}

#[test]
fn a_provider_that_cannot_tell_lists_what_definitions_name() {
    let home = home();
    configure(&home, "", &[("writer", "provider = 'scripted'\nmodels = [{ model = 'tiny' }]\n")]);
    let listed = json(&home.paseo(&["providers", "models", "scripted", "--json"]));
    assert_eq!(listed["source"], "configuration");
    let unknown = home.paseo(&["providers", "models", "nonsense"]);
    assert_eq!(unknown.code, 3);
    assert_said!(home, unknown.stderr.lines().next().unwrap(), @"error: unknown provider `nonsense`");
}
