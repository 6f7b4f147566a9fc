//! A seeded simulator of the rules: random interleavings, crashes and lost races over the pure core.
//!
//! A run is a function of its [`Seed`]: 3 to 12 agents write to each other, ask and wait, start others and ask to be
//! told, while people write, stop and close, and the daemon dies. After every step that makes something durable, at
//! every crash and at the end, a checker of its own compares what the rules say with what the log, the harnesses and
//! those who wait say:
//!
//! - I1: an acknowledged message is waiting, held with a reason, in the running turn, or settled after a
//!   harness took it; never lost, never in two places, handed again only with the repeat mark.
//! - I3: messages enter turns in the order they were accepted in, as far as they waited together.
//! - I5: every stream folds from zero to the bytes of its head, and to what its owner remembers.
//! - I6: nobody is given or may pass on more than whoever started it may pass on.
//! - I7: unattended turns are bounded, by session and cause and by cause, and so are the agents that agents start.
//! - A watch leads to one notice, or to the answer of a call that waited, and a turn that answers several requests of
//!   one agent to one notice. Every wait ends, without its time running out.
//! - Families are closed leaf first, and nothing goes on for a cause that a person stopped.
//! - Nothing shows a turn that died with the daemon, and without people everything comes to rest.

mod causes;
mod definitions;
mod harness;
mod ledger;
mod log;
mod owner;
mod peers;
mod people;
mod post;
mod random;
mod waits;
mod world;

#[cfg(test)]
mod tests;

use std::fmt;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

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
    /// Nobody remembers that the news of a watch came before.
    TellTwice,
    /// A watch ends before its news is safe.
    DisarmFirst,
    /// Each outcome comes in a notice of its own.
    TellApart,
    /// Who waited gets the answer, and the news besides.
    AnswerAndTell,
    /// Anyone waits for anyone.
    WaitForAnyone,
    /// Agents start others with all that there is.
    IgnoreCeiling,
    /// Families grow without bounds.
    IgnoreFamily,
    /// No request pays for the agents that are started.
    SpawnForFree,
    /// A session is closed before those below it.
    CloseRootFirst,
    /// Agents go on starting others while they are closed.
    SpawnWhileClosing,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::DropReturned,
        Self::ForgetRepeat,
        Self::SkipSpending,
        Self::Reorder,
        Self::AcknowledgeEarly,
        Self::HandEarly,
        Self::SkipReconciliation,
        Self::TellTwice,
        Self::DisarmFirst,
        Self::TellApart,
        Self::AnswerAndTell,
        Self::WaitForAnyone,
        Self::IgnoreCeiling,
        Self::IgnoreFamily,
        Self::SpawnForFree,
        Self::CloseRootFirst,
        Self::SpawnWhileClosing,
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
    /// Agents that agents started, and how often they might not.
    pub spawns: usize,
    pub refused_spawns: usize,
    /// Calls that waited, and those that might not.
    pub waits: usize,
    pub refused_waits: usize,
    /// Watches that led to news.
    pub news: usize,
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

/// Runs many seeds on all cores, and returns what happened in them, or the violation of the lowest seed.
pub fn run_all(seeds: Range<u64>, fault: Option<Fault>) -> Result<Vec<Report>, Violation> {
    let next = AtomicU64::new(seeds.start);
    let broken = AtomicU64::new(seeds.end);
    let work = || {
        let mut results = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            // Those below the first broken one are still to be seen.
            if seed >= broken.load(Ordering::Relaxed) {
                return results;
            }
            let result = run(Seed(seed), fault);
            if result.is_err() {
                broken.fetch_min(seed, Ordering::Relaxed);
            }
            results.push((seed, result));
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut results: Vec<(u64, Result<Report, Violation>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a run panicked")).collect()
    });
    results.sort_by_key(|(seed, _)| *seed);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Runs one seed to its end.
pub fn run(seed: Seed, fault: Option<Fault>) -> Result<Report, Violation> {
    // The length comes from a stream of its own, so that it says nothing about the first steps.
    let steps = 20 + Random::new(Seed(!seed.0)).below(80);
    let mut world = World::new(seed, fault);
    let steps = steps * world.patience();
    let result = (0..steps).try_for_each(|_| world.step()).and_then(|()| world.settle());
    match result {
        Ok(()) => Ok(world.report),
        Err(what) => Err(Violation { seed, step: world.report.steps, what }),
    }
}
