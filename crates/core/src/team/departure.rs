//! How it ends: one leaves a team, or all of it is closed. Whatever they had is free for others.

use super::{By, Event, Refused, Team, abandoned, in_order};

/// Removes a member: people, leaders and the member itself may. Nothing if it has left already.
pub fn leave(team: &Team, agent: &str, by: By<'_>) -> Result<Vec<Event>, Refused> {
    let Some(member) = team.agents.get(agent) else {
        if team.former.contains(agent) {
            return Ok(Vec::new());
        }
        let agent = agent.chars().take(64).flat_map(char::escape_debug).collect();
        let there = in_order(team.agents.keys().map(String::as_str)).join(", ");
        return Err(Refused::NoAgent { agent, there });
    };
    team.open()?;
    if by != By::Agent(agent) && !team.leads(by) {
        return Err(Refused::NotLeader);
    }
    let mut events = abandoned(team, |holder| holder == agent);
    events.push(Event::Left { agent: agent.to_owned(), session: member.session, by: by.id().to_owned() });
    Ok(events)
}

/// Closes a team: all leases end, and nothing more happens in it. Nothing if it is closed already.
pub fn close(team: &Team, by: By<'_>) -> Result<Vec<Event>, Refused> {
    if !team.leads(by) {
        return Err(Refused::NotLeader);
    }
    if team.closed_at.is_some() {
        return Ok(Vec::new());
    }
    let mut events = abandoned(team, |_| true);
    events.push(Event::Closed { by: by.id().to_owned() });
    Ok(events)
}
