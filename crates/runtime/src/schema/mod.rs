//! Checking schemas and answers, in a process of its own.
//!
//! A schema is hostile input: a small one can keep a validator busy for years, fill the memory or overflow the stack, and
//! none of that can be seen beforehand. Whatever happens in the process ends with it, and the daemon goes on.

mod process;
mod verdict;

use paseo_core::answer::Violation;
use serde::{Deserialize, Serialize};

pub use process::{COMMAND, Unchecked, ask, run};

/// What is to be found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// As JSON.
    pub schema: String,
    /// What the agent said; without it only the schema is looked at.
    pub answer: Option<String>,
}

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The answer satisfies the schema; without an answer: it is a schema.
    Valid,
    /// The answer does not satisfy the schema. Never empty.
    Invalid(Vec<Violation>),
    /// It is no schema that can be used, and why.
    Unusable(String),
}
