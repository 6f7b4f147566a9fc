//! What a provider and its agent process say to each other: one JSON value per line.

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, ItemId, TurnId};
use paseo_core::item::{Draft, Kind, ToolOutcome};
use paseo_core::permission::{self, Form, Power, Shape};
use paseo_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::provider::{
    Answer, Attachment, DeltaKind, Exit, Failed, FailureCode, Input, Message, Output, Retry, TurnEnd,
};
use crate::slash::SlashCommand;

/// A line to the agent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Request(#[serde(with = "InputWords")] pub(crate) Input);

/// A line from the agent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Report(#[serde(with = "OutputWords")] pub(crate) Output);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Input", rename_all = "snake_case")]
enum InputWords {
    Turn {
        turn: TurnId,
        #[serde(with = "messages")]
        messages: Vec<Message>,
    },
    Steer {
        #[serde(with = "MessageWords")]
        message: Message,
    },
    Interrupt,
    Permission {
        call: String,
        #[serde(with = "AnswerWords")]
        decision: Answer,
    },
    ToolResult {
        call: String,
        outcome: ToolOutcome,
        text: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Answer", rename_all = "snake_case")]
enum AnswerWords {
    Allow {
        input: Value,
        #[serde(default)]
        message: Option<String>,
    },
    Choose {
        answers: Vec<Vec<String>>,
    },
    Fill {
        content: Map<String, Value>,
    },
    Deny {
        message: String,
    },
    Cancel,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Message")]
struct MessageWords {
    delivery: DeliveryId,
    origin: Actor,
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<Attachment>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Output", rename_all = "snake_case")]
enum OutputWords {
    Reference(String),
    /// They have nothing to forget.
    #[serde(skip)]
    Forgotten,
    /// They add what they are told.
    #[serde(skip)]
    Prompted(String),
    /// They start nothing by themselves.
    #[serde(skip)]
    TurnBegan {
        turn: TurnId,
    },
    /// They have no terminal.
    #[serde(skip)]
    Typed {
        turn: TurnId,
        item: ItemId,
        text: String,
    },
    Handed {
        turn: TurnId,
    },
    /// Nor do they outlive what they are told.
    #[serde(skip)]
    Untold {
        turn: TurnId,
    },
    Steered {
        delivery: DeliveryId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ItemId>,
    },
    Delta {
        item: ItemId,
        #[serde(with = "DeltaKindWords")]
        kind: DeltaKind,
        text: String,
    },
    Printed {
        call: String,
        item: ItemId,
        text: String,
    },
    BrokeOff {
        items: Vec<ItemId>,
        retry: Option<Retry>,
    },
    Item {
        id: ItemId,
        step: u32,
        parent: Option<String>,
        #[serde(with = "DraftWords")]
        draft: Draft,
    },
    ToolRequest {
        call: String,
        name: String,
        input: Value,
    },
    Ask(#[serde(with = "RequestWords")] permission::Request),
    #[serde(skip)]
    AskWithdrawn {
        call: String,
    },
    /// They have no background.
    #[serde(skip)]
    Background {
        tasks: usize,
    },
    Commands(Vec<SlashCommand>),
    TurnEnded {
        turn: TurnId,
        #[serde(with = "TurnEndWords")]
        end: TurnEnd,
    },
    /// An agent cannot speak of its own end.
    #[serde(skip)]
    Exited(Exit),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "DeltaKind", rename_all = "snake_case")]
enum DeltaKindWords {
    AssistantText,
    Thinking,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TurnEnd", rename_all = "snake_case")]
enum TurnEndWords {
    Completed,
    Failed(#[serde(with = "FailedWords")] Failed),
    Interrupted,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Failed")]
struct FailedWords {
    #[serde(with = "code")]
    code: FailureCode,
    text: String,
    until: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "permission::Request")]
struct RequestWords {
    call: String,
    tool: String,
    input: Value,
    power: Power,
    shape: Shape,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    form: Option<Form>,
}

mod code {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::FailureCode;

    pub(super) fn serialize<S: Serializer>(code: &FailureCode, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(code.word())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FailureCode, D::Error> {
        let word = String::deserialize(deserializer)?;
        let known = [
            FailureCode::NotLoggedIn,
            FailureCode::RateLimited,
            FailureCode::ModelError,
            FailureCode::ResumeFailed,
            FailureCode::HarnessError,
        ];
        let found = known.into_iter().find(|code| code.word() == word);
        Ok(found.unwrap_or(FailureCode::Own(word)))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Draft")]
struct DraftWords {
    kind: Kind,
    text: Option<String>,
    extra: Option<String>,
}

mod messages {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Message, MessageWords};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Worded(#[serde(with = "MessageWords")] Message);

    pub(super) fn serialize<S: Serializer>(messages: &[Message], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(messages.iter().cloned().map(Worded))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Message>, D::Error> {
        Ok(Vec::<Worded>::deserialize(deserializer)?.into_iter().map(|Worded(message)| message).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_survives_the_line() {
        let now = Timestamp::from_millis(1);
        let message = Message {
            attachments: Vec::new(),
            delivery: DeliveryId::from_parts(now, [1; 10]),
            origin: Actor::Human("cli".into()),
            text: "a\nb".into(),
        };
        let input = Input::Turn { turn: TurnId::from_parts(now, [2; 10]), messages: vec![message] };
        let line = serde_json::to_string(&Request(input.clone())).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Request>(&line).unwrap().0, input);
    }

    #[test]
    fn a_failure_keeps_its_code() {
        for code in [FailureCode::NotLoggedIn, FailureCode::ModelError, FailureCode::Own("scripted".into())] {
            let turn = TurnId::from_parts(Timestamp::from_millis(1), [2; 10]);
            let end = TurnEnd::Failed(Failed { code, text: "so".into(), until: None });
            let output = Output::TurnEnded { turn, end };
            let line = serde_json::to_string(&Report(output.clone())).unwrap();
            assert_eq!(serde_json::from_str::<Report>(&line).unwrap().0, output);
        }
    }

    #[test]
    fn an_attempt_that_broke_off_survives_the_line() {
        let items = vec![ItemId::from_parts(Timestamp::from_millis(1), [3; 10])];
        let output = Output::BrokeOff { items, retry: Some(Retry { attempt: Some(2), of: None }) };
        let line = serde_json::to_string(&Report(output.clone())).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&line).unwrap().0, output);
    }

    #[test]
    fn an_item_survives_the_line() {
        let id = ItemId::from_parts(Timestamp::from_millis(1), [3; 10]);
        let draft = Draft::text(Kind::AssistantText, "hi");
        let output = Output::Item { id, step: 2, parent: None, draft };
        let line = serde_json::to_string(&Report(output.clone())).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&line).unwrap().0, output);
    }
}
