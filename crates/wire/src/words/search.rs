//! Searching.

use std::fmt;

words! {
    /// Where to search.
    SearchIn {
        Agents = "agents",
        Threads = "threads",
    }
}

words! {
    /// The kind of a hit.
    SearchKind from paseo_core::search::Class {
        Said = "said",
        Answered = "answered",
        Tool = "tool",
        Name = "name",
        Title = "title",
    }
}
