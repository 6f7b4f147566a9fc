//! What the measurements were made on.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use crate::statistics::{median, milliseconds};

/// The facts that numbers depend on.
pub(crate) struct Machine {
    facts: Vec<(&'static str, String)>,
}

impl Machine {
    /// Looks at this machine.
    pub(crate) fn look(directory: &Path) -> Self {
        let system = rustix::system::uname();
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
        let kilobytes: f64 = memory.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let facts = vec![
            ("date", jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string()),
            ("processor", field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned())),
            ("cores", cores.to_string()),
            ("memory", format!("{:.1} GB", kilobytes / 1024.0 / 1024.0)),
            (
                "kernel",
                format!("{} {}", system.sysname().to_string_lossy(), system.release().to_string_lossy()),
            ),
            ("load before", load.split(' ').take(1).collect()),
            ("fdatasync of 4 KB", format!("{:.3} ms (median)", fdatasync(directory))),
        ];
        Self { facts }
    }

    /// Lists the facts.
    pub(crate) fn list(&self) -> String {
        self.facts.iter().map(|(name, fact)| format!("- {name}: {fact}\n")).collect()
    }
}

/// Returns what one `fdatasync` costs after 4 KB were appended to a growing file, in milliseconds.
pub(crate) fn fdatasync(directory: &Path) -> f64 {
    let mut file = File::create(directory.join("fdatasync")).expect("a file to sync");
    let block = [7u8; 4096];
    let times: Vec<f64> = (0..300)
        .map(|_| {
            let start = Instant::now();
            file.write_all(&block).expect("a written block");
            file.sync_data().expect("a synced file");
            milliseconds(start.elapsed())
        })
        .collect();
    median(&times)
}

/// Returns what a file like `/proc/meminfo` says about something.
pub(crate) fn field(file: impl AsRef<Path>, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.split(':').next().is_some_and(|word| word.trim() == name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
