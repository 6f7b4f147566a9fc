//! Controls: who is invited, who may speak, who wakes whom.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::seat::{self, Others, free_id};
use super::{Profile, Thread};
use crate::limits::CONTROL_TARGETS;

/// What a control changes; several things at once, perhaps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Control {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invite: Option<Invite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uninvite: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mute: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmute: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discussion: Option<Discussion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invited_auto: Option<bool>,
    /// Who is asked to go on. Like the two after it, it is for those who read it: the protocol gives it no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prod: Vec<String>,
    /// A participant says that it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
}

/// An invitation, with the whole profile that the participant has then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invite {
    pub participant_id: String,
    pub profile: Profile,
}

/// Whether agents wake others by mentioning them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discussion {
    pub on: bool,
    pub allow_agent_mentions: bool,
}

/// What only a person may switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    Mute,
    Unmute,
    Pause,
    Discussion,
    InvitedAuto,
}

impl Switch {
    /// Returns what switching it does, as a verb.
    pub fn deed(self) -> &'static str {
        match self {
            Self::Mute => "mute",
            Self::Unmute => "unmute",
            Self::Pause => "pause or resume",
            Self::Discussion => "change `discussion`",
            Self::InvitedAuto => "change `invited_auto`",
        }
    }
}

/// Why a control is refused. Nothing happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error(
        "a control must be an object with at least one of invite, uninvite, mute, unmute, pause, \
         discussion, invited_auto, prod, done, ttl_seconds"
    )]
    Empty,
    #[error("a control given as text must be JSON: {0}")]
    NotJson(String),
    #[error(
        "no control has the name `{0}`; use one of these as the field: invite, uninvite, mute, unmute, pause, discussion, invited_auto, \
         prod, done, ttl_seconds"
    )]
    Unknown(String),
    #[error("`{0}` must be {1}")]
    Field(&'static str, &'static str),
    #[error("`{0}` is not a participant; participants: {1}")]
    Stranger(String, String),
    #[error(transparent)]
    Seat(#[from] seat::Refused),
}

impl Control {
    /// Returns what in it only a person may do.
    pub fn switches(&self) -> Vec<Switch> {
        let all = [
            (!self.mute.is_empty(), Switch::Mute),
            (!self.unmute.is_empty(), Switch::Unmute),
            (self.pause.is_some(), Switch::Pause),
            (self.discussion.is_some(), Switch::Discussion),
            (self.invited_auto.is_some(), Switch::InvitedAuto),
        ];
        all.into_iter().filter_map(|(there, switch)| there.then_some(switch)).collect()
    }

    /// Returns it without what only a person may do.
    pub fn without_switches(self) -> Self {
        let Self { invite, uninvite, prod, done, ttl_seconds, .. } = self;
        Self { invite, uninvite, prod, done, ttl_seconds, ..Self::default() }
    }

    /// Says whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Says whether all that it switches is so already, and it does nothing else.
    pub fn is_so(&self, thread: &Thread) -> bool {
        let Self { invite, uninvite, mute, unmute, pause, discussion, invited_auto, prod, done, ttl_seconds } =
            self;
        let switches_only = invite.is_none()
            && uninvite.is_none()
            && prod.is_empty()
            && done.is_none()
            && ttl_seconds.is_none();
        switches_only
            && mute.iter().all(|id| thread.muted.contains(id))
            && !unmute.iter().any(|id| thread.muted.contains(id))
            && pause.is_none_or(|on| on == thread.paused)
            && discussion.is_none_or(|discussion| discussion == thread.discussion)
            && invited_auto.is_none_or(|on| on == thread.invited_auto)
    }

    /// Returns it in the words of the protocol.
    pub fn content(&self) -> Value {
        let mut content = Map::new();
        let mut put = |key: &str, value: Value| drop(content.insert(key.to_owned(), value));
        if let Some(Invite { participant_id, profile }) = &self.invite {
            put("invite", serde_json::json!({ "participant_id": participant_id, "profile": profile }));
        }
        if let Some(id) = &self.uninvite {
            put("uninvite", serde_json::json!({ "participant_id": id }));
        }
        if !self.mute.is_empty() {
            put("mute", serde_json::json!({ "targets": self.mute, "mode": "hard" }));
        }
        if !self.unmute.is_empty() {
            put("unmute", serde_json::json!({ "targets": self.unmute }));
        }
        if let Some(on) = self.pause {
            put("pause", serde_json::json!({ "on": on }));
        }
        if let Some(discussion) = self.discussion {
            put("discussion", serde_json::json!(discussion));
        }
        if let Some(on) = self.invited_auto {
            put("invited_auto", serde_json::json!({ "on": on }));
        }
        if !self.prod.is_empty() {
            put("prod", serde_json::json!(self.prod));
        }
        if let Some(done) = self.done {
            put("done", done.into());
        }
        if let Some(seconds) = self.ttl_seconds {
            put("ttl_seconds", seconds.into());
        }
        Value::Object(content)
    }
}

