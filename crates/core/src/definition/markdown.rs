//! Reading Markdown: fields between two lines `---`, then the prompt.

use super::node::{Node, Value};
use super::problem::Fault;
use super::yaml;

/// What a file is made of.
#[derive(Debug, PartialEq)]
pub(super) struct Document {
    pub(super) fields: Node,
    /// What stands below the fields, if anything does.
    pub(super) body: Option<String>,
}

/// Reads a text. Without fields all of it is the prompt.
pub(super) fn read(text: &str) -> Result<Document, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(inner) = opening(text) else {
        return Ok(Document { fields: Node { line: 1, value: Value::Table(Vec::new()) }, body: body(text) });
    };
    let mut place = 0;
    for line in inner.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let fields = yaml::read(&inner[..place], 1)?;
            return Ok(Document { fields, body: body(&inner[place + line.len()..]) });
        }
        place += line.len();
    }
    Err(Fault::error(1, "the front matter starts with `---` but never ends; add a line with `---` below it"))
}

/// Returns what follows the first line, when that opens the fields.
fn opening(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---")?;
    let (line, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    line.trim().is_empty().then_some(rest)
}

fn body(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_prompt_are_told_apart() {
        let document = read("---\r\nname: x\r\n---\r\n\r\nBe kind.\n---\nAlways.\n").unwrap();
        let Value::Table(entries) = document.fields.value else { panic!("a table") };
        assert_eq!((entries[0].name.as_str(), entries[0].line), ("name", 2));
        assert_eq!(document.body.as_deref(), Some("Be kind.\n---\nAlways."));
        assert_eq!(read("Be kind.\n").unwrap().body.as_deref(), Some("Be kind."));
        assert_eq!(read("---\n---\n").unwrap().body, None);
        assert_eq!(read("---\nname: x\n").unwrap_err().line, 1);
    }
}
