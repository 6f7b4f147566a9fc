//! `paseo why`, in every state an agent can be in.

use super::Screens;
use crate::{inspect, start_hanging};

fn why(handle: &str) -> Vec<String> {
    vec!["why".to_owned(), handle.to_owned()]
}

#[test]
fn of_an_agent_at_rest() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| why(&screens.settled(&["<<say hi>>"])));
    screens.show_fresh(|screens| {
        let closed = screens.settled(&["<<say hi>>"]);
        screens.home.paseo(&["close", &closed]).ok();
        why(&closed)
    });
    screens.compare("why_at_rest");
}

#[test]
fn of_an_agent_at_work() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| why(&start_hanging(&screens.home)));
    screens.show_fresh(|screens| {
        let busy = start_hanging(&screens.home);
        screens.home.paseo(&["send", &busy, "Also the docs"]).ok();
        screens.home.paseo(&["send", &busy, "And the changelog"]).ok();
        why(&busy)
    });
    screens.compare("why_at_work");
}

#[test]
fn of_an_agent_that_was_stopped() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| {
        let stopped = start_hanging(&screens.home);
        screens.home.paseo(&["send", &stopped, "Also the docs"]).ok();
        screens.home.paseo(&["stop", &stopped]).ok();
        why(&stopped)
    });
    screens.compare("why_stopped");
}

#[test]
fn of_an_agent_that_asks() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| why(&screens.settled(&["<<ask May I push to origin?>>"])));
    screens.show_fresh(|screens| why(&screens.settled(&["<<asks May I push? | May I tag the release?>>"])));
    screens.show_fresh(|screens| {
        why(&screens.settled(&["--permissions", "ask", "<<sh git push --force origin main>>"]))
    });
    screens.compare("why_asking");
}

#[test]
fn of_an_agent_that_reached_a_limit() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| why(&screens.settled(&["<<limit 7200000>>"])));
    screens.compare("why_limited");
}

#[test]
fn of_an_agent_that_failed() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| why(&screens.settled(&["<<fail The model refused to answer>>"])));
    screens.show_fresh(|screens| why(&screens.settled(&["<<crash 3>>"])));
    screens.show_fresh(|screens| {
        let interrupted = start_hanging(&screens.home);
        assert!(screens.home.kill_daemon());
        screens.home.paseo(&["up"]).ok();
        assert_eq!(inspect(&screens.home, &interrupted)["status"], "interrupted");
        why(&interrupted)
    });
    screens.compare("why_failed");
}
