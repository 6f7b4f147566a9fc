//! Recorded flows: what a scripted scene leaves in the log, compared with a golden file.
//!
//! Each flow drives the real daemon in a home of its own, over its API. Then the whole log is read, freed of what
//! differs from run to run, and compared with `golden/<flow>.log`. `PASEO_UPDATE=1` writes the files instead.
//!
//! The requests and the files are words of the API and of the log, not of Rust: a refactoring that changes either shows
//! here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod api;
mod crashes;
mod external;
mod failures;
mod far;
mod harnesses;
mod leaks;
mod log;
mod normal;
mod people;
mod permissions;
mod places;
mod scene;
mod sending;
mod settings;
mod teams;
mod threads;
mod workers;

/// Makes a test of each scene, whose golden file has its name.
macro_rules! flows {
    ($($(#[$attribute:meta])* $name:ident($scene:ident) $body:block)*) => {
        $(
            $(#[$attribute])*
            #[test]
            fn $name() {
                crate::scene::record(stringify!($name), |$scene: &mut crate::scene::Scene| $body);
            }
        )*
    };
}
pub(crate) use flows;
