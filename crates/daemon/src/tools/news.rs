//! What a notice says.

use paseo_core::cut;
use paseo_core::envelope;
use paseo_core::id::SessionId;
use paseo_core::limits::ANSWER_CHARS;
use paseo_core::session::{self, Due, Notice, On, Receipt, Watch};
use paseo_core::snippet::{self, Keep};

use super::answers::{self, Extent};
use crate::failure::Failure;
use crate::sessions::Sessions;

/// What the former parent of an agent is told.
pub(super) const PROMOTED: &str = "is now an independent agent: a person promoted it, so you will not receive its answer and cannot retrieve it";

/// How much of a request a notice quotes, in characters.
const QUOTE: usize = 80;

/// Returns the text of a notice: each outcome, with the requests that it answers.
pub(crate) async fn about(
    sessions: &Sessions,
    watched: SessionId,
    notice: &Notice,
) -> Result<String, Failure> {
    let mut outcomes: Vec<(Option<&Due>, Vec<&Watch>)> = Vec::new();
    for watch in &notice.watches {
        let due = watch.due.as_ref();
        let is_same =
            |of: &Watch| matches!((of.on, watch.on), (On::Delivery(_), On::Delivery(_))) || of.on == watch.on;
        match outcomes.iter_mut().find(|(known, of)| *known == due && is_same(of[0])) {
            Some((_, watches)) => watches.push(watch),
            None => outcomes.push((due, vec![watch])),
        }
    }
    let handle = called(sessions, watched).await;
    let mut parts = Vec::new();
    for (due, watches) in outcomes {
        let (how, more) = outcome(sessions, watched, due, &watches).await?;
        let requests = requests(sessions, watched, &watches).await?;
        parts.push(format!("[notice] Tab {handle} {how}{requests}{more}"));
    }
    Ok(parts.join("\n\n"))
}

fn is_idle(watch: &Watch) -> bool {
    watch.on == On::Idle
}

/// Says what happened, and what the agent said.
async fn outcome(
    sessions: &Sessions,
    watched: SessionId,
    due: Option<&Due>,
    watches: &[&Watch],
) -> Result<(&'static str, String), Failure> {
    let open = sessions.context.directory.get(watched);
    if watches.iter().any(|watch| watch.on == On::Promotion) {
        return Ok((PROMOTED, String::new()));
    }
    let due = match due {
        None if watches.iter().any(|watch| !is_idle(watch)) => {
            return Ok(("was closed before it read your message", String::new()));
        }
        None if open.is_none() => return Ok(("was closed", String::new())),
        None => return Ok(("is now idle", String::new())),
        Some(due) => due,
    };
    let account = match due.turn {
        Some(turn) => answers::of_turn(sessions, watched, turn, Extent::AnswerHead(ANSWER_CHARS)).await?,
        None => answers::Account::default(),
    };
    let (how, words) = match due.receipt {
        Receipt::Answered => ("has finished your request", account.answer()),
        Receipt::Failed => ("failed to complete your request", account.error().map(str::to_owned)),
        Receipt::Interrupted => ("was interrupted before it finished your request", account.answer()),
        _ => return Ok(("will not read your message: a person canceled it", String::new())),
    };
    let mut deliveries = watches.iter().filter_map(|watch| match watch.on {
        On::Delivery(delivery) => Some(delivery),
        On::Idle | On::Promotion => None,
    });
    let again =
        deliveries.find_map(|delivery| open.as_ref().and_then(|open| session::setback(open, delivery)));
    let again = again.map(|setback| format!("\n\n{}", setback.again.words())).unwrap_or_default();
    let words = words.unwrap_or_else(|| "No output.".to_owned());
    Ok((how, format!("\n\n{}{again}", envelope::contained(&cut(&words).0))))
}

/// Names the requests that an outcome is about, by the ids that the sender was given and by how each begins.
async fn requests(sessions: &Sessions, watched: SessionId, watches: &[&Watch]) -> Result<String, Failure> {
    let log = &sessions.context.journal.log;
    let mut named = Vec::new();
    for watch in watches {
        let On::Delivery(delivery) = watch.on else { continue };
        let text = match watch.request {
            Some(request) => log.text(request.uuid()).await?,
            None => None,
        };
        let quote = text.map(|text| snippet::piece(text.trim(), QUOTE, Keep::Start));
        let quote = quote.map(|quote| format!(": \"{quote}\"")).unwrap_or_default();
        named.push(format!("responseId {delivery}{quote}"));
    }
    Ok(match named.as_slice() {
        [] => ".".to_owned(),
        [one] => format!(" ({watched}, {one})."),
        several => format!(" ({watched}), {} requests together:\n- {}", several.len(), several.join("\n- ")),
    })
}

/// Returns the handle of a session, for a worker with the name that others know it by, and its thread.
async fn called(sessions: &Sessions, watched: SessionId) -> String {
    let context = &sessions.context;
    let handle = context.directory.handle(watched);
    let Some(session) = context.directory.get(watched) else { return handle };
    let Some(name) = &session.profile.terminal else { return handle };
    let team = match (&session.profile.team, context.teams()) {
        (Some(seat), Ok(teams)) => teams.get(&seat.team).await.ok(),
        _ => None,
    };
    let thread = team.zip(session.profile.reports_to).and_then(|(team, thread)| {
        team.threads.iter().find(|(_, known)| known.thread == thread).map(|(alias, _)| format!(", {alias}"))
    });
    format!("{handle} (worker {name}{})", thread.unwrap_or_default())
}

/// Cuts an answer to what another agent gets of it, and says whether that was needed.
pub(crate) fn cut(text: &str) -> (String, bool) {
    let (head, is_cut) = cut::head(text, ANSWER_CHARS);
    (head.to_owned(), is_cut)
}
