//! `paseo ls --watch`

use paseo_client::{Client, Error};
use paseo_wire::session::{SessionLine, SessionPage, SessionQuery};

use super::{all, asks_in_terminal, hidden, table};
use crate::args::ListArgs;
use crate::commands::watched::Watched;
use crate::failure::Failure;
use crate::printer::{Mode, Printer, Style};

/// The agents that are asked for.
pub(super) struct Agents<'a> {
    pub(super) query: &'a SessionQuery,
    pub(super) args: &'a ListArgs,
}

impl Watched for Agents<'_> {
    type Page = SessionPage;

    fn topic(&self) -> String {
        "sessions".to_owned()
    }

    async fn read(&self, client: &Client) -> Result<SessionPage, Error> {
        all(client, self.query.clone()).await
    }

    fn seq(page: &SessionPage) -> u64 {
        page.seq
    }

    fn is_same(before: &SessionPage, page: &SessionPage) -> bool {
        (&before.sessions, before.hidden) == (&page.sessions, page.hidden)
    }

    fn print(&self, printer: &Printer, page: &SessionPage) -> Result<(), Failure> {
        printer.json(page)
    }

    fn shown(&self, printer: &Printer, page: &SessionPage) -> String {
        if printer.mode() == Mode::Quiet {
            return page.sessions.iter().map(|session| format!("{}\n", session.handle)).collect();
        }
        let lines: Vec<SessionLine> = page.sessions.iter().cloned().map(Into::into).collect();
        let asking = lines.iter().filter_map(asks_in_terminal);
        let asides: Vec<String> = asking.chain(hidden(page.hidden, self.args)).collect();
        let mut text = if lines.is_empty() {
            "No agents.\n".to_owned()
        } else {
            printer.rendered(&table(lines, self.args.global))
        };
        if printer.is_screen() {
            text.extend(asides.iter().map(|aside| printer.painted(Style::Dim, aside)));
        }
        text
    }
}
