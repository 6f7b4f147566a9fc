//! What touches the outside world: providers, the process shim, the process table.
//!
//! Knows no threads, tasks, HTTP or store: it is told what to run and reports what happened.

pub mod claude;
pub mod codex;
mod commands;
mod control;
pub mod diff;
pub mod driver;
mod fresh;
pub mod git;
pub mod keys;
pub mod lines;
pub mod occupants;
pub mod orphans;
pub mod process;
pub mod process_table;
pub mod programs;
pub mod provider;
mod reaper;
pub mod scripted;
pub mod shim;
pub mod sweep;
