//! Which ids of members and participants can be chosen: some are reserved, however they are spelled.

use paseo_core::thread::RESERVED;
use serde_json::{Value, json};

/// What ids look like.
const NAME: &str = "[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?";

/// Fields of bodies in which a caller chooses an id.
const CHOSEN: [(&str, &str); 4] = [
    ("AgentOfTeam", "id"),
    ("CreateParticipantToken", "participant"),
    ("CreateTeam", "id"),
    ("EnrolAgent", "id"),
];

/// Returns the pattern of an id that can be chosen.
pub(super) fn free() -> String {
    let reserved: Vec<String> = RESERVED.iter().map(|word| spelled(word)).collect();
    format!("^(?!({})[._-]*$){NAME}$", reserved.join("|"))
}

/// Returns the pattern of every spelling of a word: case does not count, nor do signs between letters.
fn spelled(word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_alphabetic);
    let either = letters.map(|one| format!("[{}{}]", one.to_ascii_uppercase(), one.to_ascii_lowercase()));
    either.collect::<Vec<_>>().join("[._-]*")
}

/// Says of every id that is chosen which ones can be.
pub(super) fn reserve(document: &mut Value) {
    for (schema, field) in CHOSEN {
        document["components"]["schemas"][schema]["properties"][field]["pattern"] = json!(free());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_reserved_word_is_left_out() {
        assert_eq!(spelled("a-b"), "[Aa][._-]*[Bb]");
        let mut document = json!({});
        reserve(&mut document);
        let id = &document["components"]["schemas"]["EnrolAgent"]["properties"]["id"]["pattern"];
        assert!(id.as_str().is_some_and(|pattern| pattern.contains("[Uu][._-]*[Ss][._-]*[Ee][._-]*[Rr]")));
    }

    #[test]
    fn every_field_is_there() {
        let document = super::super::build();
        for (schema, field) in CHOSEN {
            assert!(document["components"]["schemas"][schema]["properties"][field]["$ref"].is_string());
        }
    }
}
