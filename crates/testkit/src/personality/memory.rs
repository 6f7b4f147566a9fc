//! What a fake remembers of a conversation, on disk: a line for each text and each result, so that a kill loses none.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

#[derive(Debug)]
pub(super) struct Memory {
    path: PathBuf,
    pub(super) turns: usize,
    pub(super) tools: usize,
}

impl Memory {
    /// Starts a conversation. The file is made by the first line, as the real ones do.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, turns: 0, tools: 0 }
    }

    /// Continues a conversation.
    pub(super) fn load(path: PathBuf) -> Self {
        let mut memory = Self::new(path);
        let kinds = memory.kinds();
        let count = |kind: &str| kinds.iter().filter(|known| *known == kind).count();
        (memory.turns, memory.tools) = (count("user"), count("tool_result"));
        memory
    }

    /// Finds a conversation's file in any directory below.
    pub(super) fn find(below: &Path, id: &str) -> Option<PathBuf> {
        for entry in fs::read_dir(below).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                if let Some(found) = Self::find(&path, id) {
                    return Some(found);
                }
            } else if path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with(id)) {
                return Some(path);
            }
        }
        None
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn user(&mut self, text: &str) {
        self.turns += 1;
        self.add(&json!({ "type": "user", "text": text }));
    }

    pub(super) fn tool_result(&mut self, text: &str) {
        self.tools += 1;
        self.add(&json!({ "type": "tool_result", "text": text }));
    }

    /// Notes a crash beside the conversation: whoever starts again may begin another one.
    pub(super) fn crash(&self) {
        self.add(&json!({ "type": "crash" }));
        fs::write(self.crash_mark(), "").expect("the crash can be noted");
    }

    pub(super) fn has_crashed(&self) -> bool {
        self.crash_mark().exists()
    }

    fn crash_mark(&self) -> PathBuf {
        self.path.with_file_name("crashed")
    }

    fn kinds(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter_map(|line| line["type"].as_str().map(str::to_owned)).collect()
    }

    fn add(&self, line: &Value) {
        let directory = self.path.parent().expect("a directory");
        fs::create_dir_all(directory).expect("a directory for conversations");
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut file| writeln!(file, "{line}")).expect("the conversation can be written");
    }
}
