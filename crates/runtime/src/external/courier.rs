//! The outcome of a message that is posted to an external agent. Pure: it is told what came of each attempt.

use std::time::Duration;

use paseo_core::backoff::Schedule;
use paseo_core::id::TurnId;
use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;

use crate::fresh::Ids;
use crate::judged::Posted;
use crate::provider::{Failed, FailureCode, Output, TurnEnd};

/// Nine attempts within about five minutes.
pub(super) const SCHEDULE: Schedule =
    Schedule { attempts: 9, first: Duration::from_secs(1), longest: Duration::from_secs(120) };

/// A turn on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Letter {
    pub(super) turn: TurnId,
    /// By which the agent knows a letter that comes again.
    pub(super) key: String,
    /// The same for each attempt.
    pub(super) body: Vec<u8>,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    Post(Letter),
    /// Calls [`Courier::wake`] after this long.
    Wake(Duration),
    Tell(Output),
}

/// The courier of one session.
#[derive(Debug)]
pub(super) struct Courier {
    schedule: Schedule,
    ids: Ids,
    /// The letter that is not taken yet, and how often it was tried.
    carried: Option<(Letter, u32)>,
    /// The turn that the agent has.
    taken: Option<TurnId>,
}

impl Courier {
    pub(super) fn new(schedule: Schedule, ids: Ids) -> Self {
        Self { schedule, ids, carried: None, taken: None }
    }

    /// Takes a new letter. One that was not taken yet is given up: its turn is over.
    pub(super) fn carry(&mut self, letter: Letter) -> Vec<Action> {
        self.taken = None;
        self.carried = Some((letter.clone(), 1));
        vec![Action::Post(letter)]
    }

    /// Takes in what came of the last attempt. `jitter` is random.
    pub(super) fn posted(&mut self, posted: Posted, now: Timestamp, jitter: u32) -> Vec<Action> {
        let Some((letter, made)) = self.carried.take() else { return Vec::new() };
        let turn = letter.turn;
        match posted {
            Posted::Answered { status: 200..=299, .. } => {
                self.taken = Some(turn);
                vec![Action::Tell(Output::Handed { turn })]
            }
            Posted::Answered { status: 408 | 425 | 429 | 500..=599, words, retry_after } => self.again(
                letter,
                made,
                format!("the server responded with {words}"),
                retry_after,
                now,
                jitter,
            ),
            Posted::Answered { status, words, .. } => {
                let why = if matches!(status, 300..=399) { "; redirects are not followed" } else { "" };
                let text = format!(
                    "the external agent rejected this message: the server responded with {words}{why}"
                );
                // It was there, and will not be asked the same again.
                vec![Action::Tell(Output::Handed { turn }), failed(turn, "external_refused", text)]
            }
            Posted::Unreachable(why) => self.again(letter, made, why, None, now, jitter),
            Posted::Forbidden(why) => vec![failed(turn, "external_address", why)],
        }
    }

    /// Tries again.
    pub(super) fn wake(&mut self) -> Vec<Action> {
        let Some((letter, made)) = &mut self.carried else { return Vec::new() };
        *made += 1;
        vec![Action::Post(letter.clone())]
    }

    /// Gives up whatever runs. What is answered all the same comes late.
    pub(super) fn interrupt(&mut self) -> Vec<Action> {
        let carried = self.carried.take().map(|(letter, _)| letter.turn);
        let turn = carried.or(self.taken.take());
        let ended = |turn| Action::Tell(Output::TurnEnded { turn, end: TurnEnd::Interrupted });
        turn.map(ended).into_iter().collect()
    }

    fn again(
        &mut self,
        letter: Letter,
        made: u32,
        why: String,
        asked: Option<Duration>,
        now: Timestamp,
        jitter: u32,
    ) -> Vec<Action> {
        let Some(wait) = self.schedule.wait(made, jitter, asked) else {
            let text = format!(
                "could not reach the external agent in {made} attempts: {why}. The message is held and \
                 sent with the next one"
            );
            return vec![failed(letter.turn, "external_unreachable", text)];
        };
        self.carried = Some((letter, made));
        let mut actions = vec![Action::Wake(wait)];
        // Once in a turn is enough.
        if made == 1 {
            let text = format!(
                "Could not reach the external agent: {why}. Retrying up to {} times within about {} minutes.",
                self.schedule.attempts - 1,
                self.schedule.span().as_secs().div_ceil(60),
            );
            let draft = Draft::text(Kind::Notice { code: "external_retry".to_owned() }, text);
            actions.push(Action::Tell(Output::Item { id: self.ids.item(now), step: 0, parent: None, draft }));
        }
        actions
    }
}

