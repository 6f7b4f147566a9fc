//! What counts when somebody speaks.

use paseo_core::limits::THREAD_POSTS_PER_MINUTE;
use paseo_wire::error::Code;

use super::*;
use crate::sessions::RequestKey;

fn eve(id: ThreadId) -> Speaker {
    Speaker { actor: Actor::Seat(format!("{id}/eve")), id: "eve".to_owned(), cause: None }
}

fn words(text: &str) -> Words {
    Words { to: "all".into(), text: text.into(), reply_to: None, tags: Vec::new() }
}

#[tokio::test]
async fn only_what_is_said_counts_for_the_pace() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let (eve, pause) = (eve(id), |on: bool| json!({ "pause": { "on": on } }));
    threads.control(&person(), id, &pause(true)).await.unwrap();
    for _ in 0..THREAD_POSTS_PER_MINUTE + 1 {
        let refused = threads.post(&eve, id, &words("hi"), None).await.unwrap_err();
        assert_eq!(refused.code, Code::ThreadPaused);
        let refused = threads.control(&eve, id, &json!({ "done": true })).await.unwrap_err();
        assert_eq!(refused.code, Code::ThreadPaused);
    }
    threads.control(&person(), id, &pause(false)).await.unwrap();
    for odd in ["", " "] {
        assert_eq!(threads.post(&eve, id, &words(odd), None).await.unwrap_err().code, Code::InvalidRequest);
    }
    // One message, however often it is sent.
    let key = || Some(RequestKey { scope: "eve".into(), key: "one".into(), body: [0; 32] });
    let first = threads.post(&eve, id, &words("hi"), key()).await.unwrap();
    for _ in 0..THREAD_POSTS_PER_MINUTE + 1 {
        assert_eq!(threads.post(&eve, id, &words("hi"), key()).await.unwrap(), first);
    }
    for _ in 1..THREAD_POSTS_PER_MINUTE {
        threads.post(&eve, id, &words("hi"), None).await.unwrap();
    }
    let refused = threads.post(&eve, id, &words("hi"), None).await.unwrap_err();
    assert_eq!(refused.code, Code::TooManyMessages);
    let refused = threads.control(&eve, id, &json!({ "done": true })).await.unwrap_err();
    assert_eq!(refused.code, Code::TooManyMessages);
    // Also then it is told what came of what it said.
    assert_eq!(threads.post(&eve, id, &words("hi"), key()).await.unwrap(), first);
}

#[tokio::test]
async fn who_is_woken_after_a_long_message_is_told_what_else_was_said() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    threads.post(&person(), id, &words("first things first"), None).await.unwrap();
    let long = format!("begin {} end", "x".repeat(200 * 1024));
    for _ in 0..3 {
        threads.post(&person(), id, &words(&long), None).await.unwrap();
    }
    let due = said(threads, id).await;
    let now = threads.get(id).await.unwrap();
    let (lines, left_out) = threads.before(&now, "ada", 0, due.at).await.unwrap();
    assert_eq!((lines.len(), left_out), (4, 0));
    assert_eq!(lines[0].words, "first things first");
    for line in &lines[1..] {
        assert!(line.words.starts_with("begin ") && line.words.ends_with(" end"));
        assert!(line.words.len() < 16 * 1024, "{}", line.words.len());
    }
}
