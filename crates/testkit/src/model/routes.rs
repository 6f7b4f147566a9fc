//! The paths of the APIs.

use std::sync::{Arc, Mutex};

use axum::Json;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::failure::{self, Dialect};
use super::frame::{self, Frame};
use super::reply::{self, Answer, Conversation, Mishaps, Reply};
use super::tools::Toolbox;
use super::{Book, Request, anthropic, chat, google, responses};

#[derive(Debug, Clone)]
struct Model {
    book: Arc<Book>,
    mishaps: Arc<Mutex<Mishaps>>,
}

/// One of the APIs.
struct Api {
    dialect: Dialect,
    read: fn(&Value, &str) -> Conversation,
    frames: fn(&Reply) -> Vec<Frame>,
    whole: fn(&Reply) -> Value,
}

const MESSAGES: Api = Api {
    dialect: Dialect::Anthropic,
    read: anthropic::read,
    frames: anthropic::frames,
    whole: anthropic::whole,
};
const RESPONSES: Api = Api {
    dialect: Dialect::OpenAi,
    read: responses::read,
    frames: responses::frames,
    whole: responses::whole,
};
const CHAT: Api =
    Api { dialect: Dialect::OpenAi, read: chat::read, frames: chat::frames, whole: chat::whole };

const GENERATE: Api =
    Api { dialect: Dialect::Google, read: google::read, frames: google::frames, whole: google::whole };

/// Everything arrives at one place, so that requests nobody expected are seen too.
pub(super) fn router(book: Arc<Book>) -> Router {
    let model = Model { book, mishaps: Arc::default() };
    // Contexts are long.
    Router::new().fallback(serve).layer(DefaultBodyLimit::disable()).with_state(model)
}

async fn serve(
    State(model): State<Model>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let request = Request {
        method: method.to_string(),
        path: uri.path().to_owned(),
        headers: headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect(),
        body,
    };
    let number = model.book.enter(request.clone());
    if let Some((name, wanted)) = google::route(&request.path) {
        return model.generate(request.clone(), number, name, wanted);
    }
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/v1/messages") => model.answer(&request, number, &MESSAGES),
        ("POST", "/v1/responses") => model.answer(&request, number, &RESPONSES),
        ("POST", "/v1/chat/completions") => model.answer(&request, number, &CHAT),
        ("POST", "/v1/messages/count_tokens") => Json(json!({ "input_tokens": 1000 })).into_response(),
        ("GET", "/v1/models") => Json(models()).into_response(),
        ("HEAD" | "GET", "/") => StatusCode::OK.into_response(),
        _ => (StatusCode::NOT_FOUND, Json(json!({ "error": { "message": "no such path" } }))).into_response(),
    }
}

impl Model {
    /// Google says in the path what others say in the body.
    fn generate(&self, mut request: Request, number: usize, name: &str, wanted: google::Method) -> Response {
        if wanted == google::Method::Count {
            return Json(json!({ "totalTokens": 1000 })).into_response();
        }
        request.body["model"] = name.into();
        request.body["stream"] = (wanted == google::Method::Stream).into();
        self.answer(&request, number, &GENERATE)
    }

    fn answer(&self, request: &Request, number: usize, api: &Api) -> Response {
        // How claude and codex name their session.
        let session = ["x-claude-code-session-id", "session-id"].iter().find_map(|name| request.header(name));
        let conversation = (api.read)(&request.body, session.unwrap_or_default());
        let toolbox = Toolbox::read(&request.body);
        let answer = {
            let mut mishaps = self.mishaps.lock().expect("the mishaps");
            reply::answer(&conversation, &toolbox, &mut mishaps, number)
        };
        match answer {
            Answer::Failure(status) => failure::respond(&status, api.dialect),
            Answer::Reply(reply) if request.body["stream"] == true => frame::stream((api.frames)(&reply)),
            // Claude asks for the whole at last, and gets no more of it.
            Answer::Reply(reply) if reply.breaks() => frame::stream(vec![Frame::Cut]),
            Answer::Reply(reply) => Json((api.whole)(&reply)).into_response(),
        }
    }
}

fn models() -> Value {
    let model = |id: &str| json!({ "id": id, "type": "model", "object": "model", "display_name": id, "created_at": "2026-01-01T00:00:00Z" });
    let data: Vec<Value> = ["scripted", "scripted-2"].iter().map(|id| model(id)).collect();
    json!({ "object": "list", "data": data, "has_more": false })
}
