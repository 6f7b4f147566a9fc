//! The scripted provider: an agent without a model, for tests, benchmarks and demonstrations.

pub mod agent;
mod plan;
mod provider;
mod script;
mod turn;

pub use provider::Scripted;
