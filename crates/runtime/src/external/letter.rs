//! What is posted for a turn: its messages, and that it was stopped.

use paseo_core::id::{DeliveryId, SessionId, TurnId};
use serde::Serialize;

use super::courier::Letter;
use super::signature;
use crate::provider::{Message, Remote};

/// The body. What an agent needs that knows one message at a time is in `message`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    session_id: String,
    agent_id: &'a str,
    turn_id: String,
    /// Where the answer is posted to. It names the turn.
    callback_url: String,
    /// With which the answer is posted by those who sign nothing.
    callback_token: String,
    delivery_ids: Vec<String>,
    message: Said,
    /// Each by itself, when there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<Said>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
    created_at: String,
}

/// The body that says that a turn is no longer awaited.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stopped<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    session_id: String,
    agent_id: &'a str,
    turn_id: String,
}

/// Writes that a turn was stopped. It has a key of its own: it is not its messages again.
pub(super) fn stop(remote: &Remote, session: SessionId, turn: TurnId) -> Letter {
    let (session_id, turn_id) = (session.to_string(), turn.to_string());
    let body = Stopped { kind: "stop", session_id, agent_id: &remote.agent, turn_id };
    Letter { turn, key: format!("stop-{turn}"), body: serde_json::to_vec(&body).unwrap_or_default() }
}

/// Writes the letter of a turn. The same turn gives the same bytes, whenever it is written.
pub(super) fn write(remote: &Remote, session: SessionId, turn: TurnId, messages: &[Message]) -> Letter {
    let each: Vec<Said> =
        messages.iter().map(|message| said(message.text.clone(), message.delivery)).collect();
    let texts: Vec<&str> = messages.iter().map(|message| message.text.as_str()).collect();
    let newest = messages.iter().map(|message| message.delivery).max();
    let body = Body {
        session_id: session.to_string(),
        agent_id: &remote.agent,
        turn_id: turn.to_string(),
        callback_url: format!("{}?turnOriginId={turn}", remote.callback_url),
        callback_token: signature::callback_token(&remote.secret),
        delivery_ids: messages.iter().map(|message| message.delivery.to_string()).collect(),
        message: said(texts.join("\n\n"), newest.unwrap_or(DeliveryId::from_uuid(turn.uuid()))),
        messages: if each.len() > 1 { each } else { Vec::new() },
    };
    // It is plain data with string keys: it always serialises.
    Letter { turn, key: turn.to_string(), body: serde_json::to_vec(&body).unwrap_or_default() }
}

fn said(text: String, delivery: DeliveryId) -> Said {
    let at = jiff::Timestamp::from_millisecond(delivery.made_at().as_millis()).unwrap_or_default();
    Said { kind: "user", text, created_at: format!("{at:.3}") }
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::time::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn remote() -> Remote {
        Remote {
            agent: "far".to_owned(),
            input_url: "http://127.0.0.1:9/in".to_owned(),
            callback_url: "http://127.0.0.1:6767/external/sessions/s/messages".to_owned(),
            secret: "secret".to_owned(),
            timeout: Remote::TIMEOUT,
        }
    }

    fn message(number: u8) -> Message {
        let at = Timestamp::from_millis(1_700_000_000_000 + i64::from(number));
        Message {
            attachments: Vec::new(),
            delivery: DeliveryId::from_parts(at, [number; 10]),
            origin: Actor::Human("cli".into()),
            text: format!("text {number}"),
        }
    }

    fn written(messages: &[Message]) -> Value {
        let (session, turn) =
            (SessionId::from_random([1; 16]), TurnId::from_parts(Timestamp::default(), [2; 10]));
        let letter = write(&remote(), session, turn, messages);
        assert_eq!(letter, write(&remote(), session, turn, messages));
        serde_json::from_slice(&letter.body).unwrap()
    }

    #[test]
    fn one_message_is_all_there_is() {
        let body = written(&[message(1)]);
        let (session, turn) = (&body["sessionId"], &body["turnId"]);
        assert_eq!(
            body,
            json!({
                "sessionId": session,
                "agentId": "far",
                "turnId": turn,
                "callbackUrl": format!("{}?turnOriginId={}", remote().callback_url, turn.as_str().unwrap()),
                "callbackToken": signature::callback_token("secret"),
                "deliveryIds": [message(1).delivery.to_string()],
                "message": {"type": "user", "text": "text 1", "createdAt": "2023-11-14T22:13:20.001Z"},
            })
        );
    }

    #[test]
    fn a_stop_names_the_turn_and_says_nothing_else() {
        let (session, turn) =
            (SessionId::from_random([1; 16]), TurnId::from_parts(Timestamp::default(), [2; 10]));
        let letter = stop(&remote(), session, turn);
        let body: Value = serde_json::from_slice(&letter.body).unwrap();
        let told = json!({
            "type": "stop", "sessionId": session.to_string(), "agentId": "far", "turnId": turn.to_string(),
        });
        assert_eq!((body, letter.key), (told, format!("stop-{turn}")));
    }

    #[test]
    fn several_are_one_text_and_each_by_itself() {
        let body = written(&[message(1), message(2)]);
        assert_eq!(body["message"]["text"], "text 1\n\ntext 2");
        assert_eq!(body["message"]["createdAt"], "2023-11-14T22:13:20.002Z");
        assert_eq!(body["messages"][1]["text"], "text 2");
        assert_eq!(body["deliveryIds"].as_array().unwrap().len(), 2);
        assert!(!body.to_string().contains("secret\""), "the secret itself is never sent");
    }
}