/// Reads a control, as an object or as its JSON in a text, and checks it against the thread and who else is about.
pub fn control(thread: &Thread, content: &Value, others: &Others) -> Result<Control, Malformed> {
    let parsed;
    let content = match content {
        Value::String(text) => {
            parsed =
                serde_json::from_str::<Value>(text).map_err(|error| Malformed::NotJson(error.to_string()))?;
            &parsed
        }
        other => other,
    };
    let fields = content.as_object().filter(|fields| !fields.is_empty()).ok_or(Malformed::Empty)?;
    let mut control = Control::default();
    for (key, value) in fields {
        match key.as_str() {
            "invite" => control.invite = Some(invitation(thread, value, others)?),
            "uninvite" => {
                let id = text(value, "participant_id", "uninvite.participant_id")?;
                if !thread.invited.contains_key(&id) {
                    return Err(stranger(thread, id));
                }
                control.uninvite = Some(id);
            }
            "mute" => {
                let listed = value.get("targets").unwrap_or(&Value::Null);
                let mode = value.get("mode").map_or(Some("hard"), Value::as_str);
                if mode != Some("hard") {
                    return Err(Malformed::Field("mute.mode", "`hard`, the only mode"));
                }
                control.mute = targets(thread, listed, "mute.targets", others)?;
            }
            "unmute" => {
                let listed = value.get("targets").unwrap_or(&Value::Null);
                control.unmute = targets(thread, listed, "unmute.targets", others)?;
            }
            "pause" => control.pause = Some(on(value, "pause.on")?),
            "invited_auto" => control.invited_auto = Some(on(value, "invited_auto.on")?),
            "discussion" => {
                let on = on(value, "discussion.on")?;
                let mentions = match value.get("allow_agent_mentions") {
                    None => on,
                    Some(mentions) => mentions
                        .as_bool()
                        .ok_or(Malformed::Field("discussion.allow_agent_mentions", "true or false"))?,
                };
                control.discussion = Some(Discussion { on, allow_agent_mentions: mentions });
            }
            "prod" => control.prod = targets(thread, value, "prod", others)?,
            "done" => {
                control.done = Some(value.as_bool().ok_or(Malformed::Field("done", "true or false"))?);
            }
            "ttl_seconds" => {
                let seconds =
                    value.as_u64().ok_or(Malformed::Field("ttl_seconds", "a whole number of seconds"))?;
                control.ttl_seconds = Some(seconds);
            }
            other => {
                return Err(Malformed::Unknown(
                    other.chars().take(60).flat_map(char::escape_debug).collect(),
                ));
            }
        }
    }
    Ok(control)
}

fn invitation(thread: &Thread, value: &Value, others: &Others) -> Result<Invite, Malformed> {
    let profile = value.get("profile").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    let profile: Profile = serde_json::from_value(profile).map_err(|_| {
        Malformed::Field("invite.profile", "an object with client, model, roles (a list) and nickname")
    })?;
    let id = match value.get("participant_id") {
        None | Some(Value::Null) => free_id(thread, &profile, others),
        Some(_) => text(value, "participant_id", "invite.participant_id")?,
    };
    let profile = seat::invite(thread, &id, &profile, others)?;
    Ok(Invite { participant_id: id, profile })
}

fn text(value: &Value, key: &str, name: &'static str) -> Result<String, Malformed> {
    let text = value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or(Malformed::Field(name, "a participant id"))
}

/// `{}` means on.
fn on(value: &Value, name: &'static str) -> Result<bool, Malformed> {
    let object = value.as_object().ok_or(Malformed::Field(name, "an object with true or false"))?;
    object.get("on").map_or(Some(true), Value::as_bool).ok_or(Malformed::Field(name, "true or false"))
}

fn targets(
    thread: &Thread,
    value: &Value,
    name: &'static str,
    others: &Others,
) -> Result<Vec<String>, Malformed> {
    let field = || Malformed::Field(name, "a list of 1 to 64 participant ids");
    let list = value.as_array().filter(|list| !list.is_empty()).ok_or_else(field)?;
    let ids = list.iter().map(|id| id.as_str().map(str::to_owned).ok_or_else(field));
    let ids = ids.collect::<Result<BTreeSet<String>, Malformed>>()?;
    if ids.len() > CONTROL_TARGETS {
        return Err(field());
    }
    // Who speaks without being invited, or may, can be muted, and who was muted and then uninvited can be let speak.
    let known = |id: &&String| {
        thread.invited.contains_key(*id)
            || [&thread.muted, &thread.guests, others].iter().any(|known| known.contains(*id))
    };
    match ids.iter().find(|id| !known(id)) {
        Some(id) => Err(stranger(thread, id.clone())),
        None => Ok(ids.into_iter().collect()),
    }
}

fn stranger(thread: &Thread, id: String) -> Malformed {
    let invited: Vec<&str> = thread.invited.keys().map(String::as_str).collect();
    let invited = if invited.is_empty() { "none".to_owned() } else { invited.join(", ") };
    Malformed::Stranger(id.chars().take(60).flat_map(char::escape_debug).collect(), invited)
}
