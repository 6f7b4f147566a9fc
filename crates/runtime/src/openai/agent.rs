//! The process of an agent: it is told who it is, then runs turns until there are no more.

use std::io::{self, Write};
use std::process::ExitCode;

use paseo_core::id::TurnId;
use reqwest::Client;
use serde_json::Value;

use super::chain::Chain;
use super::history::{History, tokens};
use super::request;
use super::setup::{Endpoint, Setup};
use super::tools::{self, Root};
use super::turn::{End, Turn};
use crate::own_agent::{Desk, Link};
use crate::provider::{Input, Message, Output, Tool, TurnEnd};

/// What every agent reads first.
const BASE: &str = "You are a coding agent that works for its user in a directory on their machine, with \
                    the tools you are given. Look before you change anything, change only what is asked \
                    for, and check your work. When you are done, say so briefly.";

/// An agent between turns.
pub(super) struct Agent {
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) chain: Chain,
    pub(super) client: Client,
    pub(super) history: History,
    pub(super) system: String,
    /// Tools of the daemon.
    pub(super) tools: Vec<Tool>,
    /// All tools, as the model reads about them.
    pub(super) offered: Vec<Value>,
    pub(super) root: Root,
    /// How many tokens the newest request had, and how many were thought then.
    pub(super) measured: Option<(u64, u64)>,
}

impl Agent {
    fn new(setup: Setup) -> io::Result<Self> {
        let Setup { directory, prompt, withheld, confined, chain: endpoints, tools, past } = setup;
        let ours = tools.iter().map(|tool| tools::described(&tool.name, &tool.description, &tool.schema));
        let offered = tools::offered(&withheld).into_iter().chain(ours).collect();
        let system = if prompt.is_empty() { BASE.to_owned() } else { format!("{BASE}\n\n{prompt}") };
        let root = Root::new(directory)?;
        Ok(Self {
            client: request::client(&endpoints).map_err(io::Error::other)?,
            chain: Chain::new(endpoints.len()),
            endpoints,
            history: History::of(past),
            system,
            tools,
            offered,
            root: if confined { root.confined() } else { root },
            measured: None,
        })
    }

    /// Returns about how many tokens the next request has.
    pub(super) fn tokens(&self) -> u64 {
        let thought = self.history.tokens();
        match self.measured {
            Some((told, then)) => told.saturating_add(thought.saturating_sub(then)),
            None => {
                let offered = self.offered.iter().map(|tool| tokens(&tool.to_string()));
                thought + tokens(&self.system) + offered.sum::<u64>()
            }
        }
    }

    async fn turn(&mut self, link: &mut Link, turn: TurnId, messages: Vec<Message>) -> io::Result<TurnEnd> {
        for message in &messages {
            self.history.user(Some(turn), &message.text, &message.attachments);
        }
        match Turn::new(self, Desk::new(link, turn), turn).run().await {
            Ok(()) => Ok(TurnEnd::Completed),
            Err(End::Interrupted) => Ok(TurnEnd::Interrupted),
            Err(End::Failed(failed)) => Ok(TurnEnd::Failed(failed)),
            Err(End::Broken(error)) => Err(error),
        }
    }
}

/// Runs the agent on stdin and stdout until there are no more requests.
pub fn run() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "paseo chat-agent: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut link = Link::open()?;
        let Some(setup) = link.requests.first().await? else { return Ok(()) };
        let mut agent = Agent::new(setup)?;
        while let Some(input) = link.next().await? {
            // Everything else speaks of a turn that is over.
            let Input::Turn { turn, messages } = input else { continue };
            link.send(Output::Handed { turn }).await?;
            let end = agent.turn(&mut link, turn, messages).await?;
            link.send(Output::TurnEnded { turn, end }).await?;
        }
        Ok(())
    })
}
