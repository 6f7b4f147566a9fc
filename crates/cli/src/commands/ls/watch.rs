//! `paseo ls --watch`

use paseo_client::{Client, Error};
use paseo_wire::session::{SessionPage, SessionQuery};

use super::{all, hidden, table, view};
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
        printer.json(&view(page))
    }

    fn shown(&self, printer: &Printer, page: &SessionPage) -> String {
        if printer.mode() == Mode::Quiet {
            return page.sessions.iter().map(|session| format!("{}\n", session.handle)).collect();
        }
        let mut text = if page.sessions.is_empty() {
            "No agents to show.\n".to_owned()
        } else {
            let lines = page.sessions.iter().cloned().map(Into::into).collect();
            printer.rendered(&table(lines, self.args.global))
        };
        if let Some(hidden) = hidden(page.hidden, self.args).filter(|_| printer.is_screen()) {
            text.push_str(&printer.painted(Style::Dim, &hidden));
        }
        text
    }
}
