//! Lists of sessions: filters, what they hide, order and pages.

use std::cmp::Reverse;
use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use paseo_core::definition::is_slug;
use paseo_core::id::SessionId;
use paseo_core::label::{Filter, Label};
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session::Session;
use paseo_core::snippet::snippet;
use paseo_store::Seq;
use paseo_wire::error::Code;
use paseo_wire::session::{Hidden, SessionLines, SessionPage, SessionQuery};

use super::App;
use super::request::Asked;
use super::sessions::{label, line, shown};
use crate::directory::Directory;
use crate::failure::Failure;

pub(crate) async fn list(
    State(app): State<App>,
    Asked(query): Asked<SessionQuery>,
) -> Result<Response, Failure> {
    Ok(if query.brief {
        Json(lines(&app, &query).await?).into_response()
    } else {
        Json(page(&app, &query).await?).into_response()
    })
}

async fn page(app: &App, query: &SessionQuery) -> Result<SessionPage, Failure> {
    let Found { seq, found, next, hidden } = find(app, query).await?;
    let mut sessions = Vec::with_capacity(found.len());
    for session in &found {
        sessions.push(shown(app, session).await?);
    }
    Ok(SessionPage { seq, sessions, next, hidden })
}

async fn lines(app: &App, query: &SessionQuery) -> Result<SessionLines, Failure> {
    let Found { seq, found, next, hidden } = find(app, query).await?;
    let mut sessions = Vec::with_capacity(found.len());
    for session in &found {
        sessions.push(line(app, session).await?);
    }
    Ok(SessionLines { seq, sessions, next, hidden })
}

/// A page before it is shown.
struct Found {
    seq: Seq,
    found: Vec<Arc<Session>>,
    next: Option<String>,
    hidden: Hidden,
}

async fn find(app: &App, query: &SessionQuery) -> Result<Found, Failure> {
    let context = &app.sessions.context;
    let seq = context.directory.point(&context.journal);
    let labels: Vec<Label> =
        query.labels.iter().flat_map(|text| text.split(',')).map(listed_label).collect::<Result<_, _>>()?;
    let filter =
        if query.any_labels { Filter::All(Vec::new()) } else { Filter::from_flags(labels, query.ui) };
    let limit = query.limit.unwrap_or(PAGE_ROWS);

    let open = context.directory.all();
    check(query)?;
    let place = query.project.as_deref().map(|directory| Place::of(directory, &open));
    let in_project = |session: &Session| place.as_ref().is_none_or(|place| place.has(session));
    let follows =
        |session: &Session| query.agent.as_deref().is_none_or(|slug| session.profile.slug() == slug);
    let mut hidden = Hidden::default();
    let after = query.after.as_deref().map(cursor).transpose()?;
    let (found, next) = match after {
        Some(Cursor::Closed(stream)) => {
            let (mut found, next) = Directory::closed_page(&context.journal, stream.as_deref()).await?;
            found
                .retain(|session| in_project(session) && filter.matches(&session.labels) && follows(session));
            (found, next.map(|stream| format!("{CLOSED}:{stream}")))
        }
        after => {
            let mut found = open;
            let all = found.len();
            found.retain(|session| in_project(session));
            hidden.project = all - found.len();
            let here = found.len();
            found.retain(|session| {
                filter.matches(&session.labels)
                    || query.ui
                        && context.directory.is_shown_in_ui(session.id, |above| filter.matches(&above.labels))
            });
            hidden.labels = here - found.len();
            let labelled = found.len();
            found.retain(|session| follows(session));
            hidden.agent = labelled - found.len();
            if !query.all_statuses {
                hidden.status = match &place {
                    Some(place) => {
                        place.projects.iter().map(|under| context.directory.closed(Some(under))).sum()
                    }
                    None => context.directory.closed(None),
                };
            }
            if let Some(Cursor::Open(rank)) = after {
                found.retain(|session| Rank::of(session) > rank);
            }
            found.sort_by_cached_key(|session| Rank::of(session));
            let more = found.len() > limit;
            found.truncate(limit);
            let next = match found.last() {
                Some(last) if more => Some(Rank::of(last).cursor()),
                _ if query.all_statuses => Some(CLOSED.to_owned()),
                _ => None,
            };
            (found, next)
        }
    };
    Ok(Found { seq, found, next, hidden })
}

/// Refuses filters that nothing could ever match.
fn check(query: &SessionQuery) -> Result<(), Failure> {
    if let Some(directory) = query.project.as_deref().filter(|directory| !directory.starts_with('/')) {
        let message = format!("`project` is `{}`; expected an absolute path", snippet(directory));
        return Err(Failure::new(Code::InvalidRequest, message));
    }
    if let Some(slug) = query.agent.as_deref().filter(|slug| !is_slug(slug)) {
        let message = format!("`agent` is `{}`; expected the slug of an agent definition", snippet(slug));
        return Err(Failure::new(Code::InvalidRequest, message).hint("run `paseo agents ls`"));
    }
    Ok(())
}

/// Where a list is asked for.
struct Place {
    directory: String,
    /// The directory itself, and the projects of those in whose worktree it is: no one under another.
    projects: Vec<String>,
}

impl Place {
    fn of(directory: &str, open: &[Arc<Session>]) -> Self {
        let mut projects = vec![directory.to_owned()];
        for session in open.iter().filter(|session| is_in_worktree(session, directory)) {
            let project = &session.profile.project;
            if !projects.iter().any(|other| FilePath::new(project).starts_with(other)) {
                projects.retain(|other| !FilePath::new(other).starts_with(project));
                projects.push(project.clone());
            }
        }
        Self { directory: directory.to_owned(), projects }
    }

