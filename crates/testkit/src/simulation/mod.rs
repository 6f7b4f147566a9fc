//! A seeded simulator of the rules: random interleavings, crashes and lost races over the pure core.
//!
//! A run is a function of its [`Seed`]. After every step that makes something durable, at every crash and at
//! the end, a checker of its own compares what the rules say with what the log and the harnesses say:
//!
//! - I1: an acknowledged message is waiting, held with a reason, in the running turn, or settled after a
//!   harness took it; never lost, never in two places, handed again only with the repeat mark.
//! - I3: messages enter turns in the order they were accepted in, as far as they waited together.
//! - I5: every stream folds from zero to the bytes of its head, and to what its owner remembers.
//! - I7: unattended turns are bounded, by session and cause and by cause.
//! - Nothing shows a turn that died with the daemon, and without people everything comes to rest.

mod harness;
mod ledger;
mod log;
mod owner;
mod post;
mod random;
mod world;

#[cfg(test)]
mod tests;

use std::fmt;

use random::Random;
use world::World;

/// What a run is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

/// A way to break the owner on purpose, to see that the checker notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Messages that were not confirmed vanish with their turn.
    DropReturned,
    /// Messages that may be repeats are not marked.
    ForgetRepeat,
    /// Unattended turns cost nothing.
    SkipSpending,
    /// A turn takes its messages in another order.
    Reorder,
    /// The sender is told before the message is durable.
    AcknowledgeEarly,
    /// Bytes leave before the turn is durable.
    HandEarly,
    /// A restart leaves turns as they were.
    SkipReconciliation,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::DropReturned,
        Self::ForgetRepeat,
        Self::SkipSpending,
        Self::Reorder,
        Self::AcknowledgeEarly,
        Self::HandEarly,
        Self::SkipReconciliation,
    ];
}

/// What happened in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    pub steps: usize,
    pub turns: usize,
    pub crashes: usize,
    pub conflicts: usize,
    /// Messages that were handed again.
    pub repeats: usize,
    /// Messages that were held because no wake was left.
    pub unpaid: usize,
}

/// A promise that a run broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub seed: Seed,
    pub step: usize,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed: Seed(seed), step, what } = self;
        writeln!(f, "step {step} of seed {seed}: {what}")?;
        write!(f, "replay with: PASEO_SIM_SEED={seed} cargo test -p paseo-testkit simulation")
    }
}

/// Runs one seed to its end.
pub fn run(seed: Seed, fault: Option<Fault>) -> Result<Report, Violation> {
    // The length comes from a stream of its own, so that it says nothing about the first steps.
    let steps = 20 + Random::new(Seed(!seed.0)).below(80);
    let mut world = World::new(seed, fault);
    let result = (0..steps).try_for_each(|_| world.step()).and_then(|()| world.settle());
    match result {
        Ok(()) => Ok(world.report),
        Err(what) => Err(Violation { seed, step: world.report.steps, what }),
    }
}
