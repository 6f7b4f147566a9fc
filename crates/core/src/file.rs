//! Files of an agent's directory, as people look at them: which paths are meant, what a file is, which names fit.

mod fuzzy;
mod path;
mod preview;

pub use fuzzy::{Best, Query, Rank};
pub use path::{InnerPath, Refused, Typed, is_git};
pub use preview::{HEAD_BYTES, Preview, preview};
