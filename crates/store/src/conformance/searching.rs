//! What was taken into the index is found, and what was erased is not.

use super::Engine;
use super::subject::{Build, START, Subject, batch, control, event, fresh_id, text_with};
use crate::{
    Batch, Body, Erasure, Expect, Find, Hit, Home, Indexing, MAX_INLINE, MAX_SEARCHED, Order, Search, Seq,
    Source, StreamAppend, Term, Who,
};

const RULES: u32 = 1;

/// Words are found, all of them, whatever their case and accents; phrases and beginnings too.
pub async fn words_are_found(engine: &impl Engine) {
    let subject = Subject::new(engine);
    say(&subject, "a", "The Café opens at nine, said Zoë").await;
    say(&subject, "a", "nine cats, one cafeteria").await;
    feed(&subject).await;
    assert_eq!(rows(&subject, words(&["cafe"])).await, [1]);
    assert_eq!(rows(&subject, words(&["NINE"])).await, [2, 1]);
    assert_eq!(rows(&subject, words(&["nine", "zoe"])).await, [1]);
    assert_eq!(rows(&subject, words(&["opens at"])).await, [1]);
    assert_eq!(rows(&subject, words(&["at opens"])).await, Vec::<u64>::new());
    let begins = Term { words: "caf".into(), prefix: true };
    assert_eq!(rows(&subject, Search { terms: vec![begins], ..ask() }).await, [2, 1]);
    assert_eq!(rows(&subject, words(&["caf"])).await, Vec::<u64>::new());
    let hit = subject.log.search(words(&["cats"])).await.unwrap().remove(0);
    assert_eq!((&*hit.stream, hit.ordinal, hit.class.as_str()), ("a", Some(2), "said"));
    let marked: String = hit
        .excerpt
        .iter()
        .map(|piece| if piece.hit { format!("<{}>", piece.text) } else { piece.text.clone() })
        .collect();
    assert_eq!(marked, "nine <cats>, one cafeteria");
}

/// Whatever is asked for is taken at its word: nothing is a syntax error.
pub async fn no_words_are_a_language(engine: &impl Engine) {
    let subject = Subject::new(engine);
    say(&subject, "a", "either OR neither, NEAR( the text: col").await;
    feed(&subject).await;
    for odd in [
        "\"",
        "\" OR *",
        "NEAR(",
        "text:",
        "a AND NOT b",
        "^x",
        "{text}",
        "-",
        "*",
        "\0",
        "'",
        "日本語",
        "()",
    ] {
        for prefix in [false, true] {
            let term = Term { words: odd.into(), prefix };
            subject.log.search(Search { terms: vec![term], ..ask() }).await.expect(odd);
        }
    }
    assert_eq!(rows(&subject, words(&["OR", "NEAR("])).await, [1]);
    assert_eq!(rows(&subject, words(&["text:", "col"])).await, [1]);
    assert_eq!(rows(&subject, Search { limit: 9, ..Search::default() }).await, Vec::<u64>::new());
}

