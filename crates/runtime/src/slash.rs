//! The commands that a harness offers: a message that begins with `/name` runs one.

/// How many a harness may offer.
const MOST: usize = 500;
/// Characters of a name, and of what is said about it.
const NAME_CHARS: usize = 100;
const ABOUT_CHARS: usize = 300;

/// A command of a harness.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SlashCommand {
    /// Without the slash.
    pub name: String,
    pub description: Option<String>,
    /// What can follow the name, such as `[file]`.
    pub hint: Option<String>,
}

/// Returns the commands that can be typed, each once, in the order of their names.
pub(crate) fn offered(commands: impl IntoIterator<Item = SlashCommand>) -> Vec<SlashCommand> {
    let usable = |command: &SlashCommand| {
        let name = &command.name;
        !name.is_empty()
            && name.chars().count() <= NAME_CHARS
            && !name.chars().any(|char| char.is_whitespace() || char.is_control())
    };
    let bounded = |command: SlashCommand| SlashCommand {
        description: line(command.description),
        hint: line(command.hint),
        ..command
    };
    let mut commands: Vec<_> = commands.into_iter().filter(usable).map(bounded).take(MOST).collect();
    commands.sort_by(|one, other| one.name.cmp(&other.name));
    commands.dedup_by(|one, other| one.name == other.name);
    commands
}

/// Returns the first line, if there is something in it.
fn line(text: Option<String>) -> Option<String> {
    let text = text?;
    let line: String = text.trim().lines().next()?.trim().chars().take(ABOUT_CHARS).collect();
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> SlashCommand {
        SlashCommand { name: name.to_owned(), ..SlashCommand::default() }
    }

    #[test]
    fn what_cannot_be_typed_is_left_out_and_the_rest_is_sorted() {
        let long = "x".repeat(NAME_CHARS + 1);
        let names = ["review", "", "two words", "compact", "review", "a\u{7}b", &long];
        let found: Vec<String> = offered(names.map(named)).into_iter().map(|command| command.name).collect();
        assert_eq!(found, ["compact", "review"]);
    }

    #[test]
    fn a_description_is_one_line_and_a_harness_cannot_offer_without_end() {
        let about = Some(format!("  Look closely\nand more {}", "x".repeat(1000)));
        let [one] = &offered([SlashCommand { description: about, hint: Some(" ".into()), ..named("a") }])[..]
        else {
            panic!()
        };
        assert_eq!((one.description.as_deref(), one.hint.as_deref()), (Some("Look closely"), None));
        assert_eq!(offered((0..MOST + 1).map(|at| named(&at.to_string()))).len(), MOST);
        assert_eq!((MOST, NAME_CHARS, ABOUT_CHARS), (500, 100, 300));
    }
}
