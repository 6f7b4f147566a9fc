//! How it begins: somebody comes into a team, for the first time or again.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::session::TeamSeat;
use paseo_core::team::{self, Member, Refused, Team, TeamId};

use super::{Joining, Teams, actor, refused};
use crate::desk::Done;
use crate::failure::Failure;
use crate::sessions::to_the_end;

impl Teams {
    /// Takes somebody into a team, or changes their role.
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

    /// Takes a session into a team, before it begins.
    pub(crate) async fn join(
        &self,
        by: &Actor,
        joining: &Joining,
        base: &str,
        member: Member,
    ) -> Result<TeamSeat, Failure> {
        let directory = &self.sessions.context.directory;
        if let Some(agent) = &joining.agent {
            self.revoke_former(by, &joining.team, agent).await?;
        }
        let done = self.desk.change(
            by,
            &joining.team,
            None,
            |team, change| {
                let wanted = joining.agent.as_deref();
                let is_open = |session| directory.get(session).is_some();
                let joined = team::join(team, wanted, base, member.clone(), actor(team, by), is_open);
                let (id, events) = joined.map_err(|why| match &why {
                    Refused::Taken { other, .. } => {
                        let handle = directory.handle(*other);
                        let hint = format!("it is {handle}: `paseo close {handle}`, or choose another name");
                        refused(why).hint(hint)
                    }
                    _ => refused(why),
                })?;
                change.events.extend(events);
                Ok(id)
            },
            String::clone,
        );
        match done.await? {
            Done::New(_, agent) | Done::Repeat(agent) => {
                Ok(TeamSeat { team: joining.team.clone(), agent, leads: member.role == team::LEADER })
            }
        }
    }
}
