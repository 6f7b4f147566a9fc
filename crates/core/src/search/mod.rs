//! Searching: what can be found, and how what people type is read.

mod question;
mod subject;

pub use question::{Refusal, Term, read};
pub use subject::{Class, Subject, Text, VERSION, home, of_item, of_session, of_thread};
