//! Aligned tables that fit the terminal.

use std::borrow::Cow;
use std::iter;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::wrap::wrapped;
use super::{Style, line, paint};

/// A flexible column is never narrower than this.
const LEAST: usize = 8;
/// Nor one of which nothing may be missing: words need room.
const LEAST_WRAPPED: usize = 24;
const GAP: &str = "  ";
/// Stands before what has no room beside the other columns.
const BENEATH: &str = "    ";

/// A column's title and manners.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    title: &'static str,
    manner: Manner,
    /// Left out when the terminal is too narrow; the rightmost first.
    optional: bool,
}

/// How a column gives way when the terminal is narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Fixed,
    Cut,
    Wrapped,
    Key,
}

impl Column {
    const fn new(title: &'static str, manner: Manner) -> Self {
        Self { title, manner, optional: false }
    }

    /// Lets the column be left out when the terminal is too narrow for all.
    pub(crate) fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// Makes a column that is never cut.
    pub(crate) fn fixed(title: &'static str) -> Self {
        Self::new(title, Manner::Fixed)
    }

    /// Makes a column that gives way when the terminal is narrow.
    pub(crate) fn flexible(title: &'static str) -> Self {
        Self::new(title, Manner::Cut)
    }

    /// Makes a column that gives way, and goes on below instead of being cut: what the table is read for.
    pub(crate) fn wrapped(title: &'static str) -> Self {
        Self::new(title, Manner::Wrapped)
    }

    /// Makes a column by which rows are told apart, and which is cut when nothing else can be.
    pub(crate) fn key(title: &'static str) -> Self {
        Self::new(title, Manner::Key)
    }

    fn least(self) -> Option<usize> {
        match self.manner {
            Manner::Fixed | Manner::Key => None,
            Manner::Cut => Some(LEAST),
            Manner::Wrapped => Some(LEAST_WRAPPED),
        }
    }
}

/// Rows under titles.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    columns: [Column; N],
    rows: Vec<[(Style, String); N]>,
    /// A row is a line, whatever has to be cut for that.
    strict: bool,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(columns: [Column; N]) -> Self {
        Self { columns, rows: Vec::new(), strict: false }
    }

    /// Cuts any column when those that give way are not enough.
    pub(crate) fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Adds a row. Cells are made harmless and put on one line.
    pub(crate) fn row(&mut self, cells: [(Style, String); N]) {
        self.rows.push(cells.map(|(style, text)| (style, if is_plain(&text) { text } else { line(&text) })));
    }

    /// Returns the table as text, at most `width` wide where that is possible.
    pub(super) fn render(&self, width: Option<usize>, color: bool) -> String {
        let mut widths = self.widths(width);
        let mut text = String::new();
        let beneath = self.beneath(&widths, width);
        if beneath.is_some() {
            widths[N - 1] = 0;
        }
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let titles = self.columns.map(|column| (Style::Dim, column.title.to_owned()));
            push_row(&mut text, &titles, &widths, color);
        }
        for row in &self.rows {
            if beneath.is_none() || row[..N - 1].iter().any(|(_, cell)| !cell.is_empty()) {
                self.push_lines(&mut text, row, &widths, color);
            }
            if let Some(room) = beneath {
                let (style, cell) = &row[N - 1];
                for line in wrapped(cell, room).iter().filter(|line| !line.is_empty()) {
                    text.push_str(&format!("{BENEATH}{}\n", paint(color, *style, line)));
                }
            }
        }
        text
    }

    /// Returns the room for the last column under the others, where there is none for it beside them.
    fn beneath(&self, widths: &[usize; N], limit: Option<usize>) -> Option<usize> {
        let gaps = GAP.len() * widths.iter().filter(|width| **width > 0).count().saturating_sub(1);
        let limit = limit.filter(|limit| widths.iter().sum::<usize>() + gaps > *limit)?;
        let wraps = self.columns[N - 1].manner == Manner::Wrapped && widths[N - 1] > 0;
        (wraps && N > 2).then(|| limit.saturating_sub(BENEATH.len()))
    }

    /// Adds a row, and what of it goes on below.
    fn push_lines(&self, text: &mut String, row: &[(Style, String); N], widths: &[usize; N], color: bool) {
        let is_long = |index: &usize| {
            let wraps = self.columns[*index].manner == Manner::Wrapped && widths[*index] > 0;
            wraps && width_of(&row[*index].1) > widths[*index]
        };
        if !(0..N).any(|index| is_long(&index)) {
            return push_row(text, row, widths, color);
        }
        let cells: [Vec<String>; N] = std::array::from_fn(|index| match is_long(&index) {
            true => wrapped(&row[index].1, widths[index]),
            false => vec![cut(&row[index].1, widths[index]).into_owned()],
        });
        // A word that is wider than its column is all there; nothing stands beside it.
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or_default() {
            let cell = |index: usize| cells[index].get(line).cloned().unwrap_or_default();
            let line: [(Style, String); N] = std::array::from_fn(|index| (row[index].0, cell(index)));
            let widths = std::array::from_fn(|index| match widths[index] {
                0 => 0,
                width => width.max(width_of(&line[index].1)),
            });
            push_row(text, &line, &widths, color);
        }
    }

    /// Leaves out optional columns, from the right, until the others have the room that they need.
    fn leave_out(&self, widths: &mut [usize; N], limit: usize) {
        let needed = |widths: &[usize; N]| {
            let shown = (0..N).filter(|index| widths[*index] > 0);
            let least = |index: usize| self.columns[index].least().unwrap_or(usize::MAX).min(widths[index]);
            shown.map(|index| least(index) + GAP.len()).sum::<usize>().saturating_sub(GAP.len())
        };
        while needed(widths) > limit {
            let Some(index) = (0..N).rev().find(|index| self.columns[*index].optional && widths[*index] > 0)
            else {
                return;
            };
            widths[index] = 0;
        }
    }

    fn widths(&self, limit: Option<usize>) -> [usize; N] {
        let mut cells = [0; N];
        for row in &self.rows {
            for (width, (_, cell)) in cells.iter_mut().zip(row) {
                *width = (*width).max(width_of(cell));
            }
        }
        let mut widths = cells;
        for (width, column) in widths.iter_mut().zip(self.columns) {
            // A column without anything takes no room, whatever its title.
            if *width > 0 || self.rows.is_empty() {
                *width = (*width).max(column.title.width());
            }
        }
        let Some(limit) = limit else { return widths };
        self.leave_out(&mut widths, limit);
        let gaps = GAP.len() * widths.iter().filter(|width| **width > 0).count().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > limit {
            let widest = |gives_way: &dyn Fn(usize) -> bool| {
                (0..N).filter(|index| gives_way(*index)).max_by_key(|index| widths[*index])
            };
            let is = |index: usize, manner: Manner| self.columns[index].manner == manner;
            let flexible =
                widest(&|index| self.columns[index].least().is_some_and(|least| widths[index] > least));
            let strictly = |gives_way: &dyn Fn(usize) -> bool| {
                widest(&|index| self.strict && widths[index] > 1 && gives_way(index))
            };
            let title = || strictly(&|index| is(index, Manner::Fixed) && widths[index] > cells[index]);
            let cell = || strictly(&|index| !is(index, Manner::Key));
            let key = || strictly(&|_| true);
            match flexible.or_else(title).or_else(cell).or_else(key) {
                Some(index) => widths[index] -= 1,
                None => break,
            }
        }
        widths
    }
}

