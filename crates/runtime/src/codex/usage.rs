//! How many tokens a turn used.
//!
//! Codex counts up for the whole thread and says so after each request, sometimes twice, and once more when a
//! thread is resumed. So the differences of the totals count, not the reports.

use std::collections::HashMap;

use paseo_core::item::Usage;

use super::parse::{TokenUsage, Tokens};

/// The newest total of each thread.
#[derive(Debug, Default)]
pub(super) struct Meter(HashMap<String, Tokens>);

impl Meter {
    /// Takes in a report and returns what is new.
    pub(super) fn read(&mut self, thread: &str, usage: TokenUsage) -> Usage {
        let TokenUsage { total, last } = usage;
        let before = self.0.insert(thread.to_owned(), total);
        let new = match before {
            Some(before) if before.input_tokens <= total.input_tokens => Tokens {
                input_tokens: total.input_tokens - before.input_tokens,
                cached_input_tokens: total.cached_input_tokens.saturating_sub(before.cached_input_tokens),
                output_tokens: total.output_tokens.saturating_sub(before.output_tokens),
            },
            // The first that is heard of a thread, or one that restarted its count.
            _ => last,
        };
        Usage {
            input_tokens: new.input_tokens,
            cached_tokens: new.cached_input_tokens,
            output_tokens: new.output_tokens,
            cost_micros: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(input: u64, cached: u64, output: u64) -> Tokens {
        Tokens { input_tokens: input, cached_input_tokens: cached, output_tokens: output }
    }

    #[test]
    fn a_report_that_is_repeated_counts_once() {
        let mut meter = Meter::default();
        let first = TokenUsage { total: tokens(1000, 0, 30), last: tokens(1000, 0, 30) };
        let second = TokenUsage { total: tokens(2100, 500, 40), last: tokens(1100, 500, 10) };
        let sum = [first, second, second]
            .into_iter()
            .fold(Usage::default(), |sum, usage| sum.plus(meter.read("t", usage)));
        assert_eq!((sum.input_tokens, sum.cached_tokens, sum.output_tokens), (2100, 500, 40));
    }

    #[test]
    fn what_a_resumed_thread_used_before_does_not_count_and_threads_are_apart() {
        let mut meter = Meter::default();
        let resumed = TokenUsage { total: tokens(24_200, 8000, 80), last: tokens(6300, 2500, 10) };
        meter.read("t", resumed);
        let other = meter.read("child", TokenUsage { total: tokens(7, 0, 1), last: tokens(7, 0, 1) });
        assert_eq!(other.input_tokens, 7);
        let next = TokenUsage { total: tokens(24_300, 8000, 85), last: tokens(100, 0, 5) };
        assert_eq!(meter.read("t", next).input_tokens, 100);
        let anew = TokenUsage { total: tokens(50, 0, 5), last: tokens(50, 0, 5) };
        assert_eq!(meter.read("t", anew).input_tokens, 50);
    }
}
