//! What a process has cost so far, to tell what each turn cost.
//!
//! The program tells sums. After a clean exit the next process goes on from the old sum, after a crash from an older
//! one or from nothing: so one that continues a conversation is asked where it begins.

use serde_json::Value;

/// The name of our question.
pub(super) const REQUEST: &str = "cost-before";

/// The sum so far.
#[derive(Debug)]
pub(super) struct Cost {
    /// In dollars; `None` while it is not known.
    total: Option<f64>,
    /// The model has spoken, so what the program tells now is not where it began.
    spent: bool,
}

impl Cost {
    /// A conversation that is new begins with nothing.
    pub(super) fn new(resumed: bool) -> Self {
        Self { total: (!resumed).then_some(0.0), spent: false }
    }

    /// Says whether the program has to be asked.
    pub(super) fn is_unknown(&self) -> bool {
        self.total.is_none()
    }

    /// Notes that the model says something.
    pub(super) fn spend(&mut self) {
        self.spent = true;
    }

    /// Takes in the answer to our question. One that comes too late says nothing.
    pub(super) fn answered(&mut self, answer: &Value) {
        let total = answer.pointer("/session/total_cost_usd").and_then(Value::as_f64);
        if !self.spent && self.total.is_none() {
            self.total = total;
        }
    }

    /// Takes in the sum at the end of a turn and returns what the turn cost, in millionths of a dollar.
    pub(super) fn turn(&mut self, total: Option<f64>) -> Option<u64> {
        let (total, before) = (total?, self.total);
        self.total = Some(total);
        // A cast of a float saturates.
        before.map(|before| ((total - before).max(0.0) * 1e6).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(total: f64) -> Value {
        json!({ "session": { "total_cost_usd": total } })
    }

    #[test]
    fn a_turn_costs_what_the_sum_grows_by() {
        let mut cost = Cost::new(false);
        assert_eq!(cost.turn(Some(0.01875)), Some(18_750));
        assert_eq!(cost.turn(None), None);
        assert_eq!(cost.turn(Some(0.02625)), Some(7_500));
    }

    #[test]
    fn a_process_that_goes_on_from_an_old_sum_costs_only_what_is_new() {
        let mut cost = Cost::new(true);
        assert!(cost.is_unknown());
        cost.answered(&answer(0.01605));
        cost.spend();
        assert_eq!(cost.turn(Some(0.0258)), Some(9_750));
    }

    #[test]
    fn what_is_not_known_is_not_made_up() {
        let mut late = Cost::new(true);
        late.spend();
        late.answered(&answer(0.02));
        assert_eq!(late.turn(Some(0.0258)), None);
        assert_eq!(late.turn(Some(0.0358)), Some(10_000));
    }
}