fn push_row<const N: usize>(
    text: &mut String,
    cells: &[(Style, String); N],
    widths: &[usize; N],
    color: bool,
) {
    let mut padding = 0;
    for ((style, cell), width) in cells.iter().zip(widths) {
        let shown = if *width == 0 { Cow::Borrowed("") } else { cut(cell, *width) };
        // Padding waits for the next cell that has something, so that no line ends in blanks.
        if !shown.is_empty() {
            text.extend(iter::repeat_n(' ', padding));
            padding = 0;
            if color {
                text.push_str(&paint(color, *style, &shown));
            } else {
                text.push_str(&shown);
            }
        }
        if *width > 0 {
            padding += width.saturating_sub(width_of(&shown)) + GAP.len();
        }
    }
    text.push('\n');
}

/// Returns the text, cut to a width and ending in `…` when something is missing.
pub(crate) fn truncate(text: &str, width: usize) -> String {
    cut(text, width).into_owned()
}

fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if width_of(text) <= width {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut left = width.saturating_sub(1);
    for character in text.chars() {
        let needed = character.width().unwrap_or(0);
        if needed > left {
            break;
        }
        left -= needed;
        shown.push(character);
    }
    if width > 0 {
        shown.push('…');
    }
    Cow::Owned(shown)
}

/// Returns how wide a terminal shows a text. Most cells are plain, and a list has thousands.
fn width_of(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.width() }
}

