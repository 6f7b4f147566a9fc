//! People and the agents of definitions: ask one, tell one, go to one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::definition::Definition;
use paseo_core::id::SessionId;
use paseo_core::label::{Label, Labels, UI};
use paseo_core::session::{self, Class, Session, Verb};
use paseo_wire::conversation::{
    AgentSessions, AgentSessionsQuery, MessageAgent, MessagedAgent, SwitchAgent, SwitchedAgent, Whereabouts,
    WhereaboutsQuery,
};
use paseo_wire::error::Code;
use paseo_wire::id::FileId;
use paseo_wire::message::{CreatedSession, Receipt};
use paseo_wire::session::SessionView;

use super::App;
use super::messages::noticed;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path};
use super::sessions::{Prompt, check_text, directory, own_place, resolve, shown, start, whole};
use crate::failure::Failure;
use crate::glimpse;
use crate::sessions::routing::{self, Choice};
use crate::sessions::{Command, Message, Order, Patch, RequestKey};
use crate::worktrees::Wish;

/// Sessions on a page of a definition's, unless more are asked for: each costs a look into its transcript.
const PAGE: usize = 50;

/// Lists the sessions of a definition.
pub(crate) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    Asked(query): Asked<AgentSessionsQuery>,
) -> Answer<AgentSessions> {
    let context = &app.sessions.context;
    let seq = context.directory.point(&context.journal);
    let project = directory(&query.project)?;
    let definition = routing::for_person(context, &project, &slug)?;
    let mut found = routing::all(context, &definition, &project).await?;
    if let Some(after) = &query.after {
        let last = found.iter().position(|session| session.id.to_string() == *after);
        found.drain(..=last.ok_or_else(|| Failure::lost_cursor(after))?);
    }
    let limit = query.limit.unwrap_or(PAGE);
    let more = found.len() > limit;
    found.truncate(limit);
    let mut sessions = Vec::with_capacity(found.len());
    for session in &found {
        let last_snippet = glimpse::newest_words(&context.journal, session.id).await?;
        sessions.push(SessionView { last_snippet, ..shown(&app, session).await? });
    }
    let next = found.last().filter(|_| more).map(|last| last.id.to_string());
    Ok(Json(AgentSessions { seq, agent: slug, sessions, next }))
}

/// Sends a message to an agent's session, whichever is meant.
pub(crate) async fn message(
    State(app): State<App>,
    Caller(by): Caller,
    Path(slug): Path<String>,
    key: Key,
    Body(request): Body<MessageAgent>,
) -> Answer<MessagedAgent> {
    check_text(&request.text)?;
    let attachments = app.sessions.context.attachments.fingerprints(&by, &request.attachments).await?;
    let body = MessageAgent { attachments, ..request.clone() };
    let key = key.bind(&by, "POST /api/agents/{slug}/messages", &(&slug, &body));
    let project = directory(&request.project)?;
    let definition = routing::for_person(&app.sessions.context, &project, &slug)?;
    let choice = Choice::parse(request.session.as_deref());
    let text = Some(request.text);
    let default_provider = request.default_provider;
    let attachments = request.attachments;
    let schema = app.sessions.context.usable_schema(request.output_schema.as_ref()).await?;
    let (ui, aside) = (false, true);
    let wanted =
        Wanted { by: &by, definition, project, default_provider, text, attachments, schema, ui, aside, key };
    let (receipt, created) = match find(&app, choice, &wanted).await? {
        Found::Made(made) => (first_receipt(*made)?, true),
        Found::Before(receipt, created) => (receipt, created),
        Found::Known(id) => (say(&app, id, wanted, request.wait).await?, false),
    };
    let id = receipt.session.parse().map_err(Failure::internal)?;
    let receipt = noticed(&app, receipt)?;
    Ok(Json(MessagedAgent { session: whole(&app, id).await?, receipt, created }))
}

