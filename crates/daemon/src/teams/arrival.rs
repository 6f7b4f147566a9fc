//! How members join a team, for the first time or again.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::session::TeamSeat;
use paseo_core::team::{self, Member, Refused, Team, TeamId};

use super::{Joining, Teams, actor, refused};
use crate::desk::Done;
use crate::failure::Failure;
use crate::sessions::to_the_end;

impl Teams {
    /// Adds a member to a team, or changes its role.
    pub(crate) async fn enrol(
        &self,
        by: &Actor,
        id: &TeamId,
        agent: &str,
        member: Member,
    ) -> Result<Arc<Team>, Failure> {
        let (this, by, id, agent) = (self.clone(), by.clone(), id.clone(), agent.to_owned());
        to_the_end(async move {
            this.revoke_former(&by, &id, &agent).await?;
            let decide = |team: &Team| team::enrol(team, &agent, member.clone(), actor(team, &by));
            this.decide(&by, &id, None, |team, _| decide(team)).await.map(|(team, _)| team)
        })
        .await
    }

    /// Takes somebody in who gets a token, unless it is there. Whoever was taken out only when that is asked for.
    pub(crate) async fn let_in(
        &self,
        by: &Actor,
        id: &TeamId,
        agent: &str,
        again: bool,
    ) -> Result<(), Failure> {
        let (this, by, id, agent) = (self.clone(), by.clone(), id.clone(), agent.to_owned());
        to_the_end(async move {
            if again {
                this.revoke_former(&by, &id, &agent).await?;
            }
            let decide = |team: &Team| team::let_in(team, &agent, again, actor(team, &by));
            this.decide(&by, &id, None, |team, _| decide(team)).await.map(drop)
        })
        .await
    }

    /// Takes a session into a team, before it begins. Returns who had its place before, too.
    pub(crate) async fn join(
        &self,
        by: &Actor,
        joining: &Joining,
        base: &str,
        member: Member,
    ) -> Result<(TeamSeat, Option<Member>), Failure> {
        let directory = &self.sessions.context.directory;
        if let Some(agent) = &joining.agent {
            self.revoke_former(by, &joining.team, agent).await?;
        }
        let settings = &self.sessions.context.settings;
        let has_token = |id: &str| {
            let actor = Actor::Agent(format!("{}/{id}", joining.team));
            settings.get().tokens.values().any(|token| token.actor == actor)
        };
        let done = self.desk.change_then(
            by,
            &joining.team,
            None,
            |team, change| {
                let wanted = joining.agent.as_deref();
                let is_open = |session| directory.get(session).is_some();
                let joined =
                    team::join(team, wanted, base, member.clone(), actor(team, by), is_open, has_token);
                let (id, events) = joined.map_err(|why| match &why {
                    Refused::Taken { other, .. } => {
                        let handle = directory.handle(*other);
                        let hint = format!("close it with `paseo close {handle}`, or choose another name");
                        refused(why).hint(hint)
                    }
                    _ => refused(why),
                })?;
                change.events.extend(events.iter().cloned());
                let before = team.agents.get(&id).cloned();
                Ok((id, before, events))
            },
            |_| String::new(),
            |team, (_, _, events)| self.watch(team, &[], events),
        );
        match done.await? {
            Done::New(team, (agent, before, events)) => {
                self.tell(&team, events);
                let leads = member.role == team::LEADER;
                Ok((TeamSeat { team: joining.team.clone(), agent, leads }, before))
            }
            Done::Repeat(_) => Err(Failure::internal("a request without a key was treated as a repeat")),
        }
    }

    /// Gives back a membership whose session was never created. No notice: none was sent of it.
    pub(crate) async fn stayed_away(
        &self,
        by: &Actor,
        id: &TeamId,
        session: SessionId,
        before: Option<Member>,
    ) {
        let undone = self.desk.change(
            by,
            id,
            None,
            |team, change| {
                change.events.extend(team::stayed_away(team, session, before.clone(), actor(team, by)));
                Ok(())
            },
            |()| String::new(),
        );
        if let Err(failure) = undone.await {
            tracing::error!(team = %id, error = %failure.message, "cannot release a reserved name in a team");
        }
    }
}
