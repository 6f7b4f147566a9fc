//! The daemon is killed while an answer is checked and corrected: it goes on, checks and asks once.

use std::collections::BTreeMap;

use paseo_wire::change::SessionChange;
use paseo_wire::stream::Frame;
use paseo_wire::words::AnswerVerdict;

use crate::structured::{schema, script};
use crate::structured_people::{asked_to_correct, begin, corrected, settled};
use crate::watch::{Watched, next};

const TURNS: [&str; 3] =
    ["<<think first>><<say no>>", "<<think second>><<say never>>", "<<think third>><<say 7>>"];

#[tokio::test]
async fn a_check_goes_on_when_the_daemon_dies_at_any_step_of_it() {
    let watched = Watched::new();
    let mut corrected: BTreeMap<u8, usize> = BTreeMap::new();
    for step in 1.. {
        let (session, first) = begin(&watched, &TURNS).await;
        let mut events = watched.follow(&session, first.seq);
        let (mut stored, mut ended) = (0, false);
        let last = loop {
            match next(&mut events).await {
                Frame::Event(frame)
                    if matches!(
                        frame.change,
                        SessionChange::AnswerChecked { verdict: AnswerVerdict::Valid, .. }
                    ) =>
                {
                    break true;
                }
                Frame::Event(frame) => {
                    ended |= matches!(frame.change, SessionChange::TurnEnded { .. });
                    stored += 1;
                }
                Frame::Item(_) => stored += 1,
                _ => {}
            }
            if stored == step {
                break false;
            }
        };
        watched.crash();
        let view = settled(&watched, &session, &first.delivery).await;
        // Everything that ever happened, once more from the beginning.
        let mut events = watched.follow(&session, first.seq);
        let head = watched.client.status().await.unwrap().seq;
        watched.client.close(&session).await.unwrap();
        let (mut checked, mut asked): (BTreeMap<String, usize>, usize) = (BTreeMap::new(), 0);
        loop {
            let Frame::Event(event) = next(&mut events).await else { continue };
            match event.change {
                SessionChange::AnswerChecked { turn, .. } => *checked.entry(turn.into()).or_default() += 1,
                SessionChange::MessageAccepted { corrects: Some(_), .. } => asked += 1,
                SessionChange::Closed {} if event.seq > head => break,
                _ => {}
            }
        }
        assert!(checked.values().all(|times| *times == 1), "step {step}: checked twice: {checked:?}");
        assert!(asked <= 2, "step {step}: asked {asked} times");
        if view.stage == "interrupted".into() && view.check.is_none() {
            assert!(!ended, "step {step}: the first turn was over");
            continue;
        }
        let check = view.check.unwrap();
        assert_eq!((view.stage.as_str(), check.valid), ("answered", Some(true)), "step {step}: {check:#?}");
        assert_eq!(usize::from(check.corrections), asked, "step {step}");
        *corrected.entry(check.corrections).or_default() += 1;
        if last {
            break;
        }
    }
    // A turn that was cut off is a turn: the script went on with the next, which is right.
    assert!(corrected.values().sum::<usize>() > 8, "{corrected:?}");
    assert!(corrected.contains_key(&2), "{corrected:?}");
}

#[tokio::test]
async fn whoever_waits_gets_the_answer_although_the_daemon_died_in_the_middle_of_the_correction() {
    let watched = Watched::new();
    let turns = ["<<say no>>", "<<hang>>", "<<say {\"n\": 7}>>"];
    let (schema, script) = (schema(&watched.home), script(&watched.home, &turns));
    let run = watched.home.spawn(&["run", "--json", "--model", &script, "--output-schema", &schema, "count"]);
    let session = asked_to_correct(&watched).await;
    corrected(&mut watched.follow(&session, 0), 1).await;
    watched.crash();
    let output = tokio::task::spawn_blocking(move || paseo_testkit::home::finish(run)).await.unwrap();
    let ending: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &ending["answer"]), (0, &"{\"n\": 7}".into()), "{output:?}");
    assert_eq!(
        ending["check"]["corrections"], 1,
        "the correction that was cut off is asked again, and counted once"
    );
}
