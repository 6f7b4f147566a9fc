//! The map: agents, who talks to whom, who waits for whom, and what that costs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use paseo_core::family;
use paseo_core::id::{CauseId, SessionId, ThreadId};
use paseo_core::item::Usage;
use paseo_core::limits::MAP_AGENTS;
use paseo_core::session::Session;
use paseo_core::time::Timestamp;
use paseo_core::traffic::{Counts, Spending, WINDOW_MS};
use paseo_core::wait::Refused;
use paseo_wire::error::Code;
use paseo_wire::map::{
    MapAgent, MapCause, MapLink, MapName, MapParticipant, MapQuery, MapRefusal, MapThread, MapView, MapWait,
};

use super::App;
use super::reply::Answer;
use super::request::Asked;
use crate::failure::Failure;
use crate::traffic::Counted;
use crate::waits::Refusal;
use crate::{mint, view};

/// How many requests are listed.
const CAUSES: usize = 20;

pub(crate) async fn show(State(app): State<App>, Asked(query): Asked<MapQuery>) -> Answer<MapView> {
    let context = &app.sessions.context;
    let seq = context.directory.point(&context.journal);
    let now = mint::now();
    let Counted { counts, since } = app.traffic.last_hour(context).await?;
    let open: BTreeMap<SessionId, Arc<Session>> =
        context.directory.all().into_iter().map(|session| (session.id, session)).collect();
    let waits = context.waits.all();
    let mut chosen = chosen(&open, &counts, &waits, query.all);
    let left_out = chosen.len().saturating_sub(MAP_AGENTS);
    chosen.truncate(MAP_AGENTS);
    let spent = by_agent(&counts);
    let agents = in_order(&chosen, &open).into_iter().map(|place| agent(&app, place, &open, &counts, &spent));
    let agents: Vec<MapAgent> = agents.collect();
    let shown: BTreeSet<SessionId> = chosen.iter().map(|session| session.id).collect();
    let both = |from: &SessionId, to: &SessionId| shown.contains(from) && shown.contains(to);
    let links = counts.links.iter().filter(|((from, to), _)| both(from, to));
    let links = links.map(|((from, to), link)| MapLink {
        from: (*from).into(),
        to: (*to).into(),
        messages: link.messages,
        answers: link.answers,
        spawns: link.spawns,
        last_at: link.last.into(),
    });
    let waits = waits.iter().filter(|(from, to)| both(from, to));
    let waits = waits.map(|(from, to)| MapWait { from: (*from).into(), to: (*to).into() });
    let refused = context.waits.refused().into_iter();
    let refused = refused.filter(|refusal| now.as_millis() - refusal.at.as_millis() <= WINDOW_MS);
    Ok(Json(MapView {
        seq,
        at: now.into(),
        since: since.into(),
        agents,
        left_out,
        links: links.collect(),
        threads: threads(&app, &counts, &shown).await?,
        waits: waits.collect(),
        refused: refused.filter_map(|refusal| refusal_view(&app, refusal)).collect(),
        causes: causes(&app, &counts).await?,
    }))
}

/// Returns the agents of the map, the most interesting first: those at work, then those that changed last.
fn chosen(
    open: &BTreeMap<SessionId, Arc<Session>>,
    counts: &Counts,
    waits: &BTreeSet<(SessionId, SessionId)>,
    all: bool,
) -> Vec<Arc<Session>> {
    let busy = |id: &SessionId| open.get(id).is_some_and(|session| session.condition.status.is_busy());
    let mut wanted: BTreeSet<SessionId> = open.keys().copied().filter(|id| all || busy(id)).collect();
    if !all {
        let at_work = wanted.clone();
        for (from, to) in counts.links.keys().chain(waits) {
            if at_work.contains(from) || at_work.contains(to) {
                wanted.extend([*from, *to].into_iter().filter(|id| open.contains_key(id)));
            }
        }
    }
    let mut chosen: Vec<Arc<Session>> = wanted.iter().filter_map(|id| open.get(id).cloned()).collect();
    chosen.sort_by_key(|session| (!busy(&session.id), Reverse(session.updated_at)));
    chosen
}

/// An agent and where it stands among its family.
struct Place<'a> {
    session: &'a Session,
    family: SessionId,
    depth: usize,
}

/// Returns agents by project, then by family, each before those it started. Nothing that changes while they live counts.
fn in_order<'a>(chosen: &'a [Arc<Session>], open: &BTreeMap<SessionId, Arc<Session>>) -> Vec<Place<'a>> {
    let parent = |id: SessionId| {
        open.get(&id).and_then(|session| session.profile.parent).filter(|parent| open.contains_key(parent))
    };
    let age = |id: SessionId| {
        (open.get(&id).map_or(Timestamp::default(), |session| session.profile.created_at), id)
    };
    let mut places: Vec<(Vec<(Timestamp, SessionId)>, Place<'a>)> = chosen
        .iter()
        .map(|session| {
            let above = family::ancestors(session.id, parent);
            let line = above.iter().rev().copied().chain([session.id]).map(age).collect();
            let (family, depth) = (above.last().copied().unwrap_or(session.id), above.len());
            (line, Place { session, family, depth })
        })
        .collect();
    // The line of ancestors, oldest first, sorts a family as a tree.
    places.sort_by(|(line, place), (other_line, other)| {
        (&place.session.profile.project, line).cmp(&(&other.session.profile.project, other_line))
    });
    places.into_iter().map(|(_, place)| place).collect()
}

