//! What can be found: which events bring which texts.

use crate::actor::Actor;
use crate::id::{ContentId, SessionId};
use crate::item::{Entry, Kind};
use crate::session;
use crate::thread;

/// The version of these rules: an index that was filled by others is filled again.
pub const VERSION: u32 = 1;

/// A text that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub text: Text,
    pub class: Class,
    /// An actor, or the id of a participant of a thread.
    pub who: String,
}

/// Where the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    Content(ContentId),
    /// A field of a content's side information.
    Extra(ContentId, &'static str),
    /// A field of the event's data, and no longer that of an event before; `None`: there is none any more.
    Data(Option<&'static str>),
}

/// What kind of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// What was said to an agent, or by a person.
    Said,
    /// What an agent said.
    Answered,
    /// What a tool was called for, and what came of it.
    Tool,
    /// The name that people gave an agent or a thread.
    Name,
    /// The title that an agent gave itself.
    Title,
}

impl Class {
    /// Every class there is.
    pub const ALL: [Self; 5] = [Self::Said, Self::Answered, Self::Tool, Self::Name, Self::Title];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Said => "said",
            Self::Answered => "answered",
            Self::Tool => "tool",
            Self::Name => "name",
            Self::Title => "title",
        }
    }
}

/// Returns what a session's event brings.
pub fn of_session(event: &session::Event, by: &str) -> Vec<Subject> {
    let named = |class, field| Subject { text: Text::Data(field), class, who: by.to_owned() };
    match event {
        session::Event::Created(created) if created.name.is_some() => vec![named(Class::Name, Some("name"))],
        session::Event::Renamed { name } => vec![named(Class::Name, name.as_ref().map(|_| "name"))],
        session::Event::Titled { .. } => vec![named(Class::Title, Some("title"))],
        // Found as soon as it is acknowledged, also while it waits.
        session::Event::Accepted(accepted) => vec![said(accepted.text.id, &accepted.origin)],
        session::Event::Edited { text, .. } => {
            vec![Subject { text: Text::Content(text.id), class: Class::Said, who: by.to_owned() }]
        }
        _ => Vec::new(),
    }
}

/// Returns what an item brings. What an agent thinks is not found: it is not what it says. Nor is what it said in an
/// attempt that broke off.
pub fn of_item(session: SessionId, entry: &Entry, content: ContentId) -> Option<Subject> {
    let own = |text, class| Some(Subject { text, class, who: Actor::Session(session).to_string() });
    if entry.place.superseded {
        return None;
    }
    match &entry.kind {
        Kind::UserText { origin, .. } => Some(said(content, origin)),
        Kind::AssistantText => own(Text::Content(content), Class::Answered),
        Kind::ToolCall { .. } => own(Text::Extra(content, "title"), Class::Tool),
        Kind::ToolResult { .. } => own(Text::Content(content), Class::Tool),
        Kind::Thinking
        | Kind::Permission { .. }
        | Kind::Todo
        | Kind::Usage(_)
        | Kind::Notice { .. }
        | Kind::Error { .. }
        | Kind::Raw { .. } => None,
    }
}

/// Returns what a thread's event brings.
pub fn of_thread(event: &thread::Event) -> Option<Subject> {
    match event {
        thread::Event::Created { by, .. } => {
            Some(Subject { text: Text::Data(Some("name")), class: Class::Name, who: by.to_string() })
        }
        thread::Event::Renamed { from, .. } => {
            Some(Subject { text: Text::Data(Some("name")), class: Class::Name, who: from.clone() })
        }
        thread::Event::Posted(posted) => {
            let class = if posted.from == thread::USER { Class::Said } else { Class::Answered };
            Some(Subject { text: Text::Content(posted.text.id), class, who: posted.from.clone() })
        }
        _ => None,
    }
}

/// Returns the directories where a session or a thread is at home, if the event says so.
pub fn home(session: Option<&session::Event>, thread: Option<&thread::Event>) -> Option<Vec<String>> {
    match (session, thread) {
        (Some(session::Event::Created(created)), _) => {
            let mut places = vec![created.project.clone(), created.directory.clone()];
            places.dedup();
            Some(places)
        }
        (
            _,
            Some(
                thread::Event::Created { directory: Some(directory), .. }
                | thread::Event::Moved { directory, .. },
            ),
        ) => Some(vec![directory.clone()]),
        _ => None,
    }
}

fn said(text: ContentId, origin: &Actor) -> Subject {
    Subject { text: Text::Content(text), class: Class::Said, who: origin.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{Place, ToolClass};

    #[test]
    fn a_transcript_is_found_by_what_was_said_and_done() {
        let session = SessionId::from_random([7; 16]);
        let content = ContentId::from_uuid(uuid::Uuid::from_u128(1));
        let class = |kind| {
            let entry = Entry { place: Place::default(), kind };
            of_item(session, &entry, content).map(|subject| (subject.class, subject.text))
        };
        let call = Kind::ToolCall { call: "c".into(), name: "shell".into(), class: ToolClass::Execute };
        assert_eq!(class(call), Some((Class::Tool, Text::Extra(content, "title"))));
        assert_eq!(class(Kind::AssistantText), Some((Class::Answered, Text::Content(content))));
        assert_eq!(class(Kind::Thinking), None);
        assert_eq!(class(Kind::Todo), None);
        let place = Place { superseded: true, ..Place::default() };
        assert_eq!(of_item(session, &Entry { place, kind: Kind::AssistantText }, content), None);
    }

    #[test]
    fn a_name_that_is_taken_away_is_not_found() {
        let renamed = |name: Option<&str>| {
            let event = session::Event::Renamed { name: name.map(str::to_owned) };
            of_session(&event, "human:cli").remove(0).text
        };
        assert_eq!(renamed(Some("x")), Text::Data(Some("name")));
        assert_eq!(renamed(None), Text::Data(None));
    }
}
