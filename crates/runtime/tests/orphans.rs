//! What a killed shim leaves is ended, what we started is not. Apart from the other tests: all children of the
//! process are at stake.

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Command as Plain, Stdio};
    use std::sync::atomic::{AtomicBool, Ordering};

    use paseo_runtime::{git, orphans};
    use tokio::io::{AsyncBufReadExt, BufReader};
    use tokio::process::Command;

    #[allow(clippy::disallowed_methods)]
    fn plain_git(directory: &Path, arguments: &[&str]) {
        let identity =
            ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
        assert!(
            Plain::new("git")
                .args(identity)
                .args(arguments)
                .current_dir(directory)
                .status()
                .unwrap()
                .success()
        );
    }

    /// Leaves a process without a parent, as a killed shim does, and returns its id.
    #[allow(clippy::disallowed_methods)]
    async fn leave_an_orphan() -> u32 {
        let mut parent = Command::new("sh");
        parent.args(["-c", "sleep 600 </dev/null >/dev/null 2>&1 & echo $!"]).stdout(Stdio::piped());
        let mut parent = orphans::spawn(&mut parent).unwrap();
        let mut line = String::new();
        BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
        parent.wait().await.unwrap();
        line.trim().parse().unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    #[allow(clippy::disallowed_methods)]
    async fn only_what_we_did_not_start_is_ended() {
        let place = tempfile::TempDir::new().unwrap();
        let root = place.path().join("repo");
        std::fs::create_dir(&root).unwrap();
        plain_git(&root, &["init", "-q", "-b", "main"]);
        std::fs::write(root.join("file"), "one\n").unwrap();
        plain_git(&root, &["add", "-A"]);
        plain_git(&root, &["commit", "-qm", "First"]);

        orphans::adopt().unwrap();
        let mut ours = Command::new("sleep");
        let mut ours = orphans::spawn(ours.arg("600").kill_on_drop(true)).unwrap();
        let orphan = leave_an_orphan().await;
        assert!(Path::new(&format!("/proc/{orphan}")).exists());
        assert_eq!(orphans::end_all(Path::new("/no/such/paseo")), 1);
        assert!(!Path::new(&format!("/proc/{orphan}")).exists());
        assert!(ours.try_wait().unwrap().is_none(), "a child of ours was ended");

        // Worktrees come and go while orphans are ended all the time.
        static OVER: AtomicBool = AtomicBool::new(false);
        let ending = tokio::task::spawn_blocking(|| {
            while !OVER.load(Ordering::Relaxed) {
                orphans::end_all(Path::new("/no/such/paseo"));
            }
        });
        for n in 0..8 {
            let made = git::Worktree::create(git::NewWorktree {
                repository: git::repository(&root).await.unwrap().unwrap(),
                path: place.path().join(format!("worktree-{n}")),
                branch: format!("paseo/{n}").parse().unwrap(),
                base: None,
                include: true,
            })
            .await
            .unwrap();
            made.worktree.remove(git::Force::No).await.unwrap();
        }
        OVER.store(true, Ordering::Relaxed);
        ending.await.unwrap();
        assert!(ours.try_wait().unwrap().is_none(), "a child of ours was ended");
        ours.kill().await.unwrap();
    }
}
