//! The tour itself.

use paseo_wire::error::Exit;

use super::stage::Stage;
use crate::failure::Failure;

/// Gives the tour.
pub(super) async fn give(stage: &Stage) -> Result<(), Failure> {
    stage
        .chapter(
            "Paseo",
            "A small repository, a temporary home, and agents that follow scripts instead of a model.",
        )
        .await?;
    answer(stage).await?;
    background(stage).await?;
    permission(stage).await?;
    queue(stage).await?;
    crash(stage).await?;
    stage
        .chapter(
            "Done",
            "Start with `paseo run \"what to do\"`. To see which providers are ready: `paseo providers`.",
        )
        .await
}

async fn answer(stage: &Stage) -> Result<(), Failure> {
    stage
        .chapter("1. An answer", "Run an agent and wait. Progress goes to stderr, the answer to stdout.")
        .await?;
    stage
        .paseo(&["run", "--title", "fix", "--model", "../scripts/fix.script", "Fix the failing test"])
        .await?;
    stage.git_shown(&["diff", "--stat"]).await
}

async fn background(stage: &Stage) -> Result<(), Failure> {
    stage
        .chapter(
            "2. In the background",
            "-d prints a handle and returns. --ui shows the agent in the web app.",
        )
        .await?;
    let model = ["--model", "../scripts/document.script"];
    let words =
        ["run", "-d", "--ui", "--no-worktree", "--title", "document", model[0], model[1], "Document it"];
    let handle = stage.paseo(&words).await?;
    stage.paseo(&["wait", &handle]).await?;
    stage.paseo(&["read", &handle]).await?;
    stage.paseo(&["ls"]).await?;
    stage.paseo(&["ls", "--ui"]).await.map(drop)
}

async fn permission(stage: &Stage) -> Result<(), Failure> {
    stage
        .chapter("3. A permission", "An agent asks for permission and waits until a person decides.")
        .await?;
    let listed = stage.quietly(&["ls", "-q"]).await?;
    let handle = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
    stage.paseo_ending(&["send", &handle, "--wait", "Commit it"], Exit::WaitingForPermission).await?;
    stage.paseo(&["permit", "ls"]).await?;
    stage.paseo(&["permit", "allow", "--yes", &handle]).await?;
    stage.paseo(&["wait", &handle]).await?;
    stage.git_shown(&["log", "--oneline"]).await
}

async fn queue(stage: &Stage) -> Result<(), Failure> {
    stage
        .chapter(
            "4. Queue and interrupt",
            "A busy agent queues your messages. An interrupt goes first, and nothing is lost.",
        )
        .await?;
    let model = ["--model", "../scripts/survey.script"];
    let handle =
        stage.paseo(&["run", "-d", "--title", "survey", model[0], model[1], "Count the lines"]).await?;
    stage.until_it_speaks(&handle).await?;
    stage.paseo(&["send", &handle, "What about README.md?"]).await?;
    stage.paseo(&["why", &handle]).await?;
    stage.paseo(&["send", &handle, "--interrupt", "Only the scripts"]).await?;
    // Done is when nothing waits: between two turns an agent is idle for a moment.
    stage.paseo(&["send", &handle, "--wait", "Is that all?"]).await?;
    stage.paseo(&["logs", &handle]).await.map(drop)
}

async fn crash(stage: &Stage) -> Result<(), Failure> {
    stage
        .chapter("5. A crash", "Kill the daemon in the middle of a turn. Everything acknowledged is on disk.")
        .await?;
    let model = ["--model", "../scripts/refactor.script"];
    let handle =
        stage.paseo(&["run", "-d", "--title", "refactor", model[0], model[1], "Refactor it"]).await?;
    stage.until_it_speaks(&handle).await?;
    stage.kill_daemon().await?;
    stage.tell("The next command restarts it. Interrupted agents are shown as interrupted.").await?;
    stage.paseo(&["ls"]).await?;
    stage.paseo(&["why", &handle]).await?;
    stage.paseo(&["send", &handle, "--wait", "Go on"]).await.map(drop)
}
