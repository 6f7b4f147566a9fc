//! What a notification says: which agent, and what it is about. Never what was said: others may see the screen.

use paseo_core::inbox;
use paseo_core::notification::{Kind, Notice};
use paseo_core::session::Session;
use paseo_runtime::push::Message;
use paseo_wire::notification::{PushAction, PushNotification, PushPayload};
use paseo_wire::words::PushButton;

use crate::sessions::Context;

/// What all notifications that are not about one agent have as their tag.
const TAG: &str = "paseo";

/// Tells of one agent; `None` when it was closed meanwhile.
pub(super) fn one(context: &Context, origin: &str, notice: Notice) -> Option<Message> {
    let session = context.directory.get(notice.session)?;
    let title = format!("{} {}", name(context, &session), notice.kind.words());
    let agent = format!("{origin}/app/agents/{}", session.id);
    let card = format!("{origin}/app?agent={}", session.id);
    let action = |action: PushButton, title: &str, navigate: &String| PushAction {
        action,
        title: title.to_owned(),
        navigate: navigate.clone(),
    };
    // What needs a person has its card in the inbox; what is finished is read where it was said.
    let (navigate, actions) = match notice.kind {
        Kind::Need(_) => (
            card.clone(),
            vec![
                action(PushButton::Card, "Show card", &card),
                action(PushButton::Agent, "Open agent", &agent),
            ],
        ),
        Kind::Finished => {
            let inbox = format!("{origin}/app");
            (
                agent.clone(),
                vec![
                    action(PushButton::Agent, "Open agent", &agent),
                    action(PushButton::Inbox, "Inbox", &inbox),
                ],
            )
        }
    };
    let tag = format!("{TAG}-{}", session.id);
    Some(Message { urgent: notice.kind.is_urgent(), ..message(context, title, navigate, tag, actions) })
}

/// Tells of several agents at once.
pub(super) fn several(context: &Context, origin: &str, agents: usize) -> Message {
    let title = format!("{agents} agents have news");
    message(context, title, format!("{origin}/app"), TAG.to_owned(), Vec::new())
}

/// Tells that notifications work.
pub(super) fn test(context: &Context, origin: &str) -> Message {
    let navigate = format!("{origin}/app/settings/notifications");
    message(context, "Notifications work".to_owned(), navigate, format!("{TAG}-test"), Vec::new())
}

/// Returns what a person called an agent, or else its handle. A title comes from the agent, and may quote what it does.
fn name(context: &Context, session: &Session) -> String {
    session.naming.name.clone().unwrap_or_else(|| context.directory.handle(session.id))
}

fn message(
    context: &Context,
    title: String,
    navigate: String,
    tag: String,
    actions: Vec<PushAction>,
) -> Message {
    let app_badge = inbox::needing_you(context.directory.all().iter().map(AsRef::as_ref));
    let about = tag.clone();
    let payload = PushPayload {
        web_push: PushPayload::MAGIC,
        notification: PushNotification { title, navigate, tag, app_badge, actions },
    };
    // Plain data with string keys: it always serialises.
    Message { body: serde_json::to_vec(&payload).unwrap_or_default(), about, urgent: true }
}
