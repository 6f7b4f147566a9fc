//! Terminals of workers as people watch and take them over. Pure: time is an argument, measured from any fixed moment.

mod flow;
mod keyboard;
mod shell;
mod size;

pub use flow::{BadAck, CHUNK, Flow, HIGH_WATER, LOW_WATER, PACE, Pace, STUCK};
pub use keyboard::{IDLE, Keyboard, LOST, Left, Take};
pub use shell::{ABANDONED, Attendance, KEPT, Tail};
pub use size::{RESIZE_EVERY, Resizes, Size};
