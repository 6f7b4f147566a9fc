//! Which part of an answer is its JSON document.

/// Why an answer has no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotADocument {
    #[error("the answer is empty; expected one JSON document")]
    Empty,
    #[error("the code block is not the whole answer; expected one JSON document and nothing else")]
    Unclosed,
}

/// Returns the JSON document of an answer: all of it, or what is in the one fenced code block that is all of it. White space
/// around either does not count. Whether it is JSON is not looked at.
pub fn document(answer: &str) -> Result<&str, NotADocument> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Err(NotADocument::Empty);
    }
    let rest = answer.trim_start_matches('`');
    let fence = &answer[..answer.len() - rest.len()];
    if fence.len() < 3 {
        return Ok(answer);
    }
    let (info, rest) = rest.split_once('\n').ok_or(NotADocument::Unclosed)?;
    let (inside, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    if info.contains('`') || last.trim() != fence {
        return Err(NotADocument::Unclosed);
    }
    match inside.trim() {
        "" => Err(NotADocument::Empty),
        document => Ok(document),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_stands_alone_or_in_one_code_block() {
        for answer in [
            "{\"a\":1}",
            "  {\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "\n```\n{\"a\":1}\n```\n",
            "```JSON\r\n{\"a\":1}\r\n```",
            "````json\n{\"a\":1}\n````",
        ] {
            assert_eq!(document(answer), Ok("{\"a\":1}"), "{answer:?}");
        }
        // A string may hold what looks like the end of a block.
        assert_eq!(document("```json\n\"```\"\n```"), Ok("\"```\""));
    }

    #[test]
    fn words_around_a_code_block_are_not_left_out() {
        assert_eq!(document("Here:\n```json\n1\n```"), Ok("Here:\n```json\n1\n```"));
        for answer in
            ["```json\n1\n```\nThat is it.", "```json\n1", "```json", "```json 1```", "````\n1\n```"]
        {
            assert_eq!(document(answer), Err(NotADocument::Unclosed), "{answer:?}");
        }
        for answer in ["", " \n", "```\n\n```", "```json\n```"] {
            assert_eq!(document(answer), Err(NotADocument::Empty), "{answer:?}");
        }
    }
}
