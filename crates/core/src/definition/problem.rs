//! What is wrong with a definition, and where.

/// Something wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    pub message: String,
    /// The definition that it is about, as far as that can be told.
    pub slug: Option<String>,
    pub severity: Severity,
}

/// What a problem comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The definition is loaded all the same, without what is wrong.
    Warning,
    /// The definition is not loaded: a mistyped field may be the one that holds it back.
    Error,
}

impl Severity {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A problem, before it is known in which file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) message: String,
    pub(super) severity: Severity,
}

impl Fault {
    pub(super) fn error(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), severity: Severity::Error }
    }

    pub(super) fn warning(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), severity: Severity::Warning }
    }

    pub(super) fn in_file(self, file: &str, slug: Option<&str>) -> Problem {
        let Self { line, message, severity } = self;
        Problem { file: file.to_owned(), line, message, slug: slug.map(str::to_owned), severity }
    }
}
