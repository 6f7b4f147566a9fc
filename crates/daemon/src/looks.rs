//! Looking at files for people: on threads of their own, a few at a time, and never for long.
//!
//! What agents put into their directories may hang, such as a file system of their own. Whoever looks there is told,
//! and nobody else waits.

use std::sync::Arc;
use std::time::Duration;

use paseo_runtime::git;
use paseo_wire::error::Code;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::failure::Failure;

/// Most looks at a time.
const AT_ONCE: usize = 4;
/// How long one may take, with its wait for others.
const PATIENCE: Duration = Duration::from_secs(10);

/// The looks that are under way. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Looks {
    permits: Arc<Semaphore>,
}

impl Default for Looks {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl Looks {
    /// Looks. One that hangs keeps its place: a fifth is refused, and no other thread of the daemon is used up.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let looking = async {
            let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(Failure::internal)?;
            let looked = tokio::task::spawn_blocking(move || {
                let looked = look();
                drop(permit);
                looked
            });
            looked.await.map_err(Failure::internal)
        };
        timeout(PATIENCE, looking).await.unwrap_or_else(|_| Err(slow()))
    }
}

/// Waits for git.
pub(crate) async fn asked<T>(git: impl Future<Output = git::Result<T>>) -> Result<T, Failure> {
    match timeout(PATIENCE, git).await {
        Ok(Ok(told)) => Ok(told),
        Ok(Err(error)) => Err(Failure::new(Code::Conflict, error.to_string())
            .hint("run `git status` in the directory; `ignored=true` lists files without asking git")),
        Err(_) => Err(slow()),
    }
}

fn slow() -> Failure {
    Failure::new(Code::Overloaded, format!("the directory took longer than {} s to read", PATIENCE.as_secs()))
        .hint("try again; a file system there may not respond")
        .retry_after(PATIENCE.as_secs())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::task::JoinHandle;

    use super::*;

    /// Waits until a look has waited long enough. Time does not pass by itself while threads hang.
    async fn waited<T: Send + 'static>(looking: Vec<JoinHandle<T>>) -> Vec<T> {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(PATIENCE).await;
        let looked = futures_util::future::join_all(looking).await;
        looked.into_iter().map(|looked| looked.unwrap()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_hangs_takes_no_more_than_its_place() {
        let looks = Looks::default();
        let (hold, held) = mpsc::channel::<()>();
        let held = Arc::new(std::sync::Mutex::new(held));
        let look = |looks: &Looks| {
            let (looks, held) = (looks.clone(), Arc::clone(&held));
            tokio::spawn(async move { looks.look(move || drop(held.lock().map(|held| held.recv()))).await })
        };
        for hung in waited((0..AT_ONCE).map(|_| look(&looks)).collect()).await {
            assert_eq!(hung.unwrap_err().code, Code::Overloaded);
        }
        for late in waited(vec![look(&looks)]).await {
            assert_eq!(late.unwrap_err().code, Code::Overloaded, "all places are taken");
        }
        drop(hold);
        assert!(Arc::clone(&looks.permits).acquire_many_owned(AT_ONCE as u32).await.is_ok());
        assert_eq!(looks.look(|| 1).await.unwrap(), 1);
    }
}