fn failed(turn: TurnId, code: &str, text: String) -> Action {
    let failed = Failed { code: FailureCode::Own(code.to_owned()), text, until: None };
    Action::Tell(Output::TurnEnded { turn, end: TurnEnd::Failed(failed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(number: u8) -> Letter {
        let turn = TurnId::from_parts(Timestamp::from_millis(7), [number; 10]);
        Letter { turn, key: turn.to_string(), body: vec![number] }
    }

    fn courier() -> Courier {
        Courier::new(SCHEDULE, Ids::from_seed([0; 32]))
    }

    fn status(status: u16) -> Posted {
        Posted::Answered { status, words: format!("{status} Word"), retry_after: None }
    }

    fn post(courier: &mut Courier, posted: Posted) -> Vec<Action> {
        courier.posted(posted, Timestamp::from_millis(9), u32::MAX)
    }

    fn code(action: &Action) -> &str {
        match action {
            Action::Tell(Output::TurnEnded { end: TurnEnd::Failed(failed), .. }) => failed.code.word(),
            action => panic!("{action:?}"),
        }
    }

    #[test]
    fn what_is_acknowledged_is_handed_and_nothing_more() {
        for acknowledged in [200, 202, 204, 299] {
            let mut courier = courier();
            assert_eq!(courier.carry(letter(1)), [Action::Post(letter(1))]);
            let handed = Action::Tell(Output::Handed { turn: letter(1).turn });
            assert_eq!(post(&mut courier, status(acknowledged)), [handed]);
            assert_eq!(courier.wake(), []);
        }
    }

    #[test]
    fn a_server_in_trouble_is_tried_again_with_the_same_letter_and_one_notice() {
        for trouble in
            [status(408), status(425), status(429), status(500), status(503), Posted::Unreachable("x".into())]
        {
            let mut courier = courier();
            courier.carry(letter(1));
            let first = post(&mut courier, trouble.clone());
            assert_eq!(first[0], Action::Wake(Duration::from_secs(1)));
            let [_, Action::Tell(Output::Item { draft, .. })] = &first[..] else { panic!("{first:?}") };
            assert!(
                draft.text.as_ref().unwrap().contains("up to 8 times within about 5 minutes"),
                "{draft:?}"
            );
            for wait in [2, 4, 8, 16, 32, 64, 120] {
                assert_eq!(courier.wake(), [Action::Post(letter(1))]);
                assert_eq!(post(&mut courier, trouble.clone()), [Action::Wake(Duration::from_secs(wait))]);
            }
            assert_eq!(courier.wake(), [Action::Post(letter(1))]);
            let last = post(&mut courier, trouble);
            assert_eq!(
                (last.len(), code(&last[0])),
                (1, "external_unreachable"),
                "its messages go back to the queue"
            );
            assert_eq!(courier.wake(), []);
        }
    }

    #[test]
    fn it_is_left_alone_for_as_long_as_it_asks() {
        let mut courier = courier();
        courier.carry(letter(1));
        let asked = Some(Duration::from_secs(17));
        let busy = Posted::Answered { status: 429, words: String::new(), retry_after: asked };
        assert_eq!(post(&mut courier, busy)[0], Action::Wake(Duration::from_secs(17)));
    }

    #[test]
    fn a_refusal_is_final_and_the_next_letter_goes_out() {
        for refusal in [301, 307, 400, 401, 403, 404, 410, 413, 418] {
            let mut courier = courier();
            courier.carry(letter(1));
            let actions = post(&mut courier, status(refusal));
            assert_eq!(
                actions[0],
                Action::Tell(Output::Handed { turn: letter(1).turn }),
                "it is not posted again"
            );
            assert_eq!(code(&actions[1]), "external_refused");
            assert_eq!(courier.carry(letter(2)), [Action::Post(letter(2))]);
        }
        let mut courier = courier();
        courier.carry(letter(1));
        assert_eq!(code(&post(&mut courier, Posted::Forbidden("no".into()))[0]), "external_address");
    }

    #[test]
    fn an_interrupt_ends_whatever_runs() {
        let ended = Action::Tell(Output::TurnEnded { turn: letter(1).turn, end: TurnEnd::Interrupted });
        let mut posting = courier();
        posting.carry(letter(1));
        assert_eq!(posting.interrupt(), std::slice::from_ref(&ended));
        assert_eq!(post(&mut posting, status(200)), [], "what comes of it afterwards is nobody's");
        let mut waiting = courier();
        waiting.carry(letter(1));
        post(&mut waiting, status(200));
        assert_eq!(waiting.interrupt(), [ended]);
        assert_eq!(waiting.interrupt(), []);
    }
}
