//! Teams: leases end on time, however many there are.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use paseo_wire::id::TaskId;
use paseo_wire::team::{NoticePage, NoticeView, TaskAnswer, TeamAnswer};
use paseo_wire::words::NoticeKind;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::Connection;
use crate::report::{Limit, Row};
use crate::statistics::percentile;

/// Leases that live on while others end, and those that end.
const LIVE: usize = 10_000;
const ENDING: usize = 100;
/// How many of them are one team's.
const OF_A_TEAM: usize = 1_000;
const LATE_MS: f64 = 100.0;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let mut connection = Connection::open(&daemon.socket);
    let teams: Vec<String> = (0..LIVE.div_ceil(OF_A_TEAM)).map(|number| format!("team-{number}")).collect();
    for team in &teams {
        let _: TeamAnswer = post(&mut connection, "/api/teams", &json!({ "id": team }));
        for _ in 0..OF_A_TEAM {
            lease(&mut connection, team, 3_600_000);
        }
    }
    let ending = &teams[0];
    let (_, mut cursor) = audit(&mut connection, ending, 0);
    let expected: Vec<(TaskId, i64)> =
        (0..ENDING).map(|number| lease(&mut connection, ending, 2_000 + 20 * number as i64)).collect();
    let mut ended = HashMap::new();
    while ended.len() < ENDING {
        thread::sleep(Duration::from_millis(100));
        let (notices, next) = audit(&mut connection, ending, cursor);
        cursor = next;
        let expired = notices.into_iter().filter(|notice| notice.kind == NoticeKind::TaskExpired);
        ended.extend(expired.filter_map(|notice| Some((notice.task?, notice.ts.as_millis()))));
    }
    let late: Vec<f64> = expected.iter().map(|(task, due)| (ended[task] - due) as f64).collect();
    let (soonest, latest) = (percentile(&late, 0.0), percentile(&late, 1.0));
    let name = format!("teams: the end of a lease beside {LIVE} others, latest");
    let measured = format!("{latest:.0} ms late (median {:.0})", percentile(&late, 0.5));
    // One that ends too early was no lease.
    let ratio = if soonest < 0.0 { f64::INFINITY } else { latest / LATE_MS };
    vec![Row::ratio(&name, measured, format!("{LATE_MS} ms"), ratio, Limit::AtMost(1.0))]
}

/// Makes a task and claims it; returns its id and when the lease ends.
fn lease(connection: &mut Connection, team: &str, ttl_ms: i64) -> (TaskId, i64) {
    let tasks = format!("/api/teams/{team}/tasks");
    let made: TaskAnswer = post(connection, &tasks, &json!({ "title": "one of many" }));
    let task = made.task.id;
    let claimed: TaskAnswer =
        post(connection, &format!("{tasks}/{task}/claim"), &json!({ "ttl_ms": ttl_ms }));
    (task, claimed.task.lease.expect("a lease").expires_at.as_millis())
}

/// Returns what happened in a team after a cursor, and the cursor to go on from.
fn audit(connection: &mut Connection, team: &str, mut after: u64) -> (Vec<NoticeView>, u64) {
    let mut found = Vec::new();
    loop {
        let page = connection.request("GET", &format!("/api/teams/{team}/audit?after={after}&limit=500"), "");
        let page: NoticePage = serde_json::from_slice(&page).expect("a page");
        after = page.notices.last().map_or(after, |notice| notice.cursor);
        found.extend(page.notices);
        if page.next.is_none() {
            return (found, after);
        }
    }
}

fn post<T: DeserializeOwned>(connection: &mut Connection, path: &str, body: &Value) -> T {
    serde_json::from_slice(&connection.request("POST", path, &body.to_string())).expect("an answer")
}
