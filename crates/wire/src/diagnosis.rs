//! What Paseo needs on a machine, and whether it is there.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::words::Verdict;

/// The answer to `GET /api/diagnosis`, and what `paseo doctor --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Diagnosis {
    /// No check fails; there may be warnings.
    pub ok: bool,
    pub checks: Vec<Check>,
}

impl Diagnosis {
    pub fn new(checks: Vec<Check>) -> Self {
        Self { ok: checks.iter().all(|check| check.verdict != Verdict::Fail), checks }
    }
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Check {
    pub name: String,
    pub verdict: Verdict,
    pub found: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl Check {
    pub fn ok(name: impl Into<String>, found: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Ok, found: found.into(), fix: None }
    }

    pub fn warn(name: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Warn, found: found.into(), fix: Some(fix.into()) }
    }

    pub fn fail(name: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Fail, found: found.into(), fix: Some(fix.into()) }
    }
}
