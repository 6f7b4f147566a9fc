//! An external agent behind HTTP: messages are posted to it, answers come to a callback of the daemon.

mod courier;
mod letter;
mod post;
pub mod signature;

use paseo_core::address::{Allowed, Refused, Target};
use paseo_core::attachment::Accepts;
use paseo_core::id::{SessionId, TurnId};
use paseo_core::permission::{Mode, Power};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use self::courier::{Action, Courier, SCHEDULE};
use self::post::Mailbox;
use crate::fresh::{self, Ids};
use crate::judged::{self, Judged, Posted, Resolver};
use crate::provider::{
    BoxFuture, Broken, Capabilities, Check, Control, Exit, Harness, Input, Launch, Lifetime, Memory, Output,
    Provider, Readiness, Remote, StartError,
};

/// The name of the provider.
pub const NAME: &str = "external";

/// How many inputs or outputs may wait.
const QUEUE: usize = 64;

/// The provider of external agents.
pub struct External {
    allowed: Allowed,
    resolver: Resolver,
}

impl External {
    /// Makes a provider that talks to those it may talk to.
    pub fn new(allowed: Allowed) -> Self {
        Self { allowed, resolver: judged::system() }
    }

    async fn mailbox(&self, remote: &Remote) -> Result<Mailbox, Refused> {
        let judged = Judged {
            target: Target::parse(&remote.input_url)?,
            allowed: self.allowed.clone(),
            resolver: self.resolver.clone(),
            timeout: remote.timeout,
        };
        let mailbox = Mailbox { judged, secret: remote.secret.clone() };
        // Before anything leaves.
        mailbox.check().await?;
        Ok(mailbox)
    }
}

/// Tells an agent that a turn is no longer awaited. One attempt: here the turn is over, whatever comes of it.
pub async fn tell_stopped(
    allowed: Allowed,
    remote: Remote,
    session: SessionId,
    turn: TurnId,
) -> Result<(), String> {
    let mailbox = External::new(allowed).mailbox(&remote).await.map_err(|refused| refused.to_string())?;
    match mailbox.post(&letter::stop(&remote, session, turn)).await {
        Posted::Answered { status: 200..=299, .. } => Ok(()),
        Posted::Answered { words, .. } => Err(format!("the server responded with {words}")),
        Posted::Unreachable(why) | Posted::Forbidden(why) => Err(why),
    }
}

/// Says whether messages may be posted to an address, as far as that can be said without looking a name up.
pub fn check(input_url: &str, allowed: &Allowed) -> Result<(), Refused> {
    let target = Target::parse(input_url)?;
    target.written().map_or(Ok(()), |written| target.judge(&written, allowed))
}

impl Provider for External {
    fn name(&self) -> &str {
        NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            steer: false,
            resume: true,
            models: false,
            efforts: &[],
            // Whatever it does, it does nothing here.
            permissions: &Mode::ALL,
            withholds: &Power::ALL,
            mcp: false,
            native_tools: false,
            memory: Memory::Own,
            thinking: false,
            cost: false,
            answer_messages: false,
            own_turns: true,
            guard: false,
            terminal: false,
            attachments: Accepts::NOTHING,
            lifetime: Lifetime::Remote,
        }
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

    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(async move {
            let wrong = |message: String| StartError { message, hint: None };
            let remote =
                launch.remote.ok_or_else(|| wrong("the agent's URL is not configured".to_owned()))?;
            let mailbox = self.mailbox(&remote).await.map_err(|refused| wrong(refused.to_string()))?;
            let ids = Ids::fresh().map_err(|error| wrong(error.to_string()))?;
            let (input, inputs) = mpsc::channel(QUEUE);
            let (outputs, output) = mpsc::channel(QUEUE);
            let (lifeline, ended) = oneshot::channel();
            let courier = Courier::new(SCHEDULE, ids);
            let round = Round {
                courier,
                mailbox,
                remote,
                session: launch.session,
                outputs,
                wake: None,
                posting: None,
            };
            tokio::spawn(round.run(inputs, ended));
            Ok(Harness { input, output, shim: None, control: Control::of_task(lifeline) })
        })
    }
}

/// The imperative shell of a courier.
struct Round {
    courier: Courier,
    mailbox: Mailbox,
    remote: Remote,
    session: SessionId,
    outputs: mpsc::Sender<Output>,
    wake: Option<Instant>,
    posting: Option<BoxFuture<'static, Posted>>,
}

impl Round {
    async fn run(mut self, mut inputs: mpsc::Receiver<Input>, mut ended: oneshot::Receiver<()>) {
        loop {
            let actions = tokio::select! {
                _ = &mut ended => break,
                input = inputs.recv() => match input {
                    Some(input) => self.input(input),
                    None => break,
                },
                posted = posted(&mut self.posting) => {
                    self.posting = None;
                    match fresh::jitter() {
                        Ok(jitter) => self.courier.posted(posted, fresh::now(), jitter),
                        Err(_) => break,
                    }
                }
                () = at(self.wake) => {
                    self.wake = None;
                    self.courier.wake()
                }
            };
            self.act(actions).await;
        }
        let exit = Exit { code: None, signal: None, shim_killed: false, stderr: String::new() };
        self.outputs.send(Output::Exited(exit)).await.ok();
    }

    fn input(&mut self, input: Input) -> Vec<Action> {
        match input {
            Input::Turn { turn, messages } => {
                self.courier.carry(letter::write(&self.remote, self.session, turn, &messages))
            }
            Input::Interrupt => {
                (self.posting, self.wake) = (None, None);
                self.courier.interrupt()
            }
            // It is never steered, asks for nothing and calls nothing of ours.
            Input::Steer { .. } | Input::Permission { .. } | Input::ToolResult { .. } => Vec::new(),
        }
    }

    async fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Post(letter) => {
                    let mailbox = self.mailbox.clone();
                    self.wake = None;
                    self.posting = Some(Box::pin(async move { mailbox.post(&letter).await }));
                }
                Action::Wake(after) => self.wake = Some(Instant::now() + after),
                // The receiver may be gone; the control says so next.
                Action::Tell(output) => drop(self.outputs.send(output).await),
            }
        }
    }
}

async fn posted(posting: &mut Option<BoxFuture<'static, Posted>>) -> Posted {
    match posting {
        Some(posting) => posting.await,
        None => std::future::pending().await,
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
