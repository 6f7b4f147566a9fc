//! Terminals that people watch.

use std::fmt;

words! {
    /// What a viewer of a terminal may do.
    TerminalRole {
        /// Watch.
        View = "view",
        /// Type: this viewer has the keyboard.
        Hold = "hold",
    }
}
