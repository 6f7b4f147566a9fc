//! What lists print with `--json`: one object, with the rows under their name.

use paseo_wire::permission::OpenAsk;
use paseo_wire::team::{NoticeView, TeamView};
use paseo_wire::thread::ThreadView;
use serde::Serialize;

/// The open permission requests.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct AskList<'a> {
    pub(crate) asks: &'a [OpenAsk],
}

/// The threads, the one with the newest event first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ThreadList<'a> {
    pub(crate) threads: &'a [ThreadView],
}

/// The teams, in order of their ids.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct TeamList<'a> {
    pub(crate) teams: &'a [TeamView],
}

/// What happened in a team, the oldest first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct NoticeList<'a> {
    pub(crate) notices: &'a [NoticeView],
}
