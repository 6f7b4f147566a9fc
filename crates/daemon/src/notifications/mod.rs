//! Notifications: follows the open sessions, and tells devices what they want to know. Best effort: nothing waits for it,
//! and what happened while no daemon ran is in the inbox and nowhere else.

mod key;
mod payload;

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::id::{DeviceId, SessionId};
use paseo_core::notification::{self, Next, Notice, Outbox, Subscription};
use paseo_core::session::Session;
use paseo_core::settings::{Event, Settings};
use paseo_core::time::Timestamp;
use paseo_runtime::push::{Message, Outcome, Pusher};
use paseo_wire::error::Code;
use paseo_wire::notification::NotificationResult;

use self::key::KeyFile;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::Context;
use crate::stop::Stop;

/// How often sessions are compared at most.
const PAUSE: Duration = Duration::from_millis(100);

/// Tells devices. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Notifications {
    pub(crate) pusher: Pusher,
    key: Arc<KeyFile>,
    posts: Arc<Mutex<HashMap<DeviceId, Post>>>,
}

/// What is known of a device since the daemon started.
#[derive(Default)]
struct Post {
    outbox: Outbox,
    /// A task is emptying the outbox.
    busy: bool,
    last: Option<NotificationResult>,
}

/// The sessions as they were last looked at.
struct Seen {
    sessions: BTreeMap<SessionId, Arc<Session>>,
    at: Timestamp,
}

impl Notifications {
    pub(crate) fn new(home: &Path, pusher: Pusher) -> Self {
        Self { pusher, key: Arc::new(KeyFile::of(home)), posts: Arc::default() }
    }

    /// Returns the public key of this home.
    pub(crate) fn public_key(&self) -> Result<String, Failure> {
        Ok(self.key.get()?.public())
    }

    /// Returns what came of the newest notification to a device.
    pub(crate) fn last(&self, device: DeviceId) -> Option<NotificationResult> {
        self.posts.lock().get(&device).and_then(|post| post.last.clone())
    }

    /// Follows the sessions until the daemon stops. What is there now is not news.
    pub(crate) fn follow(self, context: Arc<Context>, stop: Stop) -> impl Future<Output = ()> {
        let mut head = context.journal.log.watch();
        head.mark_unchanged();
        let mut seen = Seen::now(&context);
        let following = async move {
            while head.changed().await.is_ok() {
                context.directory.caught_up(&context.journal).await;
                let now = Seen::now(&context);
                let notices = now.since(&seen);
                seen = now;
                self.tell(&context, &notices);
                tokio::time::sleep(PAUSE).await;
            }
        };
        async move {
            tokio::select! {
                () = following => {}
                () = stop.requested() => {}
            }
        }
    }

    /// Sends a notification that only says that it works.
    pub(crate) async fn test(
        &self,
        context: &Context,
        device: DeviceId,
    ) -> Result<NotificationResult, Failure> {
        let settings = context.settings.get();
        let to = subscription(&settings, device).ok_or_else(|| {
            Failure::new(Code::Conflict, "notifications are off for this browser")
                .hint("turn them on in Settings › Notifications")
        })?;
        let now = mint::now();
        let turn = self.posts.lock().entry(device).or_default().outbox.take_turn(now);
        turn.map_err(|wait| {
            Failure::new(Code::TooManyAttempts, "too many notifications within a minute")
                .hint("wait a minute, then try again")
                .retry_after(wait.as_secs() + 1)
        })?;
        let key = self.key.get()?;
        let outcome = self.pusher.try_once(&key, to, &payload::test(context, &to.origin)).await;
        Ok(self.settle(context, device, to, outcome).await)
    }

    /// Puts notices where those who want them get them.
    fn tell(&self, context: &Arc<Context>, notices: &[Notice]) {
        if notices.is_empty() {
            return;
        }
        let settings = context.settings.get();
        let mut posts = self.posts.lock();
        posts.retain(|device, _| settings.devices.contains_key(device));
        for (id, device) in &settings.devices {
            let Some(push) = &device.push else { continue };
            let mut wanted = notices.iter().filter(|notice| push.switches.want(notice.kind)).peekable();
            if wanted.peek().is_none() {
                continue;
            }
            let post = posts.entry(*id).or_default();
            wanted.for_each(|notice| post.outbox.add(*notice));
            if !post.busy {
                post.busy = true;
                tokio::spawn(self.clone().empty(Arc::clone(context), *id));
            }
        }
    }

