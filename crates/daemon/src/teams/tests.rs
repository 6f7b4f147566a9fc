//! Many leases at once, and many who speak while a team is closed.

use paseo_core::actor::Actor;
use paseo_core::team::{self, Event, Member, TaskCreated, TaskId, TeamId};
use paseo_core::time::Timestamp;

use super::*;
use crate::http::tests::House;
use crate::journal::Entries;
use crate::mint;
use crate::stop::Stop;

const LEASES: u32 = 10_000;
const SHORT: TaskId = TaskId(5_000);

/// Beside ten thousand leases, taken up after a restart, one ends soon: that is noted when it does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_leases_ends_on_time() {
    let house = House::new().await;
    let app = &house.app;
    let (id, by): (TeamId, Actor) = ("red".parse().unwrap(), Actor::Human("cli".into()));
    let last = Timestamp::from_millis(mint::now().as_millis() + 3_600_000);
    let mut events = vec![team::found(id.clone(), None, Vec::new(), by.clone()).unwrap()];
    for number in 1..=LEASES {
        let task = TaskId(number);
        events.push(Event::TaskCreated(Box::new(TaskCreated {
            task,
            title: "one of many".into(),
            description: None,
            deps: Vec::new(),
            resources: Vec::new(),
            by: "ann".into(),
        })));
        if number == SHORT.0 {
            continue;
        }
        let expires_at = last;
        events.push(Event::Claimed { task, holder: "ann".into(), epoch: 1, ttl_ms: 3_600_000, expires_at });
    }
    let log = &app.sessions.context.journal.log;
    let mut version = 0;
    for some in events.chunks(5_000) {
        let batch = Entries::by(&by).stream(team::stream(&id), version, some).into_batch();
        log.append(batch).await.unwrap();
        version += some.len() as u64;
    }
    let teams = Teams::load(app.sessions.clone(), app.threads.clone()).await.unwrap();
    assert_eq!(teams.get(&id).await.unwrap().held.len(), LEASES as usize - 1);
    let stop = Stop::default();
    let keeping = tokio::spawn(teams.clone().keep_time(stop.clone()));
    let acting = Acting { actor: by, agent: None };
    let team = teams.act(&acting, &id, SHORT, Act::Claim { ttl: Some(2_000) }).await.unwrap();
    let ends = team.tasks[&SHORT].lease.as_ref().unwrap().expires_at.as_millis();
    version += 1;
    let mut head = log.watch();
    let expired = loop {
        let records = log.read_stream(&team::stream(&id), version, 10).await.unwrap();
        if let Some(record) = records.into_iter().next() {
            break record;
        }
        head.changed().await.unwrap();
    };
    assert_eq!(expired.kind, "task.expired");
    assert!(expired.data.unwrap().contains("task-5000"));
    let late = expired.ts - ends;
    // 100 ms is what it takes at most when it is built to be fast and has the machine for itself.
    assert!((0..1_000).contains(&late), "{late} ms late");
    assert_eq!(teams.get(&id).await.unwrap().held.len(), LEASES as usize - 1);
    stop.request();
    keeping.await.unwrap();
}

/// Waits for the next event of a team after a version.
async fn next(house: &House, id: &TeamId, version: u64) -> paseo_store::Record {
    let log = &house.app.sessions.context.journal.log;
    let mut head = log.watch();
    let found = async {
        loop {
            let records = log.read_stream(&team::stream(id), version, 10).await.unwrap();
            if let Some(record) = records.into_iter().next() {
                return record;
            }
            head.changed().await.unwrap();
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), found).await.expect("something happens")
}

/// The client is gone before its claim is stored, and the lease ends on time all the same.
#[tokio::test]
async fn a_claim_whose_client_hangs_up_ends_on_time() {
    let house = House::new().await;
    let teams = house.app.teams.clone();
    let (id, acting) = red(&teams, &[]).await;
    let wanted = NewTask { title: "short".into(), ..NewTask::default() };
    let (team, task, _) = teams.create_task(&acting, &id, wanted, None).await.unwrap();
    let stop = Stop::default();
    let keeping = tokio::spawn(teams.clone().keep_time(stop.clone()));
    let mut claim = Box::pin(teams.act(&acting, &id, task, Act::Claim { ttl: Some(1_000) }));
    assert!(futures_util::FutureExt::now_or_never(&mut claim).is_none());
    drop(claim);
    assert_eq!(next(&house, &id, team.version).await.kind, "task.claimed");
    assert_eq!(next(&house, &id, team.version + 1).await.kind, "task.expired");
    stop.request();
    keeping.await.unwrap();
}

