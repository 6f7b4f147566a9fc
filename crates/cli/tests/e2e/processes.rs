//! No process outlives the agent that started it, however it was started.

use std::sync::Arc;

use crate::watch::{Watched, shows, until};

/// Children that ignore SIGTERM, leave their session and their parent, and keep forking.
const STUBBORN: &str = r#"<<sh trap '' TERM INT HUP
(setsid sh -c 'trap "" TERM; sleep 4001 & sleep 4002' &)
sh -c 'trap "" TERM; sleep 4003' &
setsid -f sh -c 'while :; do sleep 4004 & wait; done'
echo started; wait>>"#;

const CYCLES: usize = 200;
const AT_ONCE: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_stubborn_shells_leave_nothing_behind() {
    let watched = Arc::new(Watched::new());
    let tasks: Vec<_> = (0..AT_ONCE)
        .map(|worker| {
            let watched = Arc::clone(&watched);
            tokio::spawn(async move {
                for cycle in 0..CYCLES / AT_ONCE {
                    let created = watched.create(STUBBORN).await;
                    let session = &created.session.id;
                    let mut events = watched.follow(session, created.receipt.unwrap().seq);
                    until(&mut events, |frame| shows(frame, "started")).await;
                    match (worker + cycle) % 3 {
                        0 => drop(watched.client.close(session).await.unwrap()),
                        1 => drop(watched.client.delete_session(session, true).await.unwrap()),
                        _ => {
                            watched.client.stop(session).await.unwrap();
                            assert_eq!(watched.settled(session).await, "idle");
                        }
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    watched.home.paseo(&["down"]).ok();
    assert_eq!(watched.home.processes(), Vec::<u32>::new());
}

#[tokio::test]
async fn a_shim_that_is_stopped_is_ended_all_the_same() {
    let watched = Watched::new();
    // The shell's parent is the agent, whose parent is the shim.
    let script = "<<sh kill -STOP $(cut -d ' ' -f 4 /proc/$PPID/stat); echo stopped; sleep 4010>>";
    let created = watched.create(script).await;
    let mut events = watched.follow(&created.session.id, created.receipt.unwrap().seq);
    until(&mut events, |frame| shows(frame, "stopped")).await;
    watched.client.close(&created.session.id).await.unwrap();
    watched.home.paseo(&["down"]).ok();
    assert_eq!(watched.home.processes(), Vec::<u32>::new());
}