/// The newest come first, in pages, or the best; each condition narrows what is found.
pub async fn what_is_found_is_narrowed_and_paged(engine: &impl Engine) {
    let subject = Subject::new(engine);
    for (n, stream) in ["a/1", "b/1", "a/2", "b/1", "a/1"].into_iter().enumerate() {
        subject.set_clock(START + 10 * n as i64);
        say(&subject, stream, if n == 1 { "word word word" } else { "one word among many others here" })
            .await;
    }
    let homes = [("a/1", "/home/x"), ("a/2", "/home/xy"), ("b/1", "/home/x/deep")];
    let homes = homes.map(|(stream, place)| Home { stream: stream.into(), places: vec![place.into()] });
    feed_with(&subject, homes.into()).await;

    let search = words(&["word"]);
    assert_eq!(rows(&subject, search.clone()).await, [5, 4, 3, 2, 1]);
    let page = |before| Search { order: Order::Newest { before }, limit: 2, ..search.clone() };
    assert_eq!(rows(&subject, page(None)).await, [5, 4]);
    assert_eq!(rows(&subject, page(Some(4))).await, [3, 2]);
    let best = |skip, limit| Search { order: Order::Best { skip }, limit, ..search.clone() };
    let ranked = rows(&subject, best(0, 9)).await;
    assert_eq!(ranked.len(), 5);
    assert_eq!([rows(&subject, best(0, 2)).await, rows(&subject, best(2, 9)).await].concat(), ranked);

    let streams = Search { stream: Some("b/1".into()), ..search.clone() };
    assert_eq!(rows(&subject, streams).await, [4, 2]);
    assert_eq!(
        rows(&subject, Search { stream: Some("c".into()), ..search.clone() }).await,
        Vec::<u64>::new()
    );
    assert_eq!(rows(&subject, Search { prefix: Some("a/".into()), ..search.clone() }).await, [5, 3, 1]);
    assert_eq!(rows(&subject, Search { since: Some(START + 30), ..search.clone() }).await, [5, 4]);
    assert_eq!(rows(&subject, Search { until: Some(START + 20), ..search.clone() }).await, [2, 1]);
    assert_eq!(
        rows(&subject, Search { place: Some("/home/x".into()), ..search.clone() }).await,
        [5, 4, 2, 1]
    );
    let who = |who| Search { who: vec![who], ..search.clone() };
    assert_eq!(rows(&subject, who(Who::Is("TESTER".into()))).await.len(), 5);
    assert_eq!(rows(&subject, who(Who::StartsWith("te".into()))).await.len(), 5);
    assert_eq!(rows(&subject, who(Who::Is("te".into()))).await.len(), 0);
    let classes = |class: &str| Search { classes: vec!["x".into(), class.into()], ..search.clone() };
    assert_eq!(rows(&subject, classes("said")).await.len(), 5);
    assert_eq!(rows(&subject, classes("name")).await.len(), 0);
}

/// The index goes on where it stopped, takes nothing twice, and starts over when the rules change.
pub async fn the_index_says_how_far_it_has_come(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    say(&subject, "a", "first").await;
    feed(&subject).await;
    say(&subject, "a", "second").await;
    let late = Indexing { after: 0, upto: 2, version: RULES, ..Indexing::default() };
    assert!(!subject.log.index(late).await.unwrap(), "it is further");
    let strange = Indexing { after: 1, upto: 2, version: RULES + 1, ..Indexing::default() };
    assert!(!subject.log.index(strange).await.unwrap(), "these are other rules");
    subject.reopen().await;
    assert_eq!(subject.log.indexed(RULES).await.unwrap(), 1);
    feed(&subject).await;
    assert_eq!(rows(&subject, words(&["first"])).await, [1]);
    assert_eq!(rows(&subject, words(&["second"])).await, [2]);

    assert_eq!(subject.log.indexed(RULES + 1).await.unwrap(), 0);
    assert_eq!(rows(&subject, words(&["first"])).await, Vec::<u64>::new());
    assert_eq!(subject.log.indexed(RULES).await.unwrap(), 0);
    feed(&subject).await;
    assert_eq!(rows(&subject, words(&["first"])).await.len(), 1);
}

/// A text that is met again is not found twice: it is known to be an item from then on.
pub async fn a_text_is_found_once(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let id = fresh_id();
    subject.append(control("a", Expect::Any, &["x"]).and_content(id, "a", "hello")).await;
    subject.append(batch().and_item("a", Some(id))).await;
    for (seq, ordinal) in [(1, None), (2, Some(1))] {
        let finds = vec![Find { seq, ordinal, ..find("a", Source::Content(id)) }];
        let indexing = Indexing { after: seq - 1, upto: seq, version: RULES, finds, homes: vec![] };
        subject.log.indexed(RULES).await.unwrap();
        assert!(subject.log.index(indexing).await.unwrap());
        let hits = subject.log.search(words(&["hello"])).await.unwrap();
        assert_eq!(hits.iter().map(|hit| (hit.seq, hit.ordinal)).collect::<Vec<_>>(), [(1, ordinal)]);
    }
}

