//! How much JavaScript the first page needs.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Options;
use crate::report::Row;

const NAME: &str = "page: JavaScript, gzipped";

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let Ok(page) = fs::read_to_string(options.ui.join("index.html")) else {
        return vec![Row::skipped(NAME, "the web app is not built")];
    };
    // Whatever stands in quotes and is a script: sources and those that are to be loaded ahead.
    let mut scripts: Vec<&str> = page.split(['"', '\'']).filter(|word| word.ends_with(".js")).collect();
    scripts.sort_unstable();
    scripts.dedup();
    let bytes: usize = scripts.iter().map(|script| gzipped(&options.ui, script)).sum();
    vec![Row::bar(NAME, bytes as f64 / 1024.0, 120.0, "KB")]
}

fn gzipped(ui: &Path, script: &str) -> usize {
    // The page may be served under a path that is no folder.
    let words: Vec<&str> = script.split('/').collect();
    let file = (0..words.len())
        .map(|from| ui.join(words[from..].join("/")))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{script} is not there"));
    let input = fs::File::open(file).expect("a script");
    let output = Command::new("gzip").args(["-9", "-c"]).stdin(Stdio::from(input)).output().expect("gzip");
    assert!(output.status.success());
    output.stdout.len()
}
