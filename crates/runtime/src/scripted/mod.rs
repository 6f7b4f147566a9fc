//! The scripted provider: an agent without a model, for tests, benchmarks and demonstrations.

pub mod agent;
mod link;
mod plan;
mod protocol;
mod provider;
mod script;
mod shell;
mod turn;

pub use provider::Scripted;
