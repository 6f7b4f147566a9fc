//! Writes that the guard refused, as far as teams remember them.

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::limits::REFUSAL_CHARS;
use paseo_core::team::{self, Reason, Team, TeamId, WriteRefused};
use paseo_core::thread::USER;
use paseo_wire::team::RefusalView;

use super::{Teams, view};
use crate::failure::Failure;
use crate::journal;
use crate::sessions::to_the_end;

/// Something that the guard refused.
#[derive(Debug, Clone)]
pub(crate) struct RefusedWrite {
    pub(crate) agent: String,
    pub(crate) session: SessionId,
    /// What was wanted, such as "write to `src/a`".
    pub(crate) what: String,
    pub(crate) reason: Reason,
}

impl Teams {
    /// Notes a refusal, if it tells something new. That it cannot be noted changes nothing about the refusal.
    pub(crate) async fn note_refusal(&self, id: &TeamId, refused: RefusedWrite) {
        let (this, id) = (self.clone(), id.clone());
        let noted = to_the_end(async move {
            let RefusedWrite { agent, session, what, reason } = refused;
            let what: String = what.chars().take(REFUSAL_CHARS).collect();
            let why: String = reason.advice_about(&agent, USER).chars().take(REFUSAL_CHARS).collect();
            let draft = |what| WriteRefused {
                agent: agent.clone(),
                session,
                what,
                reason: reason.word().to_owned(),
                why: why.clone(),
            };
            let now = this.now();
            let known = team::write_refused(&*this.get(&id).await?, draft(journal::reference(&what)), now);
            // Most are repeats: those cost no write.
            if known.is_none() {
                return Ok(());
            }
            let decide = |team: &Team, change: &mut super::Change| {
                Ok(team::write_refused(team, draft(change.text(&what)), now).into_iter().collect())
            };
            this.decide(&Actor::Daemon, &id, None, decide).await.map(drop)
        });
        if let Err(failure) = noted.await {
            tracing::warn!(error = %failure.message, "cannot note a refused write");
        }
    }

    /// Returns the refused writes that a team remembers, newest first: of one member, or of all.
    pub(crate) async fn refusals(
        &self,
        team: &Team,
        agent: Option<&str>,
    ) -> Result<Vec<RefusalView>, Failure> {
        let of = |id: &str| agent.is_none_or(|agent| agent == id);
        let members = team.refusals.iter().filter(|(id, _)| of(id));
        let mut all: Vec<_> =
            members.flat_map(|(id, refusals)| refusals.iter().map(move |refused| (id, refused))).collect();
        all.sort_by_key(|(_, refused)| std::cmp::Reverse(refused.at));
        let mut views = Vec::with_capacity(all.len());
        for (id, refused) in all {
            views.push(view::refusal(&self.sessions.context.journal, id, refused).await?);
        }
        Ok(views)
    }
}
