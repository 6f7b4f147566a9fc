//! Code in colour.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::ink::{Colour, Ink, Row};
use super::{Style, line};

/// Beyond these, code is shown in one colour: reading it takes time that grows with it.
const MOST_BYTES: usize = 64 * 1024;
const LONGEST_LINE: usize = 1000;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// What begins with these words looks like this. The first that fits counts, from the innermost scope outwards.
static LOOKS: LazyLock<Vec<(Scope, Ink)>> = LazyLock::new(|| {
    let coloured = |colour| Ink { colour: Some(colour), ..Ink::default() };
    let looks = [
        ("comment", Style::Dim.into()),
        ("string", coloured(Colour::Green)),
        ("constant", coloured(Colour::Cyan)),
        ("keyword.operator", Ink::default()),
        ("keyword", coloured(Colour::Magenta)),
        ("storage", coloured(Colour::Magenta)),
        ("entity.name.function", coloured(Colour::Blue)),
        ("entity.name", coloured(Colour::Yellow)),
        ("support", coloured(Colour::Blue)),
        ("variable.parameter", Ink::default()),
        ("markup.inserted", coloured(Colour::Green)),
        ("markup.deleted", coloured(Colour::Red)),
    ];
    looks.into_iter().filter_map(|(scope, ink)| Some((Scope::new(scope).ok()?, ink))).collect()
});

/// Languages by names that the library does not know, and others that read alike.
fn known_as(language: &str) -> &str {
    match language {
        "ts" | "tsx" | "typescript" | "jsx" | "mjs" | "cjs" | "json5" => "js",
        "shell" | "console" | "zsh" | "fish" | "sh-session" => "sh",
        "golang" => "go",
        "toml" | "ini" | "conf" => "properties",
        "vue" | "svelte" => "html",
        other => other,
    }
}

/// Returns the lines of a piece of code.
pub(super) fn rows(code: &str, language: &str) -> Vec<Row> {
    let language = language.split([',', ' ', '{']).next().unwrap_or_default().to_lowercase();
    let syntax = (code.len() <= MOST_BYTES && !language.is_empty())
        .then(|| SYNTAXES.find_syntax_by_token(known_as(&language)))
        .flatten();
    let Some(syntax) = syntax else {
        return code.lines().map(|line| Row::of(Style::Plain, harmless(line))).collect();
    };
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    code.lines().map(|line| row(line, &mut state, &mut stack)).collect()
}

fn row(line: &str, state: &mut ParseState, stack: &mut ScopeStack) -> Row {
    let whole = format!("{line}\n");
    let parsed = (line.len() <= LONGEST_LINE).then(|| state.parse_line(&whole, &SYNTAXES).ok()).flatten();
    let Some(changes) = parsed else { return Row::of(Style::Plain, harmless(line)) };
    let (mut row, mut from) = (Row::default(), 0);
    let mut show = |until: usize, stack: &ScopeStack, from: &mut usize| {
        if let Some(text) = line.get(*from..until.min(line.len())) {
            row.push(look(stack), &harmless(text));
            *from = until;
        }
    };
    for (at, change) in changes {
        show(at, stack, &mut from);
        if stack.apply(&change).is_err() {
            break;
        }
    }
    show(line.len(), stack, &mut from);
    row
}

/// Made harmless before it is measured: what is written out is wider.
fn harmless(text: &str) -> String {
    line(&text.replace('\t', "    "))
}

fn look(stack: &ScopeStack) -> Ink {
    let looks =
        |scope: &Scope| LOOKS.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, ink)| *ink);
    stack.as_slice().iter().rev().find_map(looks).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_text_whatever_its_colours() {
        let code = "fn main() {\n\tlet x = \"é世\"; // why\n}\n\n";
        for language in ["rust", "rs", "Rust,ignore", "ts", "nosuch", ""] {
            let text: Vec<String> = rows(code, language).iter().map(Row::plain).collect();
            assert_eq!(text.join("\n") + "\n", code.replace('\t', "    "), "{language}");
        }
        let painted: String = rows(code, "rust").iter().map(|row| row.painted(true)).collect();
        assert!(painted.contains("\x1b[32m") && painted.contains("\x1b[2m"), "{painted:?}");
    }

    #[test]
    fn languages_that_agents_write_are_known() {
        for language in [
            "rust", "python", "py", "js", "ts", "tsx", "json", "bash", "sh", "c", "cpp", "go", "java",
            "html", "css", "sql", "yaml", "toml", "diff", "ruby", "php", "make", "markdown", "xml",
        ] {
            assert!(SYNTAXES.find_syntax_by_token(known_as(language)).is_some(), "{language}");
        }
    }
}
