//! Files that a message brings, in the forms that harnesses take.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use paseo_core::attachment::{Kind, quoted};
use paseo_core::id::TurnId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::provider::{Failed, FailureCode, Message, Output, TurnEnd};

/// A file that a message brings. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    pub name: String,
    pub kind: Kind,
    #[serde(serialize_with = "encode", deserialize_with = "decode")]
    pub bytes: Arc<[u8]>,
}

impl Attachment {
    /// Returns the bytes as most protocols carry them.
    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// Returns the file as a URL that holds all of it.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.kind.media_type(), self.base64())
    }

    /// Returns the text of a text file.
    pub(crate) fn text(&self) -> Option<&str> {
        str::from_utf8(&self.bytes).ok().filter(|_| self.kind == Kind::Text)
    }
}

impl Message {
    /// Returns the message with its text files as sections, for a harness that takes text only as part of a message.
    pub(crate) fn with_texts(&self) -> String {
        with_texts(&self.text, &self.attachments)
    }

    /// Returns its images.
    pub(crate) fn images(&self) -> impl Iterator<Item = &Attachment> {
        self.attachments.iter().filter(|file| file.kind.is_image())
    }
}

/// Returns a text with text files as sections below it.
pub(crate) fn with_texts(text: &str, files: &[Attachment]) -> String {
    let mut told = text.to_owned();
    for file in files {
        if let Some(text) = file.text() {
            told.push_str("\n\n");
            told.push_str(&quoted(&file.name, text));
        }
    }
    told
}

/// Ends a turn whose files its harness would not take, before anything of it is sent. Its messages are not tried again:
/// the same would come of it.
pub(crate) fn refuse(turn: TurnId, text: String) -> [Output; 2] {
    let code = FailureCode::Own("attachment_refused".to_owned());
    let end = TurnEnd::Failed(Failed { code, text, until: None });
    [Output::Handed { turn }, Output::TurnEnded { turn, end }]
}

fn encode<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
    let text = String::deserialize(deserializer)?;
    STANDARD.decode(text).map(Into::into).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::id::DeliveryId;
    use paseo_core::time::Timestamp;

    use super::*;

    #[test]
    fn text_files_become_sections_and_images_do_not() {
        let file =
            |name: &str, kind, bytes: &[u8]| Attachment { name: name.into(), kind, bytes: bytes.into() };
        let message = Message {
            delivery: DeliveryId::from_parts(Timestamp::from_millis(1), [0; 10]),
            origin: Actor::Human("cli".into()),
            text: "look".into(),
            attachments: vec![file("a.png", Kind::Png, b"\x89PNG"), file("a.md", Kind::Text, b"# A\n")],
        };
        assert_eq!(message.with_texts(), "look\n\n<attached-file name=\"a.md\">\n# A\n</attached-file>");
        let urls: Vec<String> = message.images().map(Attachment::data_url).collect();
        assert_eq!(urls, ["data:image/png;base64,iVBORw=="]);
        let line = serde_json::to_string(&message.attachments[0]).unwrap();
        assert_eq!(serde_json::from_str::<Attachment>(&line).unwrap(), message.attachments[0]);
    }
}
