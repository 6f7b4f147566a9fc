//! What requests hold.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use http::StatusCode;
use http::request::Parts;
use paseo_core::actor::Actor;
use paseo_core::team::Team;
use paseo_wire::words::TeamdCode;
use serde_json::{Map, Value};

use super::{Refusal, entered};
use crate::failure::Failure;
use crate::http::App;
use crate::http::rejection::plain;
use crate::http::teams::mismatch;
use crate::teams::{Acting, Ending, ending, referred};

/// The body of a request: a JSON object.
pub(crate) struct Fields(pub(super) Map<String, Value>);

/// Something that is taken out of a request; what is wrong with it is told in the protocol's shape.
pub(crate) struct In<T>(pub(super) T);

impl<S: Send + Sync, T> FromRequestParts<S> for In<T>
where
    T: FromRequestParts<S, Rejection = Failure>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        Ok(Self(T::from_request_parts(parts, state).await?))
    }
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match Bytes::from_request(request, state).await {
            Ok(body) => Self::read(&body),
            Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Err(Refusal::new(413, TeamdCode::TooLarge, "the body is larger than 1 MB"))
            }
            Err(rejection) => {
                Err(Refusal::new(400, TeamdCode::InvalidRequest, plain(&rejection.body_text()).message))
            }
        }
    }
}

impl Fields {
    fn read(body: &[u8]) -> Result<Self, Refusal> {
        if body.is_empty() {
            return Ok(Self(Map::new()));
        }
        let read = serde_json::from_slice(body);
        read.map(Self).map_err(|_| Refusal::new(400, TeamdCode::InvalidJson, "the body is not a JSON object"))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns a trimmed string. An empty one counts as absent: clients send `""` for what they leave out.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Refusal> {
        let text = self.string(name)?.map(str::trim).filter(|text| !text.is_empty());
        Ok(text.map(str::to_owned))
    }

    fn string(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let wrong = || Refusal::new(400, TeamdCode::InvalidRequest, format!("`{name}` must be a string"));
        self.get(name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
    }

    pub(super) fn list(&self, name: &str) -> Result<&[Value], Refusal> {
        let wrong = || Refusal::new(400, TeamdCode::InvalidRequest, format!("`{name}` must be an array"));
        self.get(name).map_or(Ok(&[][..]), |value| value.as_array().map(Vec::as_slice).ok_or_else(wrong))
    }

    /// Returns trimmed strings, without empty ones.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Refusal> {
        let wrong =
            || Refusal::new(400, TeamdCode::InvalidRequest, format!("`{name}` must be an array of strings"));
        let texts = self.list(name)?.iter().map(|value| value.as_str().map(str::trim));
        let texts = texts.filter(|text| *text != Some(""));
        texts.map(|text| text.map(str::to_owned)).collect::<Option<_>>().ok_or_else(wrong)
    }

    /// Returns a whole number, however its JSON spells it.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, Refusal> {
        let wrong =
            || Refusal::new(400, TeamdCode::InvalidRequest, format!("`{name}` must be a whole number"));
        let whole = |value: &Value| value.as_i64().or_else(|| as_whole(value.as_f64()?));
        self.get(name).map(|value| whole(value).ok_or_else(wrong)).transpose()
    }

    pub(super) fn epoch(&self) -> Result<u64, Refusal> {
        let epoch = self.integer("epoch")?.and_then(|epoch| u64::try_from(epoch).ok());
        epoch.ok_or_else(|| {
            Refusal::new(400, TeamdCode::InvalidRequest, "`epoch` is missing: use the epoch of the lease")
        })
    }

    pub(super) fn ending(&self) -> Result<Ending, Refusal> {
        let message = referred(self.text("threadId")?, self.text("messageId")?)?;
        Ok(ending(self.text("summary")?, message)?)
    }

    /// Finds the team that is meant, and checks that the request names the identity of its credential.
    pub(super) async fn acting(&self, app: &App, by: &Actor) -> Result<(Arc<Team>, Acting), Refusal> {
        let (team, acting) = entered(app, by, self.text("teamId")?).await?;
        team.open().map_err(|closed| Refusal::new(409, TeamdCode::TeamClosed, closed.to_string()))?;
        // Not even an empty string stands for another identity.
        match self.string("agentId")? {
            Some("") => Err(Refusal::new(400, TeamdCode::InvalidAgentId, "`agentId` is empty")),
            Some(agent) if agent != acting.id() => Err(mismatch(&acting).into()),
            _ => Ok((team, acting)),
        }
    }
}

/// Returns a number without its `.0`; `None` for fractions and for what no integer can hold exactly.
fn as_whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let exact = number.fract() == 0.0 && number.abs() <= EXACT;
    exact.then(|| format!("{number:.0}").parse().ok())?
}
