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
