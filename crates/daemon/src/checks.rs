//! How an answer compares with its output schema, in the words of the wire.

use paseo_core::answer::Violation;
use paseo_core::content::ContentRef;
use paseo_core::id::DeliveryId;
use paseo_core::session::{Checked, Conclusion, Session, Stage};
use paseo_wire::message::{CheckView, ViolationView};
use paseo_wire::words::CheckState;

use crate::failure::Failure;
use crate::journal::Journal;

/// Shows the check of a message, as far as the state knows it.
pub(crate) async fn of_delivery(
    journal: &Journal,
    session: &Session,
    delivery: DeliveryId,
) -> Result<Option<CheckView>, Failure> {
    if session.check.as_ref().is_some_and(|check| check.delivery == delivery) {
        return under_way(journal, session).await;
    }
    let settled = session.recent.iter().rev().find(|settled| settled.id == delivery);
    match settled.and_then(|settled| settled.checked.as_deref()) {
        Some(checked) => over(journal, delivery, checked).await.map(Some),
        None => Ok(None),
    }
}

/// Shows the newest check of a session.
pub(crate) async fn newest(journal: &Journal, session: &Session) -> Result<Option<CheckView>, Failure> {
    if session.check.is_some() {
        return under_way(journal, session).await;
    }
    let mut newest_first = session.recent.iter().rev();
    match newest_first.find_map(|settled| Some((settled.id, settled.checked.as_deref()?))) {
        Some((delivery, checked)) => over(journal, delivery, checked).await.map(Some),
        None => Ok(None),
    }
}

async fn under_way(journal: &Journal, session: &Session) -> Result<Option<CheckView>, Failure> {
    let Some(check) = &session.check else { return Ok(None) };
    let state = match check.stage {
        Stage::Checking => CheckState::Checking,
        Stage::Correcting(_) => CheckState::Correcting,
    };
    Ok(Some(CheckView {
        delivery: check.delivery.into(),
        state,
        valid: None,
        violations: violations(journal, check.violations.as_ref()).await?,
        corrections: check.corrections,
        reason: None,
    }))
}

/// Shows a check that is over.
pub(crate) async fn over(
    journal: &Journal,
    delivery: DeliveryId,
    checked: &Checked,
) -> Result<CheckView, Failure> {
    let (state, valid, reason) = match checked.conclusion {
        Conclusion::Valid => (CheckState::Valid, Some(true), None),
        Conclusion::Invalid => (CheckState::Invalid, Some(false), None),
        Conclusion::Unchecked => (CheckState::Unchecked, None, None),
        Conclusion::Abandoned(reason) => (CheckState::Abandoned, None, Some(reason.into())),
    };
    Ok(CheckView {
        delivery: delivery.into(),
        state,
        valid,
        violations: violations(journal, checked.violations.as_ref()).await?,
        corrections: checked.corrections,
        reason,
    })
}

/// Reads violations. Those of a transcript that was cleared are gone with it.
async fn violations(journal: &Journal, stored: Option<&ContentRef>) -> Result<Vec<ViolationView>, Failure> {
    let Some(stored) = stored else { return Ok(Vec::new()) };
    let Some(text) = journal.log.text(stored.id.uuid()).await? else { return Ok(Vec::new()) };
    let list: Vec<Violation> = serde_json::from_str(&text).map_err(Failure::internal)?;
    let shown = |Violation { path, expected }| ViolationView { path, expected };
    Ok(list.into_iter().map(shown).collect())
}
