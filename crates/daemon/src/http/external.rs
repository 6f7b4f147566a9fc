//! Agents elsewhere: their answers come here, and people see the secret that both sides know.

use axum::Json;
use axum::body::{Bytes, HttpBody};
use axum::extract::{Request, State};
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use paseo_core::id::{SessionId, TurnId};
use paseo_core::session::Session;
use paseo_runtime::external::NAME;
use paseo_runtime::external::signature::{
    self, Answer as Signed, SIGNATURE_HEADER, TIMESTAMP_HEADER, WINDOW_SECONDS,
};
use paseo_wire::error::Code;
use paseo_wire::external::{CallbackQuery, SecretView};
use paseo_wire::{IDEMPOTENCY_KEY, MESSAGE_ID};
use tokio::sync::Semaphore;

use super::App;
use super::gate;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use super::route::BodyLimit;
use super::sessions::resolve;
use crate::directory::shown;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{Callback, Command, RequestKey};

/// Longest key by which an answer is known when it comes again.
const KEY_CHARS: usize = 200;
/// Long answers that are received at the same time before it is known whose they are.
static LONG_UNVERIFIED: Semaphore = Semaphore::const_new(4);
/// After how many seconds another one may be sent.
const RETRY_SECONDS: u64 = 1;

/// How a caller proves that it is the agent of a session.
enum Credential<'a> {
    Token(&'a str),
    Signature { timestamp: &'a str, signature: &'a str },
}

/// Takes in an answer. It is stored before it is acknowledged.
pub(crate) async fn receive(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(origin): Asked<CallbackQuery>,
    headers: HeaderMap,
    request: Request,
) -> Result<StatusCode, Failure> {
    let credential = credential(&headers)?;
    let session = external(&app, &id).await?;
    let body = match &credential {
        Credential::Token(token) => {
            check_token(&app, session, token)?;
            read(request, BodyLimit::Known).await?
        }
        Credential::Signature { .. } => unverified(request).await?,
    };
    let turn = origin.turn.unwrap_or_default();
    let signed = Signed { turn: &turn, key: given(&headers).unwrap_or_default(), body: &body };
    check_signature(&app, session, &credential, signed)?;
    let answers = (!turn.is_empty()).then(|| turn.parse::<TurnId>());
    let answers = answers.transpose().map_err(|malformed| {
        Failure::new(Code::InvalidRequest, format!("turnOriginId is not a turn id: {malformed}"))
            .hint("POST to exactly the `callbackUrl` that came with the message")
    })?;
    let text = String::from_utf8(body.to_vec())
        .map_err(|_| Failure::new(Code::InvalidRequest, "the callback body is not UTF-8 text"))?;
    if text.trim().is_empty() {
        return Err(Failure::new(Code::InvalidRequest, "the callback body is empty")
            .hint("send text or Markdown as the body"));
    }
    let key = key(&headers, session, answers, &credential, &text)?;
    let callback = Callback { answers, text, key };
    app.sessions.ask(session, |reply| Command::CallBack(callback, reply)).await?;
    Ok(StatusCode::OK)
}

/// Reads the body of a signed answer: whose it is shows only once all of it is there.
async fn unverified(request: Request) -> Result<Bytes, Failure> {
    let length = request.body().size_hint().exact();
    if length.is_some_and(|length| length <= BodyLimit::Stranger.bytes() as u64) {
        return read(request, BodyLimit::Stranger).await;
    }
    let Ok(_permit) = LONG_UNVERIFIED.try_acquire() else {
        return Err(Failure::new(Code::Overloaded, "several long callbacks are already being received")
            .hint("try again, or authenticate with the `callbackToken` instead of a signature")
            .retry_after(RETRY_SECONDS));
    };
    read(request, BodyLimit::Known).await
}

async fn read(request: Request, limit: BodyLimit) -> Result<Bytes, Failure> {
    match Limited::new(request.into_body(), limit.bytes()).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(limit.exceeded()),
        Err(error) => {
            Err(Failure::new(Code::InvalidRequest, format!("cannot read the callback body: {error}")))
        }
    }
}

