//! What a shell would make of a script, as far as that can be seen without running it: commands, in pipelines.

/// Stands in a word for what only the shell would know: the output of another command.
pub(super) const UNKNOWN: char = '\u{fffc}';

/// A script, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) pipelines: Vec<Vec<Command>>,
    /// Scripts within it: `$(…)`, `<(…)` and backquotes.
    pub(super) nested: Vec<String>,
}

/// One command with its words, without quotes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<String>,
    /// Files that its output is written to.
    pub(super) writes: Vec<String>,
}

/// Reads a script; `None` when a quote or a bracket is not closed.
pub(super) fn read(text: &str) -> Option<Script> {
    let mut reader = Reader { rest: text.chars().collect(), at: 0, script: Script::default() };
    let mut state = State::default();
    while let Some(c) = reader.next() {
        match c {
            ' ' | '\t' | '\r' => state.end_word(),
            '#' if state.word.is_none() => {
                while reader.peek().is_some_and(|c| c != '\n') {
                    reader.at += 1
                }
            }
            '\n' | ';' | '(' | ')' => state.end_pipeline(&mut reader.script),
            '{' | '}'
                if state.word.is_none() && reader.peek().is_none_or(|c| c.is_whitespace() || c == ';') =>
            {
                state.end_pipeline(&mut reader.script);
            }
            '&' if reader.peek() == Some('>') => state.end_word(),
            '&' => state.end_pipeline(&mut reader.script),
            '|' if reader.peek() == Some('|') => {
                reader.at += 1;
                state.end_pipeline(&mut reader.script);
            }
            '|' => {
                if reader.peek() == Some('&') {
                    reader.at += 1;
                }
                state.end_command();
            }
            '<' | '>' if reader.peek() == Some('(') => {
                reader.at += 1;
                let inner = reader.bracket()?;
                reader.script.nested.push(inner);
                state.word().push(UNKNOWN);
            }
            '>' => {
                // `2>&1` is no file, and the number in front is no word.
                state.word.take_if(|word| word.chars().all(|c| c.is_ascii_digit()));
                state.end_word();
                while reader.peek().is_some_and(|c| c == '>' || c == '|') {
                    reader.at += 1;
                }
                if reader.peek() == Some('&') {
                    reader.at += 1;
                    state.skips_word = true;
                } else {
                    state.is_written = true;
                }
            }
            '<' => {
                state.end_word();
                while reader.peek() == Some('<') {
                    reader.at += 1;
                }
            }
            c => reader.quoted(c, state.word())?,
        }
    }
    state.end_pipeline(&mut reader.script);
    Some(reader.script)
}

/// What was read so far of a pipeline.
#[derive(Default)]
struct State {
    word: Option<String>,
    command: Command,
    pipeline: Vec<Command>,
    /// The next word is a file that is written to.
    is_written: bool,
    /// The next word is a number of an open file.
    skips_word: bool,
}

impl State {
    fn word(&mut self) -> &mut String {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.skips_word) {
            return;
        }
        let list = if std::mem::take(&mut self.is_written) {
            &mut self.command.writes
        } else {
            &mut self.command.words
        };
        list.push(word);
    }

    fn end_command(&mut self) {
        self.end_word();
        (self.is_written, self.skips_word) = (false, false);
        self.pipeline.push(std::mem::take(&mut self.command));
    }

    fn end_pipeline(&mut self, script: &mut Script) {
        self.end_command();
        let mut pipeline = std::mem::take(&mut self.pipeline);
        pipeline.retain(|command| *command != Command::default());
        if !pipeline.is_empty() {
            script.pipelines.push(pipeline);
        }
    }
}

struct Reader {
    rest: Vec<char>,
    at: usize,
    script: Script,
}