/// Says which session of a project a person is in.
pub(crate) async fn whereabouts(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<WhereaboutsQuery>,
) -> Answer<Whereabouts> {
    let found = person_is_in(&app, &by, &directory(&query.project)?).await?;
    let entered = found.as_ref().and_then(|session| session.entered.as_ref());
    let from = entered.filter(|entered| entered.by == by).map(|entered| entered.from.to_string());
    let session = match &found {
        Some(session) => Some(whole(&app, session.id).await?),
        None => None,
    };
    Ok(Json(Whereabouts { session, from: from.map(Into::into) }))
}

/// Finds the session of a project that a person is in. Where they came to from another project they are not in this one.
async fn person_is_in(app: &App, by: &Actor, project: &str) -> Result<Option<Arc<Session>>, Failure> {
    let context = &app.sessions.context;
    let mut here = Vec::new();
    for session in context.directory.all() {
        let known = session.last_visit(by).is_some() && routing::is_met_in(context, &session, project);
        let from = match session.entered.as_ref().filter(|entered| known && entered.by == *by) {
            Some(entered) => context.journal.session(entered.from).await?,
            None => None,
        };
        if known && from.is_none_or(|(from, _)| routing::is_met_in(context, &from, project)) {
            here.push(session);
        }
    }
    Ok(session::whereabouts(&here, by).cloned())
}

/// Brings a person to an agent's session, and notes where they came from.
pub(crate) async fn switch(
    State(app): State<App>,
    Caller(by): Caller,
    Path(slug): Path<String>,
    Body(request): Body<SwitchAgent>,
) -> Answer<SwitchedAgent> {
    if let Some(text) = &request.text {
        check_text(text)?;
    }
    let context = &app.sessions.context;
    let project = directory(&request.project)?;
    let definition = routing::for_person(context, &project, &slug)?;
    let from = match &request.from {
        Some(typed) => Some(resolve(&app, &by, typed).await?),
        None => person_is_in(&app, &by, &project).await?.map(|session| session.id),
    };
    let SwitchAgent { text, ui, new, default_provider, .. } = request;
    let choice = if new { Choice::Create } else { Choice::LatestOrCreate };
    let (attachments, schema) = (Vec::new(), None);
    let (aside, key) = (false, None);
    let wanted =
        Wanted { by: &by, definition, project, default_provider, text, attachments, schema, ui, aside, key };
    let (id, created, receipt) = match find(&app, choice, &wanted).await? {
        Found::Made(made) => (made.session.id.parse().map_err(Failure::internal)?, true, made.receipt),
        Found::Before(receipt, created) => {
            (receipt.session.parse().map_err(Failure::internal)?, created, Some(receipt))
        }
        Found::Known(id) => (id, false, open(&app, id, wanted).await?),
    };
    // An agent that is entered already keeps its origin.
    if let Some(from) = from.filter(|from| *from != id) {
        app.sessions.ask(id, |reply| Command::Enter { by, from: Some(from), reply }).await?;
    }
    let session = whole(&app, id).await?;
    let from = session.entered.as_ref().map(|entered| entered.from.clone());
    let receipt = receipt.map(|receipt| noticed(&app, receipt)).transpose()?;
    Ok(Json(SwitchedAgent { session, created, from, receipt }))
}

/// Makes a message; from a person it begins a cause of its own.
pub(super) fn words(origin: Actor, text: String) -> Message {
    Message {
        attachments: Vec::new(),
        origin,
        text,
        verb: Verb::Queue,
        class: Class::Message,
        waited: false,
        aside: false,
        schema: None,
        notify: None,
        cause: None,
        key: None,
    }
}

/// What a person wants of an agent.
struct Wanted<'a> {
    by: &'a Actor,
    definition: Arc<Definition>,
    project: String,
    default_provider: Option<String>,
    text: Option<String>,
    /// Ids of the files that the text has.
    attachments: Vec<FileId>,
    /// What its answer has to satisfy, as JSON.
    schema: Option<String>,
    /// The session is to be seen in the web app.
    ui: bool,
    /// Said in passing: they stay where they are.
    aside: bool,
    key: Option<RequestKey>,
}

