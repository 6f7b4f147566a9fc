//! Markdown as rows of a terminal.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::code;
use super::grid::Grid;
use super::ink::{Colour, Ink, Row};
use super::{Style, line};

/// Beyond these a text is shown as it is: what a model wrote must not keep the terminal busy.
const MOST_BYTES: usize = 256 * 1024;
const MOST_EVENTS: usize = 100_000;
/// Quotes and lists within each other are indented no further than this.
const DEEPEST: usize = 8;
const RULE: usize = 40;

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS)
}

/// Returns a text as rows of at most `width`. `None` when it is too large to be read as Markdown.
pub(super) fn rows(text: &str, width: usize) -> Option<Vec<Row>> {
    if text.len() > MOST_BYTES {
        return None;
    }
    let mut page = Page::new(width.max(8));
    for (count, event) in parser(text).enumerate() {
        if count > MOST_EVENTS {
            return None;
        }
        page.take(event);
    }
    page.end_line();
    Some(page.rows)
}

/// Returns where the last block of a growing text begins: what is before it will not change.
pub(super) fn last_block(text: &str) -> usize {
    let (mut depth, mut last) = (0_usize, 0);
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    last = range.start;
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => last = range.start,
            _ => {}
        }
    }
    // An indented block begins at its text; its indentation belongs to it.
    text[..last].rfind('\n').map_or(0, |end| end + 1)
}

/// What stands at the left of a quote or of an item of a list.
struct Lead {
    first: Option<Row>,
    rest: Row,
}

struct Page {
    width: usize,
    rows: Vec<Row>,
    leads: Vec<Lead>,
    /// Leads that were too deep to be shown.
    hidden: usize,
    inks: Vec<Ink>,
    line: Row,
    /// The next number of each list around.
    lists: Vec<Option<u64>>,
    code: Option<(String, String)>,
    links: Vec<String>,
    table: Option<Grid>,
    /// A blank row comes before the next block.
    gap: bool,
}

