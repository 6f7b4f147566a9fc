//! I6, and who descends from whom, from the events alone.

use std::collections::{BTreeMap, BTreeSet};

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::permission::Mode;
use paseo_core::session::Created;
use paseo_core::tool::Ceiling;

use super::Check;
use super::requests::Requests;

const DEPTH: usize = 4;
const DESCENDANTS: usize = 16;

#[derive(Default)]
pub(super) struct Kin {
    known: BTreeMap<SessionId, Known>,
}

struct Known {
    parent: Option<SessionId>,
    /// The agent that started it, as a child or on its own.
    starter: Option<SessionId>,
    /// Names of tools; `None`: every one.
    ceiling: Option<BTreeSet<String>>,
    ceiling_mode: Mode,
    open: bool,
    /// How often it was closed.
    closings: u32,
    /// The batch that it was last reopened in.
    reopened_in: Option<u64>,
}

impl Kin {
    pub(super) fn create(&mut self, created: &Created) -> Check {
        let id = created.session;
        let Ceiling { tools, mode } = created.ceiling.clone().unwrap_or_default();
        let known = Known {
            parent: created.parent,
            starter: created.by.session(),
            ceiling: tools,
            ceiling_mode: mode,
            open: true,
            closings: 0,
            reopened_in: None,
        };
        if known.parent.is_some() && known.parent != known.starter {
            return Err(format!("{id} is the child of somebody else than who started it"));
        }
        if let Some(starter) = known.starter {
            let above =
                self.known.get(&starter).ok_or_else(|| format!("{starter} started {id} before it was"))?;
            check_below(id, &known, created.permissions, above)?;
        }
        let (parent, replaced) = (known.parent, self.known.insert(id, known));
        if replaced.is_some() {
            return Err(format!("{id} was created twice"));
        }
        match parent {
            Some(parent) => self.check_family(id, parent),
            None => Ok(()),
        }
    }

    /// Checks that nobody is left below.
    pub(super) fn close(&mut self, id: SessionId) -> Check {
        let left = self.known.iter().find(|(_, known)| known.open && known.parent == Some(id));
        if let Some((child, _)) = left {
            return Err(format!("{id} is closed before its child {child}"));
        }
        if let Some(known) = self.known.get_mut(&id) {
            known.open = false;
            known.closings += 1;
        }
        Ok(())
    }

    /// Takes in that a session leaves its parent. What it may do is still bounded by whoever started it.
    pub(super) fn promote(&mut self, id: SessionId, from: SessionId) -> Check {
        let known = self.known.get_mut(&id).ok_or_else(|| format!("{id} was never created"))?;
        if known.parent != Some(from) || !known.open {
            return Err(format!("{id} leaves {from}, which it is no open child of"));
        }
        known.parent = None;
        Ok(())
    }

    pub(super) fn reopen(&mut self, id: SessionId, batch: u64) {
        if let Some(known) = self.known.get_mut(&id) {
            known.open = true;
            known.reopened_in = Some(batch);
        }
    }

    /// Checks that only people write to what is closed, which reopens it.
    pub(super) fn accept(&self, id: SessionId, from: &Actor, batch: u64) -> Check {
        let Some(known) = self.known.get(&id) else { return Err(format!("{id} was never created")) };
        if (!known.open || known.reopened_in == Some(batch)) && !from.is_human() {
            return Err(format!("{id} is closed and takes a message of {from}"));
        }
        Ok(())
    }

    /// Returns how often a session was closed.
    pub(super) fn closings(&self, id: SessionId) -> u32 {
        self.known.get(&id).map_or(0, |known| known.closings)
    }

    /// Says whether a session is closed.
    pub(super) fn is_closed(&self, id: SessionId) -> bool {
        self.known.get(&id).is_some_and(|known| !known.open)
    }

    /// I6. Checks what a harness is given against what everybody above may pass on.
    pub(super) fn grant(&self, id: SessionId, tools: &[&str]) -> Check {
        let mut at = Some(id);
        while let Some(above) = at.and_then(|id| self.known.get(&id)) {
            let writes = |tool: &str| matches!(tool, "native_write" | "native_shell" | "native_net");
            let beyond = |tool: &&&str| {
                let named = above.ceiling.as_ref().is_none_or(|ceiling| ceiling.contains(**tool));
                !named || above.ceiling_mode == Mode::ReadOnly && writes(tool)
            };
            if let Some(tool) = tools.iter().find(beyond) {
                return Err(format!("I6: {id} is given {tool}, which is beyond the ceiling of {at:?}"));
            }
            at = above.starter;
        }
        Ok(())
    }

    /// Checks that every agent which an agent started was paid for.
    pub(super) fn check_rest(&self, requests: &Requests) -> Check {
        let mut started = self.known.iter().filter(|(_, known)| known.starter.is_some());
        match started.find(|(id, _)| !requests.knows(**id)) {
            Some((id, _)) => Err(format!("{id} was started and counts for no request")),
            None => Ok(()),
        }
    }

    fn check_family(&self, id: SessionId, parent: SessionId) -> Check {
        if self.known.get(&parent).is_none_or(|known| !known.open) {
            return Err(format!("{id} is a child of {parent}, which is closed"));
        }
        let above = self.above(id);
        if above.len() > DEPTH {
            return Err(format!("{id} has {} ancestors", above.len()));
        }
        let Some(root) = above.last() else { return Ok(()) };
        let open = self.known.iter().filter(|(_, known)| known.open).map(|(id, _)| *id);
        let below = open.filter(|other| self.above(*other).contains(root)).count();
        if below > DESCENDANTS {
            return Err(format!("{below} open agents descend from {root}"));
        }
        Ok(())
    }

    fn above(&self, id: SessionId) -> Vec<SessionId> {
        let parent = |id: &SessionId| self.known.get(id).and_then(|known| known.parent);
        std::iter::successors(parent(&id), parent).collect()
    }
}

/// I6. Checks what an agent may use and pass on against what its starter may pass on.
fn check_below(id: SessionId, known: &Known, mode: Mode, above: &Known) -> Check {
    let contained = match (&known.ceiling, &above.ceiling) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(own), Some(above)) => own.is_subset(above),
    };
    if !contained {
        return Err(format!("I6: {id} may pass on tools that its starter may not"));
    }
    if freedom(known.ceiling_mode) > freedom(above.ceiling_mode) {
        return Err(format!("I6: {id} may pass on more freedom than its starter"));
    }
    if freedom(mode) > freedom(above.ceiling_mode) {
        return Err(format!("I6: {id} is freer than its starter may make it"));
    }
    Ok(())
}

fn freedom(mode: Mode) -> u8 {
    match mode {
        Mode::ReadOnly => 0,
        Mode::Ask => 1,
        Mode::Full => 2,
    }
}