/// The session that was meant.
enum Found {
    Known(SessionId),
    /// It was made, and has its first message if there is one.
    Made(Box<CreatedSession>),
    /// The request was made before: its receipt, and whether a session was made then.
    Before(Receipt, bool),
}

/// Finds the session that is meant, or makes it.
async fn find(app: &App, choice: Choice<'_>, wanted: &Wanted<'_>) -> Result<Found, Failure> {
    let context = &app.sessions.context;
    let (definition, project) = (&wanted.definition, &wanted.project);
    // Concurrent callers find the session that is created here.
    let _alone = context.routing.lock().await;
    if let Some(key) = &wanted.key
        && let Some(first) = context.journal.log.receipt(&key.scope, &key.key, key.body).await?
    {
        return before(&first);
    }
    let known = match choice {
        Choice::Create => None,
        Choice::This(handle) => Some(one_of(app, wanted, handle).await?),
        Choice::Latest | Choice::LatestOrCreate => {
            let latest = routing::latest_or_closed(context, definition, project, wanted.by).await?;
            latest.map(|session| session.id)
        }
    };
    if let Some(id) = known {
        return Ok(Found::Known(id));
    }
    if choice == Choice::Latest {
        return Err(Failure::new(
            Code::NotFound,
            format!("no agent with the definition `{}` here yet", definition.slug),
        )
        .hint("pass `latest-or-create` or `create` as the session (--session)"));
    }
    let order = Order {
        by: wanted.by.clone(),
        definition: Arc::clone(definition),
        directory: own_place(definition, project)?,
        project: project.clone(),
        provider: None,
        default_provider: wanted.default_provider.clone(),
        model: None,
        effort: None,
        labels: Labels::from_flags([], wanted.ui).unwrap_or_default(),
        name: None,
        aside: wanted.aside,
        guarded: false,
    };
    let attachments = context.attachments.claimed(wanted.by, &wanted.attachments).await?;
    let schema = wanted.schema.clone();
    let prompt = wanted.text.clone().map(|text| Prompt { text, attachments, schema });
    let made = start(app, order, None, Wish::default(), prompt, wanted.key.clone(), None).await?;
    Ok(Found::Made(Box::new(made)))
}

/// Reads what a request came to that was made before.
fn before(receipt: &str) -> Result<Found, Failure> {
    match serde_json::from_str::<CreatedSession>(receipt) {
        Ok(made) => Ok(Found::Before(first_receipt(made)?, true)),
        Err(_) => Ok(Found::Before(serde_json::from_str(receipt).map_err(Failure::internal)?, false)),
    }
}

fn first_receipt(made: CreatedSession) -> Result<Receipt, Failure> {
    made.receipt.ok_or_else(|| Failure::internal("a first message has no receipt"))
}

/// Finds the session that a handle names, if it is one of the agent's.
async fn one_of(app: &App, wanted: &Wanted<'_>, handle: &str) -> Result<SessionId, Failure> {
    let id = resolve(app, wanted.by, handle).await?;
    let context = &app.sessions.context;
    let slug = context.journal.session(id).await?.map(|(session, _)| session.profile.slug().to_owned());
    let (slug, expected) = (slug.unwrap_or_default(), &wanted.definition.slug);
    if slug != *expected {
        let handle = context.directory.handle(id);
        return Err(Failure::new(
            Code::InvalidRequest,
            format!("{handle} has the definition `{slug}`, not `{expected}`"),
        )
        .hint(format!("send to it with `paseo send {handle}`")));
    }
    Ok(id)
}

/// Says something in a session; a closed one is reopened by that.
async fn say(app: &App, id: SessionId, wanted: Wanted<'_>, waited: bool) -> Result<Receipt, Failure> {
    let text = wanted.text.unwrap_or_default();
    let (aside, schema) = (wanted.aside, wanted.schema);
    let attachments = app.sessions.context.attachments.claimed(wanted.by, &wanted.attachments).await?;
    let message =
        Message { attachments, waited, aside, schema, key: wanted.key, ..words(wanted.by.clone(), text) };
    app.sessions.ask(id, |reply| Command::Deliver(message, reply)).await
}