    /// Sends what waits for a device, one after the other.
    async fn empty(self, context: Arc<Context>, device: DeviceId) {
        loop {
            let next = {
                let mut posts = self.posts.lock();
                let Some(post) = posts.get_mut(&device) else { return };
                let next = post.outbox.next(mint::now());
                post.busy = next != Next::Nothing;
                next
            };
            let message = match next {
                Next::Nothing => return,
                Next::Wait(wait) => {
                    tokio::time::sleep(wait).await;
                    continue;
                }
                Next::One(notice) => Wanted::One(notice),
                Next::Several(agents) => Wanted::Several(agents),
            };
            self.send(&context, device, message).await;
        }
    }

    async fn send(&self, context: &Context, device: DeviceId, wanted: Wanted) {
        let settings = context.settings.get();
        let Some(to) = subscription(&settings, device) else { return };
        let message = match wanted {
            Wanted::One(notice) => payload::one(context, &to.origin, notice),
            Wanted::Several(agents) => Some(payload::several(context, &to.origin, agents)),
        };
        let Some(message) = message else { return };
        let outcome = tokio::select! {
            outcome = self.deliver(to, &message) => outcome,
            // Logged out, or subscribed again: nothing more goes to the old address.
            () = ended(context, device, &to.endpoint) => return,
        };
        self.settle(context, device, to, outcome).await;
    }

    async fn deliver(&self, to: &Subscription, message: &Message) -> Outcome {
        match self.key.get() {
            Ok(key) => self.pusher.deliver(&key, to, message).await,
            Err(failure) => Outcome::Failed(failure.message),
        }
    }

    /// Notes what came of a notification. A browser that is gone gets no more.
    async fn settle(
        &self,
        context: &Context,
        device: DeviceId,
        to: &Subscription,
        outcome: Outcome,
    ) -> NotificationResult {
        let error = match outcome {
            Outcome::Delivered => None,
            Outcome::Gone => Some("the push service does not know this browser any more".to_owned()),
            Outcome::Failed(ref why) => Some(why.clone()),
        };
        if let Some(error) = &error {
            tracing::warn!(%device, error, "cannot deliver a notification");
        }
        if outcome == Outcome::Gone && is_subscribed(&context.settings.get(), device, &to.endpoint) {
            let event = Event::DeviceUnsubscribed { device };
            if let Err(failure) = context.settings.change(&context.journal, &Actor::Daemon, event).await {
                tracing::warn!(%device, error = %failure.message, "cannot remove a subscription");
            }
        }
        let result = NotificationResult { delivered: error.is_none(), error, at: mint::now().into() };
        if let Some(post) = self.posts.lock().get_mut(&device) {
            post.last = Some(result.clone());
        }
        result
    }
}

/// What to send.
#[derive(Clone, Copy)]
enum Wanted {
    One(Notice),
    Several(usize),
}

impl Seen {
    fn now(context: &Context) -> Self {
        let at = mint::now();
        let all = context.directory.all().into_iter();
        Self { sessions: all.map(|session| (session.id, session)).collect(), at }
    }

    /// Returns what is new.
    fn since(&self, before: &Self) -> Vec<Notice> {
        let mut found = Vec::new();
        for (id, after) in &self.sessions {
            let known = before.sessions.get(id);
            // Most are as they were.
            if !known.is_some_and(|known| Arc::ptr_eq(known, after)) {
                found.extend(notification::notices(known.map(AsRef::as_ref), after, before.at));
            }
        }
        found
    }
}

fn subscription(settings: &Settings, device: DeviceId) -> Option<&Subscription> {
    settings.devices.get(&device)?.push.as_ref()
}

fn is_subscribed(settings: &Settings, device: DeviceId, endpoint: &str) -> bool {
    subscription(settings, device).is_some_and(|push| push.endpoint == endpoint)
}

/// Waits until nothing goes to an address any more.
async fn ended(context: &Context, device: DeviceId, endpoint: &str) {
    let mut settings = context.settings.watch();
    let over = settings.wait_for(|(_, settings)| !is_subscribed(settings, device, endpoint)).await.is_ok();
    if !over {
        std::future::pending::<()>().await;
    }
}