impl Reader {
    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    /// Reads on within a word, from a character that may be a quote.
    fn quoted(&mut self, c: char, word: &mut String) -> Option<()> {
        match c {
            '\'' => word.push_str(&self.until('\'')?),
            '"' => loop {
                match self.next()? {
                    '"' => break,
                    '\\' => match self.next()? {
                        '\n' => {}
                        c @ ('"' | '\\' | '$' | '`') => word.push(c),
                        c => word.extend(['\\', c]),
                    },
                    c @ ('$' | '`') => self.expanded(c, word)?,
                    c => word.push(c),
                }
            },
            '\\' => match self.next()? {
                '\n' => {}
                c => word.push(c),
            },
            '$' if self.peek() == Some('\'') => {
                self.at += 1;
                self.escaped(word)?;
            }
            '$' if self.peek() == Some('"') => {}
            c @ ('$' | '`') => self.expanded(c, word)?,
            c => word.push(c),
        }
        Some(())
    }

    /// Reads a substitution, or a variable, which stays as it is written.
    fn expanded(&mut self, c: char, word: &mut String) -> Option<()> {
        let inner = match (c, self.peek()) {
            ('`', _) => self.until('`')?,
            (_, Some('(')) => {
                self.at += 1;
                self.bracket()?
            }
            _ => {
                word.push(c);
                return Some(());
            }
        };
        self.script.nested.push(inner);
        word.push(UNKNOWN);
        Some(())
    }

    /// Reads `$'…'`. What is written as a number is not worked out.
    fn escaped(&mut self, word: &mut String) -> Option<()> {
        loop {
            match self.next()? {
                '\'' => return Some(()),
                '\\' => match self.next()? {
                    c @ ('\'' | '"' | '\\') => word.push(c),
                    'n' | 't' | 'r' => word.push(' '),
                    _ => word.push(UNKNOWN),
                },
                c => word.push(c),
            }
        }
    }

    fn until(&mut self, end: char) -> Option<String> {
        let from = self.at;
        while self.next()? != end {}
        Some(self.rest[from..self.at - 1].iter().collect())
    }

    /// Reads up to the bracket that closes one that was read.
    fn bracket(&mut self) -> Option<String> {
        let (from, mut depth) = (self.at, 1);
        loop {
            match self.next()? {
                '(' => depth += 1,
                ')' => depth -= 1,
                '\'' => drop(self.until('\'')?),
                '\\' => self.at += 1,
                _ => {}
            }
            if depth == 0 {
                return Some(self.rest[from..self.at - 1].iter().collect());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<Vec<String>>> {
        let words = |pipeline: Vec<Command>| pipeline.into_iter().map(|command| command.words).collect();
        read(text).unwrap().pipelines.into_iter().map(words).collect()
    }

    #[test]
    fn commands_are_told_apart_and_quotes_are_gone() {
        assert_eq!(
            words("a 'b c' | d;e&&f \"g\\\"h\" # no\nx\\ y"),
            [vec![vec!["a", "b c"], vec!["d"]], vec![vec!["e"]], vec![vec!["f", "g\"h"]], vec![vec!["x y"]]]
        );
        assert_eq!(words("r'm' -\"rf\" \\x"), [[["rm", "-rf", "x"]]]);
        assert_eq!(words("f() { a; }"), [[["f"]], [["a"]]]);
        assert_eq!(words("a {b,c} #x"), [[["a", "{b,c}"]]]);
    }

    #[test]
    fn what_is_written_to_and_what_is_within_is_found() {
        let script = read("a 2>&1 >out &>>all \"$(b 'c)' (d))\" `e` <(f) $x").unwrap();
        let [command] = &script.pipelines[0][..] else { panic!("{script:?}") };
        assert_eq!(command.writes, ["out", "all"]);
        let unknown = UNKNOWN.to_string();
        assert_eq!(command.words, ["a", &unknown, &unknown, &unknown, "$x"]);
        assert_eq!(script.nested, ["b 'c)' (d)", "e", "f"]);
    }

    #[test]
    fn what_is_not_closed_is_not_read() {
        for text in ["a 'b", "a \"b", "a $(b", "a `b", "a \\"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