/// The timer is set under the team's lock, so that an older state never comes after a newer one.
#[tokio::test]
async fn what_came_of_a_change_is_told_before_the_next_one() {
    let house = House::new().await;
    let teams = house.app.teams.clone();
    let (id, acting) = red(&teams, &[]).await;
    let mut alone = None;
    let done = teams.desk.change_then(
        &acting.actor,
        &id,
        None,
        |_, change| {
            change.events.push(Event::Closed { by: "user".into() });
            Ok(())
        },
        |()| String::new(),
        |team, ()| {
            assert!(team.closed_at.is_some());
            alone = Some(futures_util::FutureExt::now_or_never(teams.hold(&id)).is_none());
        },
    );
    done.await.unwrap();
    assert_eq!(alone, Some(true));
}

/// Of teams that people would take for each other, one is made, even in the same instant.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn teams_that_differ_in_case_are_not_made_at_once() {
    let house = House::new().await;
    let teams = &house.app.teams;
    let made = ["blue", "Blue", "bLue", "blUe", "BLUE"].map(|id| {
        let teams = teams.clone();
        tokio::spawn(async move {
            teams.create(&Actor::Human("cli".into()), &id.parse().unwrap(), None, Vec::new()).await
        })
    });
    let mut winners = Vec::new();
    for made in made {
        match made.await.unwrap() {
            Ok(team) => winners.push(team.id.clone()),
            Err(failure) => assert_eq!(failure.code, Code::Conflict, "{failure:?}"),
        }
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
}

/// Makes the team red, with these agents.
async fn red(teams: &Teams, agents: &[&str]) -> (TeamId, Acting) {
    let (id, by): (TeamId, Actor) = ("red".parse().unwrap(), Actor::Human("cli".into()));
    let member = Member { role: team::WORKER.into(), model: None, session: None };
    let enrolled = |id: &&str| Enrolled { id: (*id).to_owned(), member: member.clone(), by: None };
    teams.create(&by, &id, None, agents.iter().map(enrolled).collect()).await.unwrap();
    (id, Acting { actor: by, agent: None })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_gets_into_a_team_that_is_just_being_closed() {
    let house = House::new().await;
    let teams = house.app.teams.clone();
    let (id, acting) = red(&teams, &[]).await;
    let wanted = NewThread { title: "Talk".into(), ..NewThread::default() };
    let (_, alias) = teams.start_thread(&acting, &id, wanted).await.unwrap();
    let posts: Vec<_> = (0..64)
        .map(|number| {
            let (teams, acting, id) = (teams.clone(), acting.clone(), id.clone());
            tokio::spawn(async move { teams.post(&acting, &id, alias, &format!("post {number}")).await })
        })
        .collect();
    // Once the first is there the others wait for their turn, and have looked whether the team is open.
    let log = &house.app.sessions.context.journal.log;
    let mut head = log.watch();
    while log.read_stream(&team::stream(&id), 2, 1).await.unwrap().is_empty() {
        head.changed().await.unwrap();
    }
    teams.close(&acting, &id).await.unwrap();
    let mut said = 0;
    for post in posts {
        said += usize::from(post.await.unwrap().is_ok());
    }
    let records = log.read_stream(&team::stream(&id), 0, 500).await.unwrap();
    let kinds: Vec<&str> = records.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds.last(), Some(&"team.closed"), "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == "team.thread_posted").count(), said);
}

#[tokio::test]
async fn tokens_end_once_it_is_noted_that_their_agent_left_and_at_the_latest_at_the_next_start() {
    let house = House::new().await;
    let (teams, context) = (&house.app.teams, &house.app.sessions.context);
    let (id, acting) = red(teams, &["ann", "ben"]).await;
    for agent in ["ann", "ben", "gone"] {
        let (name, sha256) = (agent.to_owned(), agent.to_owned());
        let (token, actor) = (mint::token(), Actor::Agent(format!("red/{agent}")));
        let created =
            paseo_core::settings::Event::TokenCreated { token, name, actor, sha256, directory: None };
        context.settings.change(&context.journal, &acting.actor, created).await.unwrap();
    }
    let names = || {
        let settings = context.settings.get();
        let mut names: Vec<String> = settings.tokens.values().map(|token| token.name.clone()).collect();
        names.sort();
        names
    };
    teams.take_out(&acting, &id, "ann").await.unwrap();
    assert_eq!(names(), ["ben", "gone"]);
    let records = context.journal.log.read(0, 500).await.unwrap();
    let place = |kind: &str| records.iter().position(|record| record.kind == kind).unwrap();
    assert!(place("team.left") < place("token.revoked"));
    // A daemon ended before the token of one who left was.
    teams.revoke_leftovers().await.unwrap();
    assert_eq!(names(), ["ben"]);
    teams.close(&acting, &id).await.unwrap();
    assert_eq!(names(), Vec::<String>::new());
}
