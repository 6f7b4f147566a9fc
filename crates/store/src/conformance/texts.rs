//! Texts of all sizes and characters.

use super::Engine;
use super::subject::{Build, Subject, batch, control, event, fresh_id};
use crate::{Body, EXCERPT, Error, Expect, MAX_INLINE, MAX_TEXT, NewContent, StreamAppend, Text};

/// Text up to the limit is in the page itself.
pub async fn small_text_is_inline(engine: &impl Engine) {
    let subject = Subject::new(engine);
    for text in [String::new(), "hello".into(), "x".repeat(MAX_INLINE)] {
        let id = fresh_id();
        let mut batch = batch().and_item("a", Some(id));
        let extra = Some("{\"side\":1}".to_owned());
        batch.contents.push(NewContent { id, owner: "a".into(), text: text.clone(), extra: extra.clone() });
        subject.append(batch).await;
        let row = subject.log.content(id).await.unwrap().unwrap();
        assert_eq!((row.id, row.len, row.extra.as_ref()), (id, text.len() as u64, extra.as_ref()));
        assert_eq!(row.text, Text::Inline(text.clone()));
        assert_eq!(subject.log.text(id).await.unwrap(), Some(text));
    }
    assert_eq!(subject.log.content(fresh_id()).await.unwrap(), None);
    assert_eq!(subject.log.text(fresh_id()).await.unwrap(), None);
}

/// Larger text shows its ends, which are cut between characters, and is there in full.
pub async fn large_text_is_kept_with_head_and_tail(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    // Three bytes each and one more in front, so that no border falls on a multiple of 1024.
    let texts = ["x".repeat(MAX_INLINE + 1), format!("x{}", "語".repeat(100_000)), "🦀".repeat(250_000)];
    for text in &texts {
        let id = fresh_id();
        subject.append(batch().and_item("a", Some(id)).and_content(id, "a", text)).await;
        subject.reopen().await;
        let row = subject.log.content(id).await.unwrap().unwrap();
        assert_eq!(row.len, text.len() as u64);
        let Text::Large { head, tail } = &row.text else { panic!("{:?}", row.text) };
        for (part, matches) in [(head, text.starts_with(head)), (tail, text.ends_with(tail))] {
            assert!(matches && part.len() <= EXCERPT && part.len() > EXCERPT - 4);
        }
        assert!(subject.log.text(id).await.unwrap().as_ref() == Some(text));
        let item = subject.log.items_before("a", None, 1).await.unwrap().remove(0);
        assert_eq!(item.content, Some(row));
    }
}

/// Text beyond the limit is stored as far as it goes, and says so.
pub async fn too_long_text_is_cut_with_a_mark(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let id = fresh_id();
    let text = "é".repeat(MAX_TEXT / 2 + 10);
    subject.append(batch().and_content(id, "a", &text)).await;
    let stored = subject.log.text(id).await.unwrap().unwrap();
    assert!(stored.len() <= MAX_TEXT && stored.len() > MAX_TEXT - 100, "{}", stored.len());
    let (kept, mark) = stored.rsplit_once('\n').unwrap();
    assert!(text.starts_with(kept));
    assert_eq!(mark, format!("[cut: the first {} of {} bytes]", kept.len(), text.len()));
    let row = subject.log.content(id).await.unwrap().unwrap();
    assert_eq!(row.len, stored.len() as u64);
    let Text::Large { tail, .. } = row.text else { panic!("{:?}", row.text) };
    assert!(tail.ends_with(mark), "a page shows the mark");
}

/// Whatever a string can hold comes back as it was, in every place.
pub async fn difficult_characters_come_back(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let difficult = [
        "\0",
        "before\0after\0",
        "\u{feff}\u{202e}שלום\u{202c}",
        "🦀👩‍👩‍👧‍👦\u{1f1e9}\u{1f1ea}",
        "\u{10ffff}\u{fffe}\u{fffd}",
        "e\u{301} é",
        "\r\n\t\u{1b}[31m\\ ' \" ` ; --",
        "\u{7f}\u{80}\u{85}\u{2028}",
    ];
    for text in difficult {
        let stream = format!("a/{text}");
        let (small, large) = (fresh_id(), fresh_id());
        let long = text.repeat(MAX_INLINE);
        let mut batch = batch()
            .and_item(&stream, Some(small))
            .and_content(small, &stream, text)
            .and_content(large, &stream, &long)
            .and_key(text, text, 1);
        batch.actor = text.into();
        batch.items[0].data = text.into();
        batch.contents[0].extra = Some(text.into());
        let events = vec![event(text, text)];
        batch.streams.push(StreamAppend { stream: stream.clone(), expect: Expect::Version(0), events });
        let seq = subject.append(batch).await.seq;
        subject.reopen().await;

        let records = subject.log.read(seq - 2, 10).await.unwrap();
        for record in &records {
            assert_eq!((&*record.stream, record.actor.as_str()), (stream.as_str(), text));
            assert_eq!(record.data.as_deref(), Some(text));
        }
        assert_eq!(records[0].kind, text);
        let Body::Item { content: Some(row), .. } = &records[1].body else { panic!("{records:?}") };
        assert_eq!(row.text, Text::Inline(text.into()));
        assert_eq!(row.extra.as_deref(), Some(text));
        assert!(subject.log.text(large).await.unwrap() == Some(long));
        let receipt = subject.log.receipt(text, text, [1; 32]).await.unwrap();
        assert_eq!(receipt, Some(format!("receipt of {text} in {text}")));
        assert_eq!(subject.log.names(&stream, 1).await.unwrap(), [stream.as_str()]);
        assert_eq!(subject.log.head(&stream).await.unwrap().unwrap().version, 1);
    }
}

/// An id names one text for ever.
pub async fn a_content_id_is_used_once(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let id = fresh_id();
    subject.append(batch().and_content(id, "a", "first")).await;
    let refusal = subject.refusal(control("a", Expect::Any, &["x"]).and_content(id, "a", "second")).await;
    assert!(matches!(refusal, Error::Invalid(_)), "{refusal:?}");
    assert_eq!(subject.log.text(id).await.unwrap().as_deref(), Some("first"));
    assert_eq!(subject.everything().await, []);
    // A later item may point at it.
    subject.append(batch().and_item("a", Some(id))).await;
}
