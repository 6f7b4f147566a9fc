//! Names and titles that people give to things.

use crate::limits::NAME_CHARS;

/// Says whether a text can be a name: one line, neither empty nor too long.
pub fn fits(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control)
}

/// Says what a name has to be. `what`: `a thread name`.
pub fn limit(what: &str) -> String {
    format!("{what} must be one line of 1 to {NAME_CHARS} characters")
}

/// Says what a name has to be where an empty one means none.
pub fn optional_limit(what: &str) -> String {
    format!("{what} must be one line of at most {NAME_CHARS} characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_of_bounded_length() {
        for good in ["a", "Größe 2", &"ä".repeat(NAME_CHARS)] {
            assert!(fits(good), "{good}");
        }
        for bad in ["", " ", "a\nb", &"x".repeat(NAME_CHARS + 1)] {
            assert!(!fits(bad), "{bad:?}");
        }
        assert_eq!(limit("a thread name"), "a thread name must be one line of 1 to 120 characters");
    }
}
