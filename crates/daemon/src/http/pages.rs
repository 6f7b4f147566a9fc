//! Pages of lists that the daemon has in memory: one way to cut them.

use paseo_core::limits::PAGE_ROWS;
use paseo_wire::page::{Listed, PageQuery};

use crate::failure::Failure;

/// A list of which one page is sent.
pub(super) trait Paged: Listed + Sized {
    /// Keeps one page of the whole list. A cursor whose row is gone is refused: its position is unknown.
    fn page(mut self, after: Option<&str>, limit: Option<usize>) -> Result<Self, Failure> {
        let (rows, next) = self.parts();
        if let Some(after) = after {
            let seen = rows.iter().position(|row| Self::cursor(row) == after);
            rows.drain(..=seen.ok_or_else(|| Failure::lost_cursor(after))?);
        }
        let limit = limit.unwrap_or(PAGE_ROWS).clamp(1, PAGE_ROWS);
        if rows.len() > limit {
            rows.truncate(limit);
            *next = rows.last().map(Self::cursor);
        }
        Ok(self)
    }

    /// Keeps the page that a query without filters asks for.
    fn asked(self, query: &PageQuery) -> Result<Self, Failure> {
        self.page(query.after.as_deref(), query.limit)
    }
}

impl<L: Listed> Paged for L {}

#[cfg(test)]
mod tests {
    use paseo_wire::error::Code;
    use paseo_wire::file::CompletionList;

    use super::*;

    fn files(names: &[&str]) -> CompletionList {
        let files = names.iter().map(|name| (*name).to_owned()).collect();
        CompletionList { files, truncated: false, next: None }
    }

    #[test]
    fn pages_follow_each_other_until_next_is_null() {
        let (mut after, mut read) = (None, Vec::new());
        for _ in 0..3 {
            let page = files(&["a", "b", "c", "d", "e"]).page(after.as_deref(), Some(2)).unwrap();
            read.push(page.files);
            after = page.next;
        }
        assert_eq!(read, [vec!["a", "b"], vec!["c", "d"], vec!["e"]]);
        assert_eq!(after, None);
        // A page that ends with the last row is the last one.
        assert_eq!(files(&["a", "b"]).page(None, Some(2)).unwrap().next, None);
        assert_eq!(files(&[]).page(None, None).unwrap().next, None);
    }

    #[test]
    fn a_cursor_of_no_row_is_refused_and_a_limit_of_nothing_is_one() {
        let lost = files(&["a"]).page(Some("x"), None).unwrap_err();
        assert_eq!(lost.code, Code::Conflict);
        assert_eq!(files(&["a", "b"]).page(None, Some(0)).unwrap().files, ["a"]);
        assert_eq!(files(&["a", "b"]).page(None, Some(usize::MAX)).unwrap().next, None);
    }
}