fn agent(
    app: &App,
    place: Place<'_>,
    open: &BTreeMap<SessionId, Arc<Session>>,
    counts: &Counts,
    spent: &BTreeMap<SessionId, Spending>,
) -> MapAgent {
    let Place { session, family, depth } = place;
    let spending = spent.get(&session.id).copied().unwrap_or_default();
    MapAgent {
        session: session.id.into(),
        handle: app.sessions.context.directory.handle(session.id),
        name: session.naming.shown().map(str::to_owned),
        status: session.condition.status.into(),
        busy: session.condition.status.is_busy(),
        project: session.profile.project.clone(),
        definition: session.profile.definition.clone(),
        parent: session.profile.parent.filter(|parent| open.contains_key(parent)).map(Into::into),
        family: family.into(),
        depth,
        cause: session.last_cause().map(Into::into),
        queued: session.queue.len(),
        asked: counts.asked.get(&session.id).copied().unwrap_or(0),
        wakes: spending.wakes,
        usage: view::usage(spending.usage),
    }
}

fn by_agent(counts: &Counts) -> BTreeMap<SessionId, Spending> {
    let mut sums: BTreeMap<SessionId, Spending> = BTreeMap::new();
    for ((session, _), spending) in &counts.spent {
        add(sums.entry(*session).or_default(), spending);
    }
    sums
}

fn add(sum: &mut Spending, spending: &Spending) {
    sum.wakes += spending.wakes;
    sum.usage = sum.usage.plus(spending.usage);
    sum.last = sum.last.max(spending.last);
}

/// Returns the threads that some agents took part in.
async fn threads(app: &App, counts: &Counts, shown: &BTreeSet<SessionId>) -> Result<Vec<MapThread>, Failure> {
    let mut found: BTreeMap<ThreadId, Vec<MapParticipant>> = BTreeMap::new();
    for ((session, thread), posts) in counts.posts.iter().filter(|((session, _), _)| shown.contains(session))
    {
        found.entry(*thread).or_default().push(MapParticipant {
            session: (*session).into(),
            posts: posts.posts,
            wakes: posts.wakes,
            last_at: posts.last.into(),
        });
    }
    let mut threads = Vec::with_capacity(found.len());
    for (id, participants) in found {
        let name = match app.threads.get(id).await {
            Ok(thread) => Some(thread.name),
            Err(failure) if failure.code == Code::NotFound => None,
            Err(failure) => return Err(failure),
        };
        threads.push(MapThread { thread: id.into(), name, participants });
    }
    Ok(threads)
}

/// Returns a refusal because of who waits for whom.
fn refusal_view(app: &App, refusal: Refusal) -> Option<MapRefusal> {
    let (agents, circle) = match refusal.why {
        Refused::Circle(circle) => (circle, true),
        Refused::TooDeep { chain } => (chain, false),
        Refused::Itself => return None,
    };
    let name =
        |id: SessionId| MapName { session: id.into(), handle: app.sessions.context.directory.handle(id) };
    Some(MapRefusal { at: refusal.at.into(), agents: agents.into_iter().map(name).collect(), circle })
}

/// Returns the requests that cost most.
async fn causes(app: &App, counts: &Counts) -> Result<Vec<MapCause>, Failure> {
    let mut sums: BTreeMap<CauseId, (Spending, usize)> = BTreeMap::new();
    for ((_, cause), spending) in &counts.spent {
        if let Some(cause) = cause {
            let (sum, agents) = sums.entry(*cause).or_default();
            add(sum, spending);
            *agents += 1;
        }
    }
    let weight = |usage: Usage| {
        (usage.cost_micros.unwrap_or(0), usage.input_tokens.saturating_add(usage.output_tokens))
    };
    let mut sums: Vec<(CauseId, (Spending, usize))> = sums.into_iter().collect();
    sums.sort_by_key(|(id, (sum, _))| (Reverse(weight(sum.usage)), Reverse(sum.wakes), *id));
    sums.truncate(CAUSES);
    let mut shown = Vec::with_capacity(sums.len());
    for (id, (sum, agents)) in sums {
        let context = &app.sessions.context;
        let (state, _) = context.journal.cause(id).await?;
        let by = state.begun.as_ref().map(|begun| &begun.by);
        let by = by.or(state.opened.as_ref().map(|opened| &opened.by));
        let session = state.opened.as_ref().map(|opened| opened.session);
        shown.push(MapCause {
            cause: id.into(),
            opened_by: by.map(Into::into),
            opened_at: state.began().map(Into::into),
            session: session.map(Into::into),
            handle: session.map(|session| context.directory.handle(session)),
            agents,
            wakes: sum.wakes,
            wakes_left: state.wakes_left(),
            stopped: state.stopped,
            usage: view::usage(sum.usage),
            last_at: sum.last.into(),
        });
    }
    Ok(shown)
}
