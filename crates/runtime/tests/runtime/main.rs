//! The runtime against real processes.

#[cfg(test)]
mod descendants;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod support;