/// Makes a session ready for a person to be in, and says what they have to say.
async fn open(app: &App, id: SessionId, wanted: Wanted<'_>) -> Result<Option<Receipt>, Failure> {
    let by = wanted.by.clone();
    if wanted.ui {
        let set = vec![Label { key: UI.to_owned(), value: "true".to_owned() }];
        let patch = Patch { set, ..Patch::by(by.clone()) };
        app.sessions.ask(id, |reply| Command::Patch(patch, reply)).await?;
    }
    if wanted.text.is_some() {
        return say(app, id, wanted, false).await.map(Some);
    }
    app.sessions.ask(id, |reply| Command::Reopen(by, reply)).await?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use paseo_wire::id::SessionId;
    use std::collections::BTreeSet;

    use http::{Method, Request};
    use http_body_util::BodyExt;
    use serde_json::{Value, json};

    use super::super::tests::House;
    use crate::identity::Peer;

    impl House {
        /// Asks as a person at the command line.
        async fn told(&self, method: Method, uri: &str, body: Value) -> Value {
            let mut request = Request::builder()
                .method(method)
                .uri(uri)
                .header("content-type", "application/json")
                .body(axum::body::Body::from(body.to_string()))
                .unwrap();
            request.extensions_mut().insert(Peer::Local(Ok(super::Actor::Human("cli".into()))));
            let bytes = self.ask(request).await.into_body().collect().await.unwrap().to_bytes();
            serde_json::from_slice(&bytes).unwrap()
        }
    }

    fn ids(page: &Value) -> Vec<&str> {
        page["sessions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
    }

    #[tokio::test]
    async fn a_definitions_sessions_come_in_pages_open_ones_first() {
        let house = House::new().await;
        let mut made = Vec::new();
        for _ in 0..3 {
            made.push(house.session().await.session.id);
        }
        let list = "/api/agents/default/sessions?project=/";
        house.told(Method::POST, &format!("/api/sessions/{}/close", made[2]), json!(null)).await;
        let first = house.told(Method::GET, &format!("{list}&limit=2"), json!(null)).await;
        let open: BTreeSet<&str> = made[..2].iter().map(SessionId::as_str).collect();
        assert_eq!(ids(&first).into_iter().collect::<BTreeSet<_>>(), open);
        let next = first["next"].as_str().unwrap();
        let rest = house.told(Method::GET, &format!("{list}&after={next}"), json!(null)).await;
        assert_eq!((ids(&rest), &rest["next"]), (vec![made[2].as_str()], &Value::Null));
        let wrong = house.told(Method::GET, &format!("{list}&after=x"), json!(null)).await;
        assert_eq!(wrong["code"], "conflict");
        let elsewhere =
            house.told(Method::GET, "/api/agents/default/sessions?project=/usr", json!(null)).await;
        assert!(ids(&elsewhere).is_empty(), "{elsewhere}");
    }

    #[tokio::test]
    async fn whatever_ends_an_agent_ends_those_below_it_and_says_how_many() {
        let house = House::new().await;
        for (method, path) in [(Method::POST, "/close"), (Method::DELETE, "")] {
            let parent = house.session().await;
            let child = house.child(&parent).await;
            let grandchild = house.child(&child).await.session;
            let (parent, child) = (parent.session, child.session);
            let shown = house.told(Method::GET, &format!("/api/sessions/{}", parent.id), json!(null)).await;
            assert_eq!(shown["session"]["children"], json!([child.id]));
            let ended = house.told(method, &format!("/api/sessions/{}{path}", parent.id), json!(null)).await;
            assert_eq!(ended["closed_with"], 2, "{ended}");
            for id in [&child.id, &grandchild.id] {
                let shown = house.told(Method::GET, &format!("/api/sessions/{id}"), json!(null)).await;
                assert_eq!(shown["session"]["status"], "closed");
            }
        }
    }
}
