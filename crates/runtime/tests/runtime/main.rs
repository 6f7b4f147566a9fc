//! The runtime against real processes.

#[cfg(test)]
mod claude;
#[cfg(test)]
mod codex;
#[cfg(test)]
mod descendants;
#[cfg(test)]
mod driver;
#[cfg(test)]
mod git;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod support;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod terminal_asks;
#[cfg(test)]
mod terminal_words;
#[cfg(test)]
mod terminals;
#[cfg(test)]
mod tmux;
#[cfg(test)]
mod tmux_hangs;
