//! Patterns of the API document, compared with the rules that they stand for.

use std::path::Path;

use paseo_core::label::Label;
use paseo_core::thread::is_visible;
use regex::Regex;
use serde_json::Value;

/// Returns the pattern at a place below the schemas.
fn pattern(place: &str) -> Regex {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let pattern = document.pointer(&format!("/components/schemas/{place}/pattern")).and_then(Value::as_str);
    Regex::new(pattern.unwrap_or_else(|| panic!("{place} has no pattern"))).unwrap()
}

#[test]
fn a_presence_fits_its_pattern_if_all_of_it_can_be_seen() {
    let (state, details) =
        (pattern("SayPresence/properties/state"), pattern("SayPresence/properties/details"));
    for c in '\0'..=char::MAX {
        let text = format!("a{c}b");
        assert_eq!(state.is_match(&text), is_visible(&text), "{text:?}");
        assert_eq!(details.is_match(&text), is_visible(&text), "{text:?}");
    }
    for text in
        ["é\u{200d}x", "e\u{200d}x", "é\u{200d}\u{200d}", "👩\u{200d}🚀", "❤\u{fe0f}", "\u{fe0f}", "x y"]
    {
        assert_eq!(state.is_match(text), is_visible(text), "{text:?}");
    }
    assert!(!state.is_match("") && !state.is_match("  ") && details.is_match(""));
}

#[test]
fn a_key_of_a_label_fits_its_pattern_if_it_can_be_one() {
    let key = pattern("PatchSession/properties/set_labels/propertyNames");
    for c in '\0'..=char::MAX {
        for text in [format!("a{c}b"), format!("{c}a"), format!("a{c}")] {
            let label = format!("{text}=x").parse::<Label>();
            assert_eq!(key.is_match(&text), label.is_ok_and(|label| label.key == text), "{text:?}");
        }
    }
}
