//! How it ends: one leaves a team, or all of it is closed.

use std::collections::BTreeSet;
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::settings::Event as Setting;
use paseo_core::team::{self, Team, TeamId};
use paseo_wire::error::Code;

use super::{Acting, Teams};
use crate::failure::Failure;
use crate::sessions::to_the_end;

impl Teams {
    /// Removes a member. Its tasks are free again, and its credentials are revoked.
    pub(crate) async fn take_out(
        &self,
        acting: &Acting,
        id: &TeamId,
        agent: &str,
    ) -> Result<Arc<Team>, Failure> {
        let (this, acting, id, agent) = (self.clone(), acting.clone(), id.clone(), agent.to_owned());
        to_the_end(async move {
            let decide = |team: &Team| team::leave(team, &agent, acting.by());
            let (team, _) = this.decide(&acting.actor, &id, None, |team, _| decide(team)).await?;
            // If this fails, a second attempt ends those that were left.
            this.revoke(&acting.actor, &id, |whose| whose == agent).await?;
            Ok(team)
        })
        .await
    }

    /// Closes a team: all leases end, and nothing more happens in it.
    pub(crate) async fn close(&self, acting: &Acting, id: &TeamId) -> Result<Arc<Team>, Failure> {
        let (this, acting, id) = (self.clone(), acting.clone(), id.clone());
        to_the_end(async move {
            let decide = |team: &Team| team::close(team, acting.by());
            let (team, _) = this.decide(&acting.actor, &id, None, |team, _| decide(team)).await?;
            this.revoke(&acting.actor, &id, |_| true).await?;
            Ok(team)
        })
        .await
    }

    /// Says that the session of a member was closed, and how to get at what is left of it.
    pub(crate) async fn ended(&self, name: &str) -> Result<Option<Failure>, Failure> {
        let context = &self.sessions.context;
        for id in self.open(PAGE_ROWS).await? {
            let team = self.get(&id).await?;
            let Some(session) = team.agents.get(name.trim()).and_then(|member| member.session) else {
                continue;
            };
            if context.directory.get(session).is_none() && context.journal.session(session).await?.is_some() {
                let (name, handle) = (name.trim(), context.directory.handle(session));
                let message = format!("{name} in team {id} was killed; its handle is {handle}");
                return Ok(Some(Failure::new(Code::NotFound, message).hint(format!(
                    "run `paseo logs {handle}` to see what it did, or `paseo send {handle} \"…\"` to start \
                     it again"
                ))));
            }
        }
        Ok(None)
    }

    /// Ends the tokens of those who left just before a daemon ended.
    pub(super) async fn revoke_leftovers(&self) -> Result<(), Failure> {
        let known = self.sessions.context.settings.get();
        let agents = known.tokens.values().filter_map(|token| match &token.actor {
            Actor::Agent(agent) => {
                agent.split_once('/').and_then(|(team, id)| Some((team.parse().ok()?, id)))
            }
            _ => None,
        });
        for (team, agent) in agents.collect::<BTreeSet<(TeamId, &str)>>() {
            let there = self.get(&team).await?;
            if there.closed_at.is_some() || !there.agents.contains_key(agent) {
                self.revoke(&Actor::Daemon, &team, |whose| whose == agent).await?;
            }
        }
        Ok(())
    }

    /// Ends the tokens of a name that is to belong to a team again: they were another's.
    pub(super) async fn revoke_former(&self, by: &Actor, id: &TeamId, agent: &str) -> Result<(), Failure> {
        if self.get(id).await?.agents.contains_key(agent) {
            return Ok(());
        }
        self.revoke(by, id, |whose| whose == agent).await
    }

    /// Ends the tokens that act as agents of a team.
    async fn revoke(&self, by: &Actor, id: &TeamId, whose: impl Fn(&str) -> bool) -> Result<(), Failure> {
        let context = &self.sessions.context;
        let of_these = |actor: &Actor| match actor {
            Actor::Agent(agent) => {
                agent.split_once('/').is_some_and(|(team, agent)| team == id.as_str() && whose(agent))
            }
            _ => false,
        };
        let known = context.settings.get();
        for (token, _) in known.tokens.iter().filter(|(_, token)| of_these(&token.actor)) {
            let revoked = Setting::TokenRevoked { token: *token };
            context.settings.change(&context.journal, by, revoked).await?;
        }
        Ok(())
    }
}