/// A name takes the place of the one before it.
pub async fn a_name_is_found_until_there_is_another(engine: &impl Engine) {
    let subject = Subject::new(engine);
    subject.log.indexed(RULES).await.unwrap();
    for (seq, name) in [(1, Some("Alpha")), (2, Some("Beta")), (3, None)] {
        let data = name.map_or("{}".to_owned(), |name| format!("{{\"name\":\"{name}\"}}"));
        let events = vec![event("named", &data)];
        let streams = vec![StreamAppend { stream: "a".into(), expect: Expect::Any, events }];
        subject.append(Batch { streams, ..batch() }).await;
        let find = Find { seq, class: "name".into(), ..find("a", Source::Data(name.map(|_| "name"))) };
        let indexing =
            Indexing { after: seq - 1, upto: seq, version: RULES, finds: vec![find], homes: vec![] };
        assert!(subject.log.index(indexing).await.unwrap());
        let found =
            rows(&subject, words(&["alpha"])).await.len() + 2 * rows(&subject, words(&["beta"])).await.len();
        assert_eq!(found, seq as usize % 3, "after {name:?}");
    }
}

/// Large texts are found by how they begin, and the side information of a content by its field.
pub async fn large_texts_are_found_by_their_start(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let (large, side) = (fresh_id(), fresh_id());
    let text = format!("outset {} verge {} finish", "- ".repeat(MAX_INLINE / 4), "- ".repeat(MAX_SEARCHED));
    let mut stored =
        batch().and_content(large, "a", &text).and_content(side, "a", "{}").and_item("a", Some(large));
    stored.contents[1].extra = Some("{\"title\":\"Read everything\"}".into());
    subject.append(stored).await;
    subject.log.indexed(RULES).await.unwrap();
    let finds = vec![find("a", Source::Content(large)), find("a", Source::Extra(side, "title"))];
    assert!(
        subject
            .log
            .index(Indexing { after: 0, upto: 1, version: RULES, finds, homes: vec![] })
            .await
            .unwrap()
    );
    for (word, expected) in [("outset", 1), ("verge", 1), ("finish", 0), ("everything", 1)] {
        assert_eq!(rows(&subject, words(&[word])).await.len(), expected, "{word}");
    }
    subject.append(clear("a", vec![])).await;
    for word in ["outset", "verge", "everything"] {
        assert_eq!(rows(&subject, words(&[word])).await.len(), 0, "{word}");
    }
}

/// A text that cannot be read keeps nothing else from being found.
pub async fn what_cannot_be_read_is_not_found(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let (odd, plain) = (fresh_id(), fresh_id());
    let mut stored =
        batch().and_content(odd, "a", "{}").and_content(plain, "a", "plain").and_item("a", Some(plain));
    stored.contents[0].extra = Some("{not json".into());
    subject.append(stored).await;
    subject.log.indexed(RULES).await.unwrap();
    let finds = vec![
        find("a", Source::Extra(odd, "title")),
        find("a", Source::Extra(plain, "title")),
        find("a", Source::Content(fresh_id())),
        find("nowhere", Source::Content(plain)),
        find("a", Source::Content(plain)),
    ];
    assert!(
        subject
            .log
            .index(Indexing { after: 0, upto: 1, version: RULES, finds, homes: vec![] })
            .await
            .unwrap()
    );
    assert_eq!(rows(&subject, words(&["plain"])).await.len(), 1);
}

