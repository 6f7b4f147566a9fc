//! Stopping and steering a running turn.

use crate::bench::{Bench, Witness};
use crate::lacks::Lack;

pub(crate) fn a_stop_ends_the_command_and_the_next_message_works(bench: &mut Bench) {
    let witness = bench.witness();
    let handle = bench.start(&[], &format!("<<bash {} sleep 1000>><<say never>>", Witness::COMMAND));
    witness.up();
    bench.until(&handle, |item| item["kind"] == "tool_call");
    bench.home.paseo(&["stop", &handle]).ok();
    witness.gone();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]).ok();
    let view = bench.inspect(&handle);
    assert_eq!((&view["status"], &view["hold"]), (&"idle".into(), &"stopped".into()), "{view:#}");
    let results = bench.items_of(&handle, "tool_result");
    let outcome = results.last().map(|result| result["outcome"].clone());
    assert_eq!(outcome, Some("interrupted".into()), "{}", bench.transcript(&handle));
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on [turns="), "{answer}");
    assert!(!bench.transcript(&handle).contains("never ["));
}

pub(crate) fn a_steered_message_reaches_the_running_turn(bench: &mut Bench) {
    if bench.lacks(Lack::Steering) {
        return;
    }
    let witness = bench.witness();
    let gate = bench.gate();
    let prompt = format!("<<bash {} exec 9\\>&-; cat gate>><<say after>>", Witness::COMMAND);
    let handle = bench.start(&[], &prompt);
    witness.up();
    let steered = bench.home.paseo(&["send", &handle, "--steer", "mind the gap"]);
    assert_eq!(steered.code, 0, "{steered:?}");
    // The fake is so fast that its turn could end before the message is in its pipe.
    bench.until_read("mind the gap");
    gate.open();
    bench.wait_for_answer(&handle);
    let texts = bench.items_of(&handle, "user_text");
    assert!(texts.iter().any(|item| item["text"] == "mind the gap"), "{texts:#?}");
    assert_eq!(bench.inspect(&handle)["turns"], 1, "{}", bench.transcript(&handle));
    assert!(bench.told().contains("mind the gap"));
}