impl Page {
    fn new(width: usize) -> Self {
        Self {
            width,
            rows: Vec::new(),
            leads: Vec::new(),
            hidden: 0,
            inks: vec![Ink::default()],
            line: Row::default(),
            lists: Vec::new(),
            code: None,
            links: Vec::new(),
            table: None,
            gap: false,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::Code(text) => {
                let ink = Ink { colour: Some(Colour::Cyan), ..self.ink() };
                self.words(ink, &text);
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                let ink = Ink { dim: true, ..self.ink() };
                for (index, piece) in text.trim_end_matches('\n').split('\n').enumerate() {
                    if index > 0 {
                        self.end_line();
                    }
                    self.words(ink, piece);
                }
                if text.ends_with('\n') {
                    self.end_line();
                }
            }
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
            Event::SoftBreak => self.words(self.ink(), " "),
            Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.begin_block();
                self.emit(Row::of(Style::Dim, "─".repeat(RULE.min(self.width))));
                self.gap = true;
            }
            Event::TaskListMarker(done) => self.words(self.ink(), if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let ink = self.ink();
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin_block(),
            Tag::Heading { level, .. } => {
                self.begin_block();
                let underlined = level == HeadingLevel::H1;
                self.inks.push(Ink { bold: true, underlined, ..ink });
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                let bar = Row::of(Style::Dim, "│ ");
                self.lead(Lead { first: None, rest: bar });
            }
            Tag::CodeBlock(kind) => {
                self.begin_block();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(number) => {
                if self.lists.is_empty() {
                    self.begin_block();
                } else {
                    self.end_line();
                    self.gap = false;
                }
                self.lists.push(number);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.begin_block();
                self.table = Some(Grid::new(
                    &alignments.iter().map(|one| *one == Alignment::Right).collect::<Vec<_>>(),
                ));
            }
            Tag::TableHead => self.inks.push(Ink { bold: true, ..ink }),
            Tag::Emphasis => self.inks.push(Ink { italic: true, ..ink }),
            Tag::Strong => self.inks.push(Ink { bold: true, ..ink }),
            Tag::Strikethrough => self.inks.push(Ink { struck: true, ..ink }),
            Tag::Link { dest_url, .. } => {
                self.links.push(dest_url.to_string());
                self.inks.push(Ink { underlined: true, ..ink });
            }
            Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.to_string());
                self.words(ink, "image: ");
                self.inks.push(ink);
            }
            Tag::TableRow
            | Tag::TableCell
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.inks.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.end_block();
                self.leave();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.end_line();
                self.gap = self.lists.is_empty();
            }
            TagEnd::Item => {
                self.end_line();
                // An item without a word has its mark.
                if self.leads.last().is_some_and(|lead| lead.first.is_some()) {
                    self.emit(Row::default());
                }
                self.leave();
            }
            TagEnd::Table => {
                if let Some(grid) = self.table.take() {
                    let room = self.room();
                    grid.rows(room).into_iter().for_each(|row| self.emit(row));
                }
                self.gap = true;
            }
            TagEnd::TableHead => {
                self.inks.pop();
                self.table.iter_mut().for_each(Grid::end_row);
            }
            TagEnd::TableRow => self.table.iter_mut().for_each(Grid::end_row),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                self.table.iter_mut().for_each(|grid| grid.cell(cell.clone()));
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.inks.pop()),
            TagEnd::Link | TagEnd::Image => {
                self.inks.pop();
                let address = self.links.pop().unwrap_or_default();
                let said = self.line.0.last().map_or("", |span| span.text.as_str());
                // What the words say already is not said twice.
                if !address.is_empty() && !said.ends_with(address.trim_start_matches("mailto:")) {
                    self.words(Ink { dim: true, ..self.ink() }, &format!(" ({address})"));
                }
            }
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn ink(&self) -> Ink {
        self.inks.last().copied().unwrap_or_default()
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some((_, code)) => code.push_str(text),
            None => self.words(self.ink(), text),
        }
    }

    fn words(&mut self, ink: Ink, text: &str) {
        // Made harmless before it is measured: what is written out is wider.
        self.line.push(ink, &line(text));
    }

    fn item(&mut self) {
        self.end_line();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number += 1;
                mark
            }
            _ => "• ".to_owned(),
        };
        let rest = Row::of(Style::Plain, " ".repeat(mark.chars().count()));
        self.lead(Lead { first: Some(Row::of(Style::Plain, mark)), rest });
        self.gap = false;
    }

    fn lead(&mut self, lead: Lead) {
        if self.leads.len() < DEEPEST {
            self.leads.push(lead);
        } else {
            self.hidden += 1;
        }
    }

    fn leave(&mut self) {
        match self.hidden {
            0 => drop(self.leads.pop()),
            _ => self.hidden -= 1,
        }
    }

    fn begin_block(&mut self) {
        self.end_line();
        if std::mem::take(&mut self.gap) {
            let mut blank = Row::default();
            let rest = self.leads.iter().flat_map(|lead| &lead.rest.0);
            rest.for_each(|span| blank.push(span.ink, &span.text));
            self.rows.push(if blank.plain().trim().is_empty() { Row::default() } else { blank });
        }
    }

    fn end_block(&mut self) {
        self.end_line();
        self.gap = true;
    }

    fn end_code(&mut self) {
        let Some((language, text)) = self.code.take() else { return };
        let room = self.room().saturating_sub(2);
        for line in code::rows(&text, &language) {
            for piece in line.broken(room) {
                let mut row = Row::of(Style::Plain, "  ");
                piece.0.into_iter().for_each(|span| row.push(span.ink, &span.text));
                self.put(row);
            }
        }
        self.gap = true;
    }

    fn end_line(&mut self) {
        if self.line != Row::default() && self.table.is_none() {
            let line = std::mem::take(&mut self.line);
            self.emit(line);
        }
    }

    /// Returns how wide a block may be here.
    fn room(&self) -> usize {
        let taken: usize = self.leads.iter().map(|lead| lead.rest.width()).sum();
        self.width.saturating_sub(taken).max(8)
    }

    fn emit(&mut self, row: Row) {
        for row in row.wrapped(self.room(), &Row::default()) {
            self.put(row);
        }
    }

    /// Adds one row, behind what stands at its left.
    fn put(&mut self, row: Row) {
        let mut whole = Row::default();
        for lead in &mut self.leads {
            let lead = lead.first.take().unwrap_or_else(|| lead.rest.clone());
            lead.0.iter().for_each(|span| whole.push(span.ink, &span.text));
        }
        row.0.iter().for_each(|span| whole.push(span.ink, &span.text));
        self.rows.push(whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, width: usize) -> String {
        let rows = rows(text, width).unwrap();
        rows.iter().map(|row| row.plain().trim_end().to_owned() + "\n").collect()
    }

    fn painted(text: &str) -> String {
        rows(text, 80).unwrap().iter().map(|row| row.painted(true) + "\n").collect()
    }

    #[test]
    fn blocks_stand_apart_and_lists_hang() {
        let text = "# Title\n\nA *short* **text** with `code`.\nIt goes on.\n\n- one that is long enough\n  - two\n- three\n\n\
                    1. a\n2. b\n\n> said\n> more\n\n---\n\n- [x] done\n- [ ] open\n";
        insta::assert_snapshot!(plain(text, 24), @r"
        Title

        A short text with code.
        It goes on.

        • one that is long
          enough
          • two
        • three

        1. a
        2. b

        │ said more

        ────────────────────────

        • ☑ done
        • ☐ open
        ");
    }

    #[test]
    fn words_stand_out() {
        assert_eq!(
            painted("a **b** *c* `d` ~~e~~\n"),
            "a \x1b[1mb\x1b[0m \x1b[3mc\x1b[0m \x1b[36md\x1b[0m \x1b[9me\x1b[0m\n"
        );
        assert_eq!(painted("# T"), "\x1b[1;4mT\x1b[0m\n");
        assert_eq!(
            painted("[here](http://x/) <http://y/>"),
            "\x1b[4mhere\x1b[0m\x1b[2m (http://x/)\x1b[0m \x1b[4mhttp://y/\x1b[0m\n"
        );
        assert!(painted("```rust\nlet x = 1;\n```\n").contains("\x1b[35mlet\x1b[0m"));
    }

    #[test]
    fn snake_case_and_code_stay_as_they_are() {
        assert_eq!(plain("call snake_case_name and 2 * 3 * 4\n", 80), "call snake_case_name and 2 * 3 * 4\n");
        assert_eq!(plain("```\na  b\n\n\tc <x>\n```\nend", 80), "  a  b\n\n      c <x>\n\nend\n");
    }

    #[test]
    fn tables_fit() {
        let text = "| Name | What |\n|---|--:|\n| a | 1 |\n| long name | 22 |\n";
        insta::assert_snapshot!(plain(text, 40), @r"
        Name      │ What
        ──────────┼─────
        a         │    1
        long name │   22
        ");
        let wide = "| Name | What |\n|---|---|\n| a | one two three four five six |\n";
        insta::assert_snapshot!(plain(wide, 24), @r"
        Name │ What
        ─────┼──────────────────
        a    │ one two three
             │ four five six
        ");
    }

    #[test]
    fn nothing_a_model_writes_is_obeyed() {
        let hostile = "\x1b[2Ja &#27;[2J &#x9b;31m `\x1b]0;t\x07` [x](http://\x1b[1m) \u{202e}\n\n```\n\x1bc\n```\n\
                       <a href='\x1b'>\n\n| \x1b |\n|---|\n| &#7; |\n";
        for row in rows(hostile, 80).unwrap() {
            let painted = row.painted(false);
            assert!(!painted.chars().any(|c| c.is_control() || c == '\u{202e}'), "{painted:?}");
        }
    }

    #[test]
    fn what_is_too_much_is_left_as_it_is() {
        assert_eq!(rows(&"x".repeat(MOST_BYTES + 1), 80), None);
        let cells =
            format!("|{}\n|{}\n", "a|".repeat(400), "-|".repeat(400)) + &format!("|{}\n", "x|").repeat(300);
        assert_eq!(rows(&cells, 80), None);
        for deep in [">".repeat(5000) + " x", "- ".repeat(5000) + "x", "*".repeat(5000), "[".repeat(5000)] {
            if let Some(rows) = rows(&deep, 40) {
                assert!(rows.iter().all(|row| row.width() <= 40 + 2 * DEEPEST), "{}", &deep[..4]);
            }
        }
    }

    #[test]
    fn only_the_last_block_of_a_growing_text_may_change() {
        let last = |text: &str| text[last_block(text)..].to_owned();
        assert_eq!(last("one\n\ntwo **bo"), "two **bo");
        assert_eq!(last("one\n\n```rs\nfn"), "```rs\nfn");
        assert_eq!(last("a\n\n- one\n- two"), "- one\n- two");
        assert_eq!(last("a\n\n    code"), "    code");
        assert_eq!(last("a\n\n---\n"), "---\n");
        assert_eq!(last(""), "");
    }
}
