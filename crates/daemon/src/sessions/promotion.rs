//! Promotion: a child becomes an independent agent.

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::session::{self, Farewell};

use super::actor::SessionActor;
use super::changes::{Spent, Stored};
use super::deliver::sealed;
use super::{Command, RequestKey, Sessions, to_the_end};
use crate::failure::Failure;
use crate::mint;

impl Sessions {
    /// Makes a child an independent agent. No family is closed meanwhile: it is closed with its parent, or not at all.
    pub(crate) async fn promote(
        &self,
        id: SessionId,
        by: Actor,
        key: Option<RequestKey>,
    ) -> Result<bool, Failure> {
        let this = self.clone();
        to_the_end(async move {
            let _family = this.context.families.lock().await;
            this.ask(id, |reply| Command::Promote { by, key, reply }).await
        })
        .await
    }
}

impl SessionActor {
    /// Leaves the parent, which is told once.
    pub(super) async fn promote(&mut self, by: Actor, key: Option<RequestKey>) -> Result<bool, Failure> {
        if let Some(key) = &key
            && let Some(first) = self.context.journal.log.receipt(&key.scope, &key.key, key.body).await?
        {
            return serde_json::from_str(&first).map_err(Failure::internal);
        }
        loop {
            let mut change = self.begin(&by);
            let waited = match self.session.profile.parent {
                Some(parent) => self.context.waits.between(parent, self.id()),
                None => Vec::new(),
            };
            let farewell = Farewell { waited, watch: mint::watch(), cause: mint::cause() };
            session::promote(&mut change.draft, &by, &farewell)?;
            let key = key.clone().map(|key| sealed(key, &true));
            match self.store(change, Spent::default(), key).await? {
                Stored::Conflict => {}
                Stored::Done => return Ok(true),
                Stored::Repeat(first) => return serde_json::from_str(&first).map_err(Failure::internal),
            }
        }
    }
}
