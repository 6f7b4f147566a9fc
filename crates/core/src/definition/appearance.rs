//! How agents of a definition look in lists: an icon and a colour.

use std::fmt;

use super::node::Value;
use super::reader::Fields;

/// The icons that have a name. Any single emoji will do as well.
pub const ICONS: [&str; 20] = [
    "book", "bot", "brush", "bug", "chart", "chat", "code", "database", "flask", "gear", "globe", "hammer",
    "leaf", "lock", "pen", "rocket", "search", "shield", "star", "terminal",
];

/// A colour by its name. What it looks like is a matter of the theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    Gray,
    Red,
    Orange,
    Yellow,
    Green,
    Cyan,
    Blue,
    Purple,
    Pink,
}

impl Color {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Gray,
        Self::Red,
        Self::Orange,
        Self::Yellow,
        Self::Green,
        Self::Cyan,
        Self::Blue,
        Self::Purple,
        Self::Pink,
    ];

    /// Returns the word that definitions use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gray => "gray",
            Self::Red => "red",
            Self::Orange => "orange",
            Self::Yellow => "yellow",
            Self::Green => "green",
            Self::Cyan => "cyan",
            Self::Blue => "blue",
            Self::Purple => "purple",
            Self::Pink => "pink",
        }
    }

    /// Finds a colour by its word.
    pub fn parse(word: &str) -> Result<Self, Unfit> {
        Self::ALL.into_iter().find(|color| color.word() == word).ok_or_else(|| Unfit::Color(shown(word)))
    }
}

/// An icon: one of [`ICONS`], or one emoji.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon(String);

impl Icon {
    /// Reads an icon.
    pub fn parse(text: &str) -> Result<Self, Unfit> {
        let text = text.trim();
        let fits = ICONS.contains(&text) || is_emoji(text);
        if fits { Ok(Self(text.to_owned())) } else { Err(Unfit::Icon(shown(text))) }
    }
}

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why an icon or a colour is refused. What was given is shortened, with nothing invisible in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("unknown icon `{0}`; expected one emoji, or one of {known}", known = ICONS.join(", "))]
    Icon(String),
    #[error("unknown color `{0}`; expected one of {known}", known = Color::ALL.map(Color::word).join(", "))]
    Color(String),
}

/// Takes the icon and the colour out of a definition. Files of Claude Code may have colours that are not ours.
pub(super) fn read(fields: &mut Fields<'_>, foreign: bool) -> (Option<Icon>, Option<Color>) {
    let icon = fields.text("icon").and_then(|(text, line)| {
        Icon::parse(&text).map_err(|unfit| fields.error(line, unfit.to_string())).ok()
    });
    let color = match foreign {
        true => fields.take("color").and_then(|node| match &node.value {
            Value::Text(word) => Color::parse(word.trim()).ok(),
            _ => None,
        }),
        false => fields.text("color").and_then(|(word, line)| {
            Color::parse(word.trim()).map_err(|unfit| fields.error(line, unfit.to_string())).ok()
        }),
    };
    (icon, color)
}

fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

/// The most characters of one emoji: a flag of a region has the most.
const EMOJI_CHARS: usize = 16;
const JOINER: char = '\u{200d}';
const AS_EMOJI: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';
const LAST_TAG: char = '\u{e007f}';

/// Says whether a text is exactly one emoji: a pictogram, perhaps of several that are joined, a flag or a key.
fn is_emoji(text: &str) -> bool {
    let chars: Vec<char> = text.chars().take(EMOJI_CHARS + 1).collect();
    match chars.as_slice() {
        [] => false,
        many if many.len() > EMOJI_CHARS => false,
        [one, other] if is_regional(*one) && is_regional(*other) => true,
        ['0'..='9' | '#' | '*', AS_EMOJI, KEYCAP] => true,
        [base, tags @ .., LAST_TAG] if is_pictogram(*base) => !tags.is_empty() && tags.iter().all(is_tag),
        joined => joined.split(|c| *c == JOINER).all(is_element),
    }
}

/// Says whether characters are one pictogram, with a skin tone or the mark that it is no text.
fn is_element(chars: &[char]) -> bool {
    let tone = |c: char| matches!(c, '\u{1f3fb}'..='\u{1f3ff}');
    match chars {
        [base] => is_pictogram(*base),
        [base, mark] => is_pictogram(*base) && (*mark == AS_EMOJI || tone(*mark)),
        _ => false,
    }
}

fn is_regional(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

fn is_tag(c: &char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007e}')
}

fn is_pictogram(c: char) -> bool {
    let is_symbol = matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}')
        || matches!(c, '\u{2b00}'..='\u{2bff}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}');
    is_symbol || matches!(c, '\u{1f000}'..='\u{1faff}') && !is_regional(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_is_one_emoji_or_a_name() {
        for text in ["🐛", "🛠️", "👩🏽‍💻", "🏳️‍🌈", "🇨🇭", "1️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "✨", "☂️", " rocket ", "bot"]
        {
            assert_eq!(Icon::parse(text).map(|icon| icon.to_string()), Ok(text.trim().to_owned()), "{text}");
        }
        for text in ["", "🐛🐛", "x", "🐛x", "Rocket", "unicorn", "🇨", "\u{200d}", "🐛\u{200d}", "\u{202e}"]
        {
            assert!(matches!(Icon::parse(text), Err(Unfit::Icon(_))), "{text:?}");
        }
        let long = "🐛\u{200d}".repeat(20) + "🐛";
        assert!(Icon::parse(&long).is_err());
    }

    #[test]
    fn a_refusal_says_what_there_is_and_hides_nothing() {
        let refused = Color::parse("re\u{202e}d").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "unknown color `re\\u{202e}d`; expected one of gray, red, orange, yellow, green, cyan, blue, \
             purple, pink"
        );
        assert!(Icon::parse("x").unwrap_err().to_string().contains("rocket"));
        for color in Color::ALL {
            assert_eq!(Color::parse(color.word()), Ok(color));
        }
    }
}