/// Erased words are not found, in no file, and not taken in by who read them before.
pub async fn erased_words_are_gone(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    for n in 0..40 {
        for stream in ["a", "b", "c"] {
            let own = fresh_id();
            let text = format!("{stream}needle{n} common {}", text_with(&format!("{stream}xyzzy "), 40 * n));
            subject.append(batch().and_item(stream, Some(own)).and_content(own, stream, &text)).await;
        }
        if n % 5 == 0 {
            feed(&subject).await;
        }
    }
    let kept = fresh_id();
    subject.append(batch().and_item("a", Some(kept)).and_content(kept, "a", "remains")).await;
    let read = reading(&subject, vec![]).await;
    subject.append(clear("a", vec![kept])).await;
    // What was read before the erasure comes after it.
    assert!(subject.log.index(read).await.unwrap());
    feed(&subject).await;
    let erasing = control("b", Expect::Any, &["deleted"]);
    subject.append(Batch { erase: Some(Erasure::Stream { stream: "b".into() }), ..erasing }).await;
    for _ in 0..2 {
        for gone in ["aneedle", "axyzzy", "bneedle", "bxyzzy"] {
            let term = Term { words: gone.into(), prefix: true };
            assert_eq!(
                rows(&subject, Search { terms: vec![term], ..ask() }).await,
                Vec::<u64>::new(),
                "{gone}"
            );
            assert_ne!(subject.holds(gone), Some(true), "{gone} is still there");
        }
        assert_eq!(rows(&subject, words(&["remains"])).await.len(), 1);
        assert_eq!(rows(&subject, Search { limit: 500, ..words(&["common"]) }).await.len(), 40);
        subject.reopen().await;
    }
}

/// Appends an item with a text.
async fn say<E: Engine>(subject: &Subject<'_, E>, stream: &str, text: &str) {
    let id = fresh_id();
    subject.append(batch().and_item(stream, Some(id)).and_content(id, stream, text)).await;
}

fn clear(stream: &str, keep: Vec<uuid::Uuid>) -> Batch {
    let erase = Some(Erasure::Contents { stream: stream.into(), keep });
    Batch { erase, ..control(stream, Expect::Any, &["cleared"]) }
}

/// Takes everything that was appended into the index.
async fn feed<E: Engine>(subject: &Subject<'_, E>) {
    feed_with(subject, vec![]).await;
}

async fn feed_with<E: Engine>(subject: &Subject<'_, E>, homes: Vec<Home>) {
    assert!(subject.log.index(reading(subject, homes).await).await.unwrap());
}

async fn reading<E: Engine>(subject: &Subject<'_, E>, homes: Vec<Home>) -> Indexing {
    let after = subject.log.indexed(RULES).await.unwrap();
    let records = subject.log.read(after, usize::MAX).await.unwrap();
    let upto: Seq = records.last().map_or(after, |record| record.seq);
    let finds = records
        .into_iter()
        .filter_map(|record| match record.body {
            Body::Item { ordinal, content: Some(content) } => Some(Find {
                stream: record.stream,
                seq: record.seq,
                ordinal: Some(ordinal),
                source: Source::Content(content.id),
                class: record.kind,
                who: record.actor,
                ts: record.ts,
            }),
            _ => None,
        })
        .collect();
    Indexing { after, upto, version: RULES, finds, homes }
}

fn find(stream: &str, source: Source) -> Find {
    Find {
        stream: stream.into(),
        seq: 1,
        ordinal: None,
        source,
        class: "said".into(),
        who: "w".into(),
        ts: START,
    }
}

fn ask() -> Search {
    Search { limit: 100, ..Search::default() }
}

fn words(words: &[&str]) -> Search {
    let terms = words.iter().map(|words| Term { words: (*words).to_owned(), prefix: false }).collect();
    Search { terms, ..ask() }
}

/// Returns where the hits are, by what came when.
async fn rows<E: Engine>(subject: &Subject<'_, E>, search: Search) -> Vec<u64> {
    subject.log.search(search).await.unwrap().into_iter().map(|hit: Hit| hit.seq).collect()
}
