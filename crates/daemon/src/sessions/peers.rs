//! The agents that a session can ask by their definitions, as far as they can start.

use std::path::Path;
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::definition::Definition;
use paseo_core::session::Session;
use paseo_core::tool::{Asked, Ceiling};

use super::{Context, Order, routing};
use crate::definitions::Catalogue;

impl Context {
    /// Returns the agents that a session may ask and that could start for it now.
    pub(crate) fn peers(
        &self,
        catalogue: &Catalogue,
        caller: &Session,
        own: &Definition,
    ) -> Vec<Arc<Definition>> {
        let held = self.is_held(caller);
        let mut peers = catalogue.peers(own);
        peers.retain(|peer| {
            let asked = Asked { slug: &peer.slug, is_trusted: catalogue.is_trusted(&peer.slug) };
            let above = Ceiling::of_asked(caller, own, asked);
            self.can_start(caller, peer, &above, held)
        });
        peers
    }

    /// Says whether an agent could start for a caller, without starting it. `held` is whether the caller is guarded.
    fn can_start(&self, caller: &Session, peer: &Arc<Definition>, above: &Ceiling, held: bool) -> bool {
        let directory = routing::place_for(caller, peer);
        if !Path::new(&directory).is_dir() || !self.definitions.unreadable_keys(peer).is_empty() {
            return false;
        }
        let order = Order::of_peer(caller, peer, directory);
        let Ok(new) = order.within(self, caller, above, None, None) else { return false };
        // The agents of a guarded caller share its leases; any other guarded one would have no team.
        let guards =
            || self.providers.get(&new.provider).is_some_and(|provider| provider.capabilities().guard);
        (!held && !peer.guarded) || (held && guards())
    }
}

impl Order {
    /// Orders a session of a peer for the agent that asks it.
    pub(crate) fn of_peer(caller: &Session, peer: &Arc<Definition>, directory: String) -> Self {
        Self {
            by: Actor::Session(caller.id),
            definition: Arc::clone(peer),
            project: caller.profile.project.clone(),
            directory,
            provider: None,
            default_provider: None,
            model: None,
            effort: None,
            labels: Default::default(),
            name: None,
            aside: false,
            guarded: false,
        }
    }
}