/// Says whether a text is harmless as it is, and as wide as it is long.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<3> {
        let mut table =
            Table::new([Column::fixed("HANDLE"), Column::flexible("NAME"), Column::fixed("UPDATED")]);
        let plain = |text: &str| (Style::Plain, text.to_owned());
        table.row([plain("3f2a"), plain("fix the tests in every crate"), plain("5m")]);
        table.row([plain("91cc0"), plain("世界世界世界世界世界"), plain("now")]);
        table.row([plain("7777"), plain(""), plain("")]);
        table
    }

    #[test]
    fn columns_align_and_no_line_ends_in_blanks() {
        insta::assert_snapshot!(table().render(None, false), @r"
        HANDLE  NAME                          UPDATED
        3f2a    fix the tests in every crate  5m
        91cc0   世界世界世界世界世界          now
        7777
        ");
    }

    #[test]
    fn a_narrow_terminal_cuts_what_may_be_cut() {
        let text = table().render(Some(32), false);
        insta::assert_snapshot!(text, @r"
        HANDLE  NAME             UPDATED
        3f2a    fix the tests …  5m
        91cc0   世界世界世界世…  now
        7777
        ");
        assert!(text.lines().all(|line| line.width() <= 32));
        assert!(table().render(Some(3), false).contains("fix the…"));
    }

    #[test]
    fn optional_columns_are_left_out_from_the_right_where_not_all_fit() {
        let mut table = Table::new([
            Column::key("HANDLE"),
            Column::flexible("NAME"),
            Column::fixed("PROVIDER").optional(),
            Column::fixed("UPDATED").optional(),
        ]);
        table.row(
            ["3f2a", "fix the tests", "scripted", "5 min ago"].map(|text| (Style::Plain, text.to_owned())),
        );
        insta::assert_snapshot!(table.render(Some(40), false), @r"
        HANDLE  NAME         PROVIDER  UPDATED
        3f2a    fix the te…  scripted  5 min ago
        ");
        insta::assert_snapshot!(table.render(Some(30), false), @r"
        HANDLE  NAME          PROVIDER
        3f2a    fix the tes…  scripted
        ");
        insta::assert_snapshot!(table.render(Some(22), false), @r"
        HANDLE  NAME
        3f2a    fix the tests
        ");
    }

    #[test]
    fn a_strict_table_fits_whatever_it_takes() {
        let text = table().strict().render(Some(20), false);
        assert!(text.lines().all(|line| line.width() <= 20), "{text}");
        assert!(text.contains("3f2a") && text.contains('…'), "{text}");
    }

    #[test]
    fn titles_are_cut_before_cells_and_keys_last() {
        let mut table =
            Table::new([Column::flexible("NAME"), Column::fixed("MESSAGES"), Column::key("ID")]).strict();
        table.row(["a long name", "12", "01a1e2b3-0c"].map(|text| (Style::Plain, text.to_owned())));
        table.row(["another", "3", "01a1e2b3-1c"].map(|text| (Style::Plain, text.to_owned())));
        insta::assert_snapshot!(table.render(Some(28), false), @r"
        NAME      MESS…  ID
        a long …  12     01a1e2b3-0c
        another   3      01a1e2b3-1c
        ");
        insta::assert_snapshot!(table.render(Some(20), false), @r"
        NA…  M…  ID
        a …  12  01a1e2b3-0c
        an…  3   01a1e2b3-1c
        ");
        assert!(table.render(Some(12), false).lines().all(|line| line.width() <= 12));
    }

    #[test]
    fn a_column_without_anything_takes_no_room() {
        let mut table = Table::new([Column::fixed("A"), Column::fixed(""), Column::fixed("B")]);
        table.row(["1", "", "2"].map(|text| (Style::Plain, text.to_owned())));
        assert_eq!(table.render(None, false), "A  B\n1  2\n");
        let mut titled = Table::new([Column::fixed("A"), Column::flexible("LABELS"), Column::fixed("B")]);
        titled.row(["1", "", "2"].map(|text| (Style::Plain, text.to_owned())));
        assert_eq!(titled.render(None, false), "A  B\n1  2\n");
    }

    #[test]
    fn what_a_table_is_read_for_goes_on_below_instead_of_being_cut() {
        let mut table =
            Table::new([Column::fixed("RULE"), Column::flexible("PROJECT"), Column::wrapped("COVERS")]);
        let plain = |text: &str| (Style::Plain, text.to_owned());
        table.row([
            plain("7"),
            plain("/home/somebody/elsewhere"),
            plain("the command git push --force origin"),
        ]);
        table.row([plain("8"), plain("/p"), plain("/a/path/that/is/longer/than/its/column is read")]);
        insta::assert_snapshot!(table.render(Some(44), false), @r"
        RULE  PROJECT       COVERS
        7     /home/someb…  the command git push
                            --force origin
        8     /p            /a/path/that/is/longer/than/its/column
                            is read
        ");
        assert_eq!(table.render(None, false).lines().count(), 3, "a file is as wide as it takes");
    }

    #[test]
    fn what_has_no_room_beside_the_others_stands_beneath_them() {
        let mut table = Table::new([Column::fixed("TIME"), Column::fixed("STEP"), Column::wrapped("MEANS")]);
        let plain = |text: &str| (Style::Plain, text.to_owned());
        table.row([plain("12:00"), plain("accepted"), plain("it was taken up from the queue")]);
        table.row([plain("12:01"), plain("ended"), plain("")]);
        insta::assert_snapshot!(table.render(Some(30), false), @r"
        TIME   STEP
        12:00  accepted
            it was taken up from the
            queue
        12:01  ended
        ");
    }

    #[test]
    fn cutting_respects_wide_characters() {
        assert_eq!(truncate("世界世界", 8), "世界世界");
        assert_eq!(truncate("世界世界", 6), "世界…");
        assert_eq!(truncate("abc", 0), "");
    }
}
