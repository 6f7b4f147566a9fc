//! The SQLite engine: the suite, and what only this engine has to show.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // Helpers are test code too.

mod sqlite {
    mod crash;
    mod disk;
    mod erasing;
    mod heads;
    mod index;
    mod keys;
    mod opening;
    mod setup;
    mod sharing;
    mod suite;
}
