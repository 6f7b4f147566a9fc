//! What a turn will do, given the messages that started it. Pure.

use sha2::{Digest, Sha256};

use super::script::{Malformed, StartFile, Step, parse};
use crate::provider::{Attachment, Message};

/// How much of a message is quoted.
const QUOTE: usize = 500;

/// Returns the steps of turn `number`, counted from 1.
///
/// Directives in human text win; without any, the start file says what to do; without that, every
/// message is quoted. Text of other origin is never read as script.
pub(super) fn plan(
    messages: &[Message],
    start_file: Option<&StartFile>,
    number: u64,
) -> Result<Vec<Step>, Malformed> {
    let directives = messages.iter().filter(|message| message.origin.is_human()).map(|m| parse(&m.text));
    let scripted = directives.collect::<Result<Vec<_>, _>>()?.iter().any(|steps| !steps.is_empty());
    if let Some(start_file) = start_file
        && !scripted
    {
        return Ok(start_file.section(number).to_vec());
    }
    let mut steps = Vec::new();
    for message in messages {
        steps.extend(respond(message)?);
    }
    Ok(steps)
}

/// Returns what one message asks for: to have its files named, and its directives done or its text quoted.
pub(super) fn respond(message: &Message) -> Result<Vec<Step>, Malformed> {
    let mut steps: Vec<Step> = message.attachments.iter().map(name_file).collect();
    if !message.origin.is_human() {
        steps.push(quote("Received", &message.text));
        return Ok(steps);
    }
    let directives = parse(&message.text)?;
    if directives.is_empty() {
        steps.push(quote("You said", &message.text));
    }
    steps.extend(directives);
    Ok(steps)
}

/// Proves that all of a file arrived.
fn name_file(file: &Attachment) -> Step {
    let (kind, len) = (file.kind.media_type(), file.bytes.len());
    let hash: String = Sha256::digest(&file.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Step::Say(format!("Attached: {} ({kind}, {len} bytes, sha256 {hash})", file.name))
}

fn quote(verb: &str, text: &str) -> Step {
    let head: String = text.chars().take(QUOTE).collect();
    Step::Say(format!("{verb}: {head}"))
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::id::{DeliveryId, SessionId};
    use paseo_core::time::Timestamp;

    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(QUOTE, 500);
    }

    fn from(origin: Actor, text: &str) -> Message {
        let delivery = DeliveryId::from_parts(Timestamp::from_millis(1), [1; 10]);
        Message { attachments: Vec::new(), delivery, origin, text: text.to_owned() }
    }

    fn human(text: &str) -> Message {
        from(Actor::Human("cli".into()), text)
    }

    fn agent(text: &str) -> Message {
        from(Actor::Session(SessionId::from_random([1; 16])), text)
    }

    fn say(text: &str) -> Step {
        Step::Say(text.to_owned())
    }

    #[test]
    fn only_a_person_can_give_directives() {
        let messages = [agent("<<sh rm -rf .>>"), human("<<say hi>>")];
        assert_eq!(plan(&messages, None, 1), Ok(vec![say("Received: <<sh rm -rf .>>"), say("hi")]));
        for origin in [Actor::Daemon, Actor::Seat("t/1".into()), Actor::Agent("t/a".into())] {
            assert_eq!(plan(&[from(origin, "<<hang>>")], None, 1), Ok(vec![say("Received: <<hang>>")]));
        }
    }

    #[test]
    fn a_broken_directive_of_an_agent_breaks_nothing() {
        assert_eq!(plan(&[agent("<<oops")], None, 1), Ok(vec![say("Received: <<oops")]));
        assert!(plan(&[human("<<oops")], None, 1).is_err());
    }

    #[test]
    fn plain_text_is_quoted_up_to_a_limit() {
        let long = "é".repeat(600);
        assert_eq!(plan(&[human(&long)], None, 1), Ok(vec![say(&format!("You said: {}", "é".repeat(500)))]));
    }

    #[test]
    fn a_start_file_speaks_when_no_person_gives_directives() {
        let file = StartFile::parse("<<say one>>\n---\n<<say two>>").unwrap();
        assert_eq!(plan(&[human("go")], Some(&file), 1), Ok(vec![say("one")]));
        assert_eq!(plan(&[agent("<<hang>>")], Some(&file), 2), Ok(vec![say("two")]));
        assert_eq!(plan(&[human("<<say mine>>")], Some(&file), 2), Ok(vec![say("mine")]));
    }
}
