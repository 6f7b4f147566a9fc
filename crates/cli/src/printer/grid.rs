//! Tables within a text.

use super::Style;
use super::ink::Row;

const BETWEEN: &str = " │ ";
/// No column gets narrower than this.
const LEAST: usize = 5;

/// Cells as they come, the titles first.
#[derive(Debug)]
pub(super) struct Grid {
    /// Which columns end at the right.
    right: Vec<bool>,
    rows: Vec<Vec<Row>>,
    row: Vec<Row>,
}

impl Grid {
    pub(super) fn new(right: &[bool]) -> Self {
        Self { right: right.to_vec(), rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn cell(&mut self, cell: Row) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Returns the table, at most `room` wide: side by side where the columns fit, else one cell below the other.
    pub(super) fn rows(&self, room: usize) -> Vec<Row> {
        let columns = self.right.len();
        let between = BETWEEN.chars().count() * columns.saturating_sub(1);
        match widths(&self.natural(), room.saturating_sub(between)) {
            Some(widths) => self.side_by_side(&widths),
            None => self.listed(),
        }
    }

    fn natural(&self) -> Vec<usize> {
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(Row::width).max();
        (0..self.right.len()).map(|column| width(column).unwrap_or(0).max(1)).collect()
    }

    fn side_by_side(&self, widths: &[usize]) -> Vec<Row> {
        let mut shown = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let cell = |column: usize| {
                let cell = row.get(column).cloned().unwrap_or_default();
                cell.wrapped(widths[column], &Row::default())
            };
            let cells: Vec<Vec<Row>> = (0..widths.len()).map(cell).collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                shown.push(self.line(&cells, line, widths));
            }
            if index == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                shown.push(Row::of(Style::Dim, rule.join("─┼─")));
            }
        }
        shown
    }

    fn line(&self, cells: &[Vec<Row>], line: usize, widths: &[usize]) -> Row {
        let mut row = Row::default();
        for (column, width) in widths.iter().enumerate() {
            if column > 0 {
                row.push(Style::Dim.into(), BETWEEN);
            }
            let cell = cells[column].get(line).cloned().unwrap_or_default();
            let blank =
                " ".repeat(width.saturating_sub(cell.plain().trim_end().chars().count().max(cell.width())));
            let (before, after) =
                if self.right[column] { (blank, String::new()) } else { (String::new(), blank) };
            row.push(Style::Plain.into(), &before);
            cell.0.iter().for_each(|span| row.push(span.ink, &span.text));
            row.push(Style::Plain.into(), &after);
        }
        row
    }

    fn listed(&self) -> Vec<Row> {
        let Some((titles, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut shown = Vec::new();
        for row in rows {
            for (title, cell) in titles.iter().zip(row) {
                let mut line = title.clone();
                line.push(Style::Plain.into(), ": ");
                cell.0.iter().for_each(|span| line.push(span.ink, &span.text));
                shown.push(line);
            }
            shown.push(Row::default());
        }
        shown.pop();
        shown
    }
}

/// Returns how wide columns are that fit: the widest give way first. `None` when there is no room for them.
fn widths(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let mut widths = natural.to_vec();
    let least: usize = natural.iter().map(|width| (*width).min(LEAST)).sum();
    if least > room {
        return None;
    }
    // Each column may have as much as the limit; the largest limit that fits is the one.
    if widths.iter().sum::<usize>() > room {
        let fits = |limit: &usize| natural.iter().map(|width| (*width).min(*limit)).sum::<usize>() <= room;
        let limit = (LEAST..=room).rev().find(fits)?;
        widths.iter_mut().for_each(|width| *width = (*width).min(limit));
        let mut spare = room - widths.iter().sum::<usize>();
        for (width, natural) in widths.iter_mut().zip(natural) {
            let more = (natural - *width).min(spare);
            *width += more;
            spare -= more;
        }
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_column_gives_way() {
        assert_eq!(widths(&[4, 10], 20), Some(vec![4, 10]));
        assert_eq!(widths(&[4, 100], 20), Some(vec![4, 16]));
        assert_eq!(widths(&[50, 100, 3], 23), Some(vec![10, 10, 3]));
        assert_eq!(widths(&[50, 50, 50], 12), None);
    }

    #[test]
    fn where_columns_do_not_fit_cells_stand_below_each_other() {
        let mut grid = Grid::new(&[false; 3]);
        for cell in ["Name", "Kind", "Words", "aaaaaaaa", "bbbbbbbb", "cccccccc"] {
            grid.cell(Row::of(Style::Plain, cell));
            if grid.row.len() == 3 {
                grid.end_row();
            }
        }
        let shown: Vec<String> = grid.rows(16).iter().map(Row::plain).collect();
        assert_eq!(shown, ["Name: aaaaaaaa", "Kind: bbbbbbbb", "Words: cccccccc"]);
    }
}
