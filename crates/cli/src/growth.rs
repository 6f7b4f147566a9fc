//! How much of a text that is growing was shown.

use paseo_wire::item::ItemView;
use paseo_wire::stream::LiveFrame;

/// The item that is growing, and how many of its bytes were shown.
#[derive(Debug, Default)]
pub(crate) struct Growth(Option<(String, u64)>);

impl Growth {
    /// Takes a piece. Returns what is new in it, and whether it begins a text.
    ///
    /// After a broken connection a piece may come twice, or not at all: then the stored item has it.
    pub(crate) fn piece<'a>(&mut self, live: &'a LiveFrame) -> Option<(&'a str, bool)> {
        let shown = match &self.0 {
            Some((item, shown)) if *item == live.item => *shown,
            _ => 0,
        };
        let skip = usize::try_from(shown.checked_sub(live.offset)?).ok()?;
        let new = live.text.get(skip..).filter(|new| !new.is_empty())?;
        self.0 = Some((live.item.to_string(), live.offset + live.text.len() as u64));
        Some((new, shown == 0))
    }

    /// Takes the whole text. Returns what of it was not shown; `None` when it was not seen to grow.
    pub(crate) fn rest<'a>(&mut self, item: &'a ItemView) -> Option<&'a str> {
        let (_, shown) = self.0.take_if(|(growing, _)| *growing == item.id)?;
        let text = item.text.as_deref().unwrap_or_default();
        // Of a large text only beginning and end are here.
        let rest = usize::try_from(shown).ok().and_then(|shown| text.get(shown..));
        Some(rest.filter(|_| item.full_length.is_none()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn live(item: &str, offset: u64, text: &str) -> LiveFrame {
        LiveFrame {
            session: "s".into(),
            item: item.into(),
            kind: "assistant_text".into(),
            offset,
            text: text.to_owned(),
            call: None,
        }
    }

    fn item(id: &str, text: &str, full_length: Option<u64>) -> ItemView {
        serde_json::from_value(json!({
            "id": id, "ordinal": 3, "seq": 9, "ts": "2026-01-31T12:00:00.000Z", "turn": null, "step": 0,
            "parent": null, "kind": "assistant_text", "fields": {}, "text": text, "full_length": full_length,
        }))
        .unwrap()
    }

    #[test]
    fn each_byte_is_shown_once() {
        let mut growth = Growth::default();
        assert_eq!(growth.piece(&live("a", 0, "one ")), Some(("one ", true)));
        assert_eq!(growth.piece(&live("a", 4, "two")), Some(("two", false)));
        assert_eq!(growth.piece(&live("a", 0, "one two")), None, "it comes again");
        assert_eq!(growth.piece(&live("a", 4, "two three")), Some((" three", false)));
        assert_eq!(growth.piece(&live("a", 99, "lost")), None, "something is missing before it");
        assert_eq!(growth.rest(&item("a", "one two three four", None)), Some(" four"));
        assert_eq!(growth.rest(&item("a", "one two three four", None)), None);
    }

    #[test]
    fn another_text_begins_anew() {
        let mut growth = Growth::default();
        growth.piece(&live("a", 0, "one"));
        assert_eq!(growth.piece(&live("b", 0, "two")), Some(("two", true)));
        assert_eq!(growth.rest(&item("a", "one", None)), None);
        assert_eq!(growth.rest(&item("b", "the beginning […] the end", Some(9000))), Some(""));
    }
}