    fn has(&self, session: &Session) -> bool {
        // Most are in the directory itself: that is much cheaper to see than whether one path is under another.
        let project = &session.profile.project;
        self.projects.iter().any(|under| project == under || FilePath::new(project).starts_with(under))
            || is_in_worktree(session, &self.directory)
    }
}

/// Says whether a directory is in a session's own worktree.
fn is_in_worktree(session: &Session, directory: &str) -> bool {
    let worktree = session.profile.worktree.as_ref();
    worktree.is_some_and(|worktree| FilePath::new(directory).starts_with(&worktree.path))
}

/// Where a session stands in a list: pinned ones first, the newest pin first; then the others by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    unpinned: bool,
    millis: Reverse<i64>,
    id: SessionId,
}

impl Rank {
    fn of(session: &Session) -> Self {
        let at = session.pinned_at.unwrap_or(session.updated_at);
        Self { unpinned: session.pinned_at.is_none(), millis: Reverse(at.as_millis()), id: session.id }
    }

    fn cursor(self) -> String {
        format!("{}{}:{}", if self.unpinned { "" } else { PINNED }, self.millis.0, self.id)
    }

    fn parse(text: &str) -> Option<Self> {
        let pinned = text.strip_prefix(PINNED);
        let (at, id) = pinned.unwrap_or(text).split_once(':')?;
        let millis = Reverse(at.parse().ok()?);
        Some(Self { unpinned: pinned.is_none(), millis, id: id.parse().ok()? })
    }
}

/// Where a list goes on: open sessions come by rank, closed ones after them by id.
enum Cursor {
    Open(Rank),
    Closed(Option<String>),
}

/// What the cursor of a pinned one starts with.
const PINNED: &str = "pinned-";
/// What the cursor of the closed ones starts with.
const CLOSED: &str = "closed";

/// Reads a label of a list, in which commas are written `%2C` and percent signs `%25`.
fn listed_label(text: &str) -> Result<Label, Failure> {
    label(&text.replace("%2C", ",").replace("%25", "%"))
}

fn cursor(text: &str) -> Result<Cursor, Failure> {
    if let Some(stream) = text.strip_prefix(CLOSED) {
        return Ok(Cursor::Closed(stream.strip_prefix(':').map(str::to_owned)));
    }
    Rank::parse(text).map(Cursor::Open).ok_or_else(|| Failure::no_cursor(text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use paseo_core::actor::Actor;
    use paseo_core::label::Labels;
    use paseo_core::session::Created;
    use paseo_core::time::Timestamp;
    use paseo_wire::id::SessionId;
    use paseo_wire::message::CreatedSession;
    use paseo_wire::session::SessionLine;

    use super::*;
    use crate::http::tests::House;
    use crate::mint;

    fn session(updated: i64, pinned: Option<i64>) -> Session {
        let created = Created::plain(mint::session(), Actor::Human("cli".into()), "scripted", "/p");
        let session = Session::create(created, Timestamp::from_millis(updated));
        Session { pinned_at: pinned.map(Timestamp::from_millis), ..session }
    }

    #[test]
    fn pinned_ones_come_first_and_a_cursor_stands_for_its_rank() {
        let expected = [session(1, Some(9)), session(8, Some(2)), session(7, None), session(3, None)];
        let ranks: Vec<Rank> = expected.iter().map(Rank::of).collect();
        assert!(ranks.is_sorted());
        for rank in ranks {
            assert_eq!(Rank::parse(&rank.cursor()), Some(rank));
        }
        assert_eq!(Rank::parse("pinned-x"), None);
    }

    #[tokio::test]
    async fn what_the_web_app_lists_has_whole_families() {
        let house = House::new().await;
        let shown = house.labelled(Labels::from_flags([], true).unwrap()).await;
        let child = house.child(&shown).await;
        let grandchild = house.child(&child).await;
        let background = house.session().await;
        let below_background = house.child(&background).await;
        let listed = async |query: SessionQuery| {
            let page = page(&house.app, &query).await.unwrap();
            let lines = lines(&house.app, &query).await.unwrap();
            assert_eq!((lines.seq, &lines.next, lines.hidden), (page.seq, &page.next, page.hidden));
            let briefly: Vec<SessionLine> = page.sessions.iter().cloned().map(Into::into).collect();
            assert_eq!(lines.sessions, briefly);
            let ids: BTreeSet<SessionId> = page.sessions.into_iter().map(|session| session.id).collect();
            (ids, page.hidden.labels)
        };
        let ids = |sessions: &[&CreatedSession]| -> BTreeSet<SessionId> {
            sessions.iter().map(|made| made.session.id.clone()).collect()
        };
        let ui = SessionQuery { ui: true, ..SessionQuery::default() };
        assert_eq!(listed(ui.clone()).await, (ids(&[&shown, &child, &grandchild]), 2));
        // Other filters look at each session by itself.
        let labels = SessionQuery { labels: Some("ui=true".into()), ..SessionQuery::default() };
        assert_eq!(listed(labels).await, (ids(&[&shown]), 4));
        let usual = listed(SessionQuery::default()).await;
        assert_eq!(usual, (ids(&[&child, &grandchild, &background, &below_background]), 1));

        let id = shown.session.id.parse().unwrap();
        house.app.sessions.close(id, &Actor::Human("cli".into())).await.unwrap();
        assert_eq!(listed(ui).await, (ids(&[]), 2));
    }
}
