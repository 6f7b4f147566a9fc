//! The providers `openai` and `openai-compatible`: an agent of our own, on any model that speaks Chat Completions.
//!
//! `agent` is a process under the shim, as every harness is: what its commands start is found and ended like that of
//! all others. It remembers nothing between processes; the transcript does.

pub mod agent;
mod chain;
mod compact;
mod history;
mod perform;
mod provider;
mod request;
mod setup;
mod stream;
mod tools;
mod turn;

pub use provider::OpenAi;
