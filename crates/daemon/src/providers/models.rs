//! Which models a provider offers: asked for once, and kept for a short time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use paseo_runtime::models::{Ask, Error, Offered};
use paseo_runtime::provider::{Access, Provider};

/// How long an answer is good for. Keys and servers are only read at a start of the daemon.
const KEPT: Duration = Duration::from_secs(60);

/// What providers said last. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Models {
    kept: Arc<Mutex<BTreeMap<String, Slot>>>,
}

/// The answer of one provider. Concurrent callers wait for the same.
type Slot = Arc<tokio::sync::Mutex<Option<(Instant, Offered)>>>;

impl Models {
    /// Asks a provider, or returns what it said a moment ago. Of the keys the first is tried that can be used, when the
    /// environment holds none.
    pub(crate) async fn of(
        &self,
        provider: &dyn Provider,
        removed: Vec<String>,
        key: impl FnOnce() -> Option<Access>,
    ) -> Result<Offered, Error> {
        let slot = Arc::clone(self.kept.lock().entry(provider.name().to_owned()).or_default());
        let mut kept = slot.lock().await;
        if let Some((asked, offered)) = &*kept
            && asked.elapsed() < KEPT
        {
            return Ok(offered.clone());
        }
        let ask = Ask { access: None, removed };
        let offered = match provider.models(ask.clone()).await {
            Err(Error::Unset(unset)) => match key() {
                Some(access) => provider.models(Ask { access: Some(access), ..ask }).await?,
                None => return Err(Error::Unset(unset)),
            },
            told => told?,
        };
        *kept = Some((Instant::now(), offered.clone()));
        Ok(offered)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use paseo_runtime::models::{Model, Source};
    use paseo_runtime::provider::{
        BoxFuture, Broken, Capabilities, Check, Harness, Launch, Readiness, StartError,
    };
    use paseo_runtime::scripted::Scripted;

    use super::*;

    /// A provider that needs a key, fails as often as it is told to, and counts.
    #[derive(Default)]
    struct Fake {
        asked: AtomicUsize,
        failures: usize,
    }

    impl Provider for Fake {
        fn name(&self) -> &str {
            "fake"
        }

        fn capabilities(&self) -> Capabilities {
            Scripted.capabilities()
        }

        fn readiness(&self) -> Readiness {
            Readiness::Ready { program: None }
        }

        fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
            Box::pin(async { Ok(None) })
        }

        fn check(&self, _: &Check) -> Result<(), StartError> {
            Ok(())
        }

        fn models(&self, ask: Ask) -> BoxFuture<'_, Result<Offered, Error>> {
            Box::pin(async move {
                let Some(access) = ask.access else {
                    return Err(Error::Unset(StartError { message: "needs a key".to_owned(), hint: None }));
                };
                tokio::task::yield_now().await;
                if self.asked.fetch_add(1, Ordering::SeqCst) < self.failures {
                    return Err(Error::Status("server".to_owned(), 500));
                }
                let model = Model { id: access.key, ..Model::default() };
                Ok(Offered { source: Source::Endpoint, models: vec![model], truncated: false })
            })
        }

        fn start(&self, _: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
            Box::pin(async { Err(StartError { message: "only a fake".to_owned(), hint: None }) })
        }
    }

    fn key() -> Option<Access> {
        Some(Access { key: "mine".to_owned(), secret: "secret".to_owned(), base_url: None })
    }

    #[tokio::test]
    async fn two_who_ask_at_once_get_one_answer() {
        let (models, fake) = (Models::default(), Fake::default());
        let (one, other) = tokio::join!(models.of(&fake, Vec::new(), key), models.of(&fake, Vec::new(), key));
        assert_eq!(one.clone().unwrap().models[0].id, "mine");
        assert_eq!((one, fake.asked.load(Ordering::SeqCst)), (other, 1));
    }

    #[tokio::test]
    async fn a_failure_is_not_kept() {
        let (models, fake) = (Models::default(), Fake { failures: 1, ..Fake::default() });
        assert_eq!(models.of(&fake, Vec::new(), key).await, Err(Error::Status("server".to_owned(), 500)));
        assert!(models.of(&fake, Vec::new(), key).await.is_ok());
        let unset = models.of(&Scripted, Vec::new(), key).await;
        assert_eq!(unset, Err(Error::Untold));
    }

    #[tokio::test]
    async fn without_any_key_it_is_said_what_is_missing() {
        let (models, fake) = (Models::default(), Fake::default());
        let told = models.of(&fake, Vec::new(), || None).await;
        assert!(matches!(told, Err(Error::Unset(_))), "{told:?}");
        assert_eq!(fake.asked.load(Ordering::SeqCst), 0);
    }
}