/// Shows the secret of a session, for the operator of the external agent.
pub(crate) async fn secret(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<SecretView> {
    let id = resolve(&app, &by, &typed).await?;
    let context = &app.sessions.context;
    let session = context.journal.session(id).await?.map(|(session, _)| session);
    let session = session.ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    let remote = context.remote(&session)?.ok_or_else(|| {
        Failure::new(
            Code::Conflict,
            format!(
                "only external agents have a callback secret; this agent uses the provider {}",
                session.profile.provider
            ),
        )
        .hint("see \"External agents\" in the documentation")
    })?;
    Ok(Json(SecretView {
        session: id.into(),
        callback_token: signature::callback_token(&remote.secret),
        callback_url: remote.callback_url,
        secret: remote.secret,
    }))
}

fn credential(headers: &HeaderMap) -> Result<Credential<'_>, Failure> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match (gate::secret(headers), text(TIMESTAMP_HEADER), text(SIGNATURE_HEADER)) {
        (Some(token), _, _) => Ok(Credential::Token(token)),
        (None, Some(timestamp), Some(signature)) => Ok(Credential::Signature { timestamp, signature }),
        (None, _, _) => Err(Failure::new(Code::Unauthenticated, "callback is missing its credential").hint(format!(
            "send `Authorization: Bearer <callbackToken>`, or sign it with {TIMESTAMP_HEADER} and {SIGNATURE_HEADER}"
        ))),
    }
}

/// Finds the session that a path names, by its whole id.
async fn external(app: &App, id: &str) -> Result<SessionId, Failure> {
    let unknown = || {
        Failure::new(Code::NotFound, format!("external agent `{}` not found", shown(id)))
            .hint("POST to exactly the `callbackUrl` that came with the message")
    };
    let id: SessionId = id.parse().map_err(|_| unknown())?;
    let found = app.sessions.context.journal.session(id).await?;
    let is_external = |session: &Session| session.profile.provider == NAME;
    found.filter(|(session, _)| is_external(session)).map(|_| id).ok_or_else(unknown)
}

fn check_token(app: &App, session: SessionId, token: &str) -> Result<(), Failure> {
    let secret = app.sessions.context.external.secret(session)?;
    match signature::is_callback_token(&secret, token) {
        true => Ok(()),
        false => Err(foreign("send the `callbackToken` of a message to this session")),
    }
}

fn check_signature(
    app: &App,
    session: SessionId,
    credential: &Credential<'_>,
    signed: Signed<'_>,
) -> Result<(), Failure> {
    let Credential::Signature { timestamp, signature } = credential else { return Ok(()) };
    let secret = app.sessions.context.external.secret(session)?;
    let now = mint::now().as_millis() / 1_000;
    match signature::is_signed_answer(&secret, timestamp, signed, signature, now) {
        true => Ok(()),
        false => Err(foreign(format!(
            "sign timestamp, turnOriginId, key and body, each on its own line, with the session's secret; \
             clocks may differ by {WINDOW_SECONDS} seconds"
        ))),
    }
}

fn foreign(hint: impl Into<String>) -> Failure {
    Failure::new(Code::Forbidden, "the credential belongs to another session").hint(hint)
}

/// Returns the sender's own word for an answer.
fn given(headers: &HeaderMap) -> Option<&str> {
    headers.get(IDEMPOTENCY_KEY).or_else(|| headers.get(MESSAGE_ID)).and_then(|given| given.to_str().ok())
}

/// Returns by what an answer is known when it comes again: the sender's own word, the turn and the text, or else the
/// signature, which holds the time.
fn key(
    headers: &HeaderMap,
    session: SessionId,
    answers: Option<TurnId>,
    credential: &Credential<'_>,
    text: &str,
) -> Result<Option<RequestKey>, Failure> {
    let body = mint::sha256(text.as_bytes());
    let is_given = headers.contains_key(IDEMPOTENCY_KEY) || headers.contains_key(MESSAGE_ID);
    let key = match (is_given, answers, credential) {
        (true, _, _) => {
            let given = given(headers).filter(|key| !key.is_empty() && key.len() <= KEY_CHARS);
            let malformed = || {
                let message = format!("a key must have 1 to {KEY_CHARS} printable characters");
                Failure::new(Code::InvalidRequest, message)
                    .hint(format!("check {IDEMPOTENCY_KEY} and {MESSAGE_ID}"))
            };
            Some(format!("given {}", given.ok_or_else(malformed)?))
        }
        (false, Some(turn), _) => Some(format!("turn {turn} {}", mint::hex(&body))),
        (false, None, Credential::Signature { signature, .. }) => Some(format!("signed {signature}")),
        // The holder of the token can send anything anyway.
        (false, None, Credential::Token(_)) => None,
    };
    Ok(key.map(|key| RequestKey { scope: format!("session:{session} callback"), key, body }))
}
