//! What touches the outside world: providers, the process shim, the process table.
//!
//! Knows no threads, tasks, HTTP or store: it is told what to run and reports what happened.

mod control;
mod fresh;
pub mod lines;
pub mod orphans;
pub mod process;
pub mod process_table;
pub mod provider;
mod reaper;
pub mod scripted;
pub mod shim;
pub mod sweep;
