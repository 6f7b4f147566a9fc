//! What touches the outside world: providers, the process shim, the process table.
//!
//! Knows no threads and tasks, serves no HTTP and has no store: it is told what to run and reports what happened.

pub mod acp;
mod attachment;
pub mod browse;
pub mod claude;
pub mod codex;
mod commands;
mod control;
pub mod diff;
pub mod driver;
mod elicitation;
pub mod external;
pub mod files;
mod fresh;
pub mod git;
mod judged;
pub mod keys;
mod launch;
pub mod lines;
pub mod models;
pub mod occupants;
pub mod openai;
pub mod orphans;
mod outbound;
mod own_agent;
pub mod pi;
pub mod place;
mod placed;
pub mod plain_file;
pub mod process;
pub mod process_table;
pub mod programs;
pub mod provider;
pub mod push;
mod questions;
mod reaper;
pub mod schema;
pub mod scripted;
pub mod shim;
pub mod slash;
pub mod sweep;
pub mod terminal;
