//! The scripted provider: an agent without a model, for tests, benchmarks and demonstrations.

pub mod agent;
pub mod front;
mod keys;
mod petition;
mod plan;
mod provider;
mod resident;
mod script;
mod turn;
mod whose;

pub use provider::Scripted;
