//! Running one turn: the model is asked, what it calls is done, and it is asked again until it calls nothing.

use std::io;

use paseo_core::id::{ItemId, TurnId};
use paseo_core::item::{COMPACTED, Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome, Usage};
use serde_json::{Value, json};

use super::agent::Agent;
use super::chain::{Next, RETRIES};
use super::compact;
use super::history::Made;
use super::request::{self, Piece, Refusal};
use super::stream::{Added, Reply, Wanted};
use super::tools::{self, Action};
use crate::fresh::{item_id, now};
use crate::own_agent::{Call, Desk, Stop};
use crate::provider::{DeltaKind, Failed, FailureCode, Retry};

/// How often the model is asked in one turn.
const STEPS: u32 = 200;
/// Most calls of one answer that are done. The others are answered.
const CALLS: usize = 64;
/// Most calls of an answer that makes any sense.
const SENSIBLE_CALLS: usize = 1024;
/// A server that says that an answer took so many times the context is not believed.
const IMPLAUSIBLE: u64 = 16;
/// The longest answer.
const REPLY_BYTES: usize = 16 * 1024 * 1024;

/// Why a turn ended before it was done.
#[derive(Debug)]
pub(super) enum End {
    Interrupted,
    Failed(Failed),
    /// The provider cannot be reached.
    Broken(io::Error),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Interrupted => Self::Interrupted,
            Stop::Broken(error) => Self::Broken(error),
        }
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// A turn in progress.
pub(super) struct Turn<'a> {
    pub(super) agent: &'a mut Agent,
    pub(super) desk: Desk<'a>,
    pub(super) id: TurnId,
    /// The answer that is being given.
    growing: Option<Growing>,
    /// Calls that have no result yet.
    pub(super) open: Vec<Open>,
}

/// An answer on its way, as far as it has come.
struct Growing {
    text: Grown,
    thought: Grown,
}

/// A text on its way.
struct Grown {
    id: ItemId,
    said: String,
}

impl Grown {
    fn new(id: ItemId) -> Self {
        Self { id, said: String::new() }
    }
}

/// A call that has no result yet.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) call: Call,
    pub(super) name: String,
    pub(super) input: Value,
    /// `Err`: why it makes no sense.
    pub(super) action: Result<Option<Action>, String>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(agent: &'a mut Agent, desk: Desk<'a>, id: TurnId) -> Self {
        Self { agent, desk, id, growing: None, open: Vec::new() }
    }

    /// Runs it. Nothing is left open, however it ends.
    pub(super) async fn run(mut self) -> Result<(), End> {
        self.agent.chain.begin(now());
        let end = self.steps().await;
        if let Err(End::Interrupted | End::Failed(_)) = &end {
            match &end {
                // No attempt came to its end.
                Err(End::Failed(_)) => self.break_off(None).await?,
                _ => self.keep_answer().await?,
            }
            for open in std::mem::take(&mut self.open) {
                self.close(&open, ToolOutcome::Interrupted, None, String::new(), None).await?;
            }
        }
        end
    }

    async fn steps(&mut self) -> Result<(), End> {
        for _ in 0..STEPS {
            self.desk.look().await?;
            self.take_up().await?;
            let context = self.context();
            if compact::is_full(self.agent.tokens(), context) {
                self.compact(context).await?;
            }
            let calls = self.ask().await?;
            if calls.is_empty() {
                self.desk.look().await?;
                // A message that came in the last moment is answered.
                if !self.take_up().await? {
                    return Ok(());
                }
                continue;
            }
            self.begin(calls).await?;
            while !self.open.is_empty() {
                self.perform().await?;
            }
            self.desk.step += 1;
        }
        Err(End::Failed(Failed {
            code: FailureCode::Own("too_many_steps".to_owned()),
            text: format!(
                "The model made {STEPS} requests in this turn without finishing. Send a message to continue."
            ),
            until: None,
        }))
    }

    /// Takes up what was said meanwhile, and says whether there was anything.
    async fn take_up(&mut self) -> Result<bool, Stop> {
        let mut any = false;
        while let Some(message) = self.desk.take_up().await? {
            self.agent.history.user(Some(self.id), &message.text, &message.attachments);
            any = true;
        }
        Ok(any)
    }

    /// Asks the models in their order until one answers. Returns what it calls.
    async fn ask(&mut self) -> Result<Vec<Wanted>, End> {
        loop {
            self.growing = Some(Growing { text: Grown::new(item_id()?), thought: Grown::new(item_id()?) });
            let body = self.body();
            let refusal = match self.listen(&body, true).await? {
                Ok(reply) => {
                    self.agent.chain.answered();
                    return Ok(self.answered(reply).await?);
                }
                Err(refusal) => refusal,
            };
            let endpoint = self.agent.endpoints[self.agent.chain.current()].clone();
            let words = refusal.words(&endpoint);
            let compactable = compact::is_long(&self.agent.history);
            let time = now();
            // Random enough to keep agents apart that were refused in the same moment.
            let jitter = (time.as_millis() as u32).wrapping_mul(2_654_435_761);
            match self.agent.chain.refused(&refusal, compactable, time, jitter) {
                Next::Again { number, pause } => {
                    self.break_off(Some(Retry { attempt: Some(number), of: Some(RETRIES) })).await?;
                    self.notice("retrying", format!("{words}. Retrying ({number}).")).await?;
                    self.desk.pause(pause).await?;
                }
                Next::Compact => {
                    self.break_off(Some(Retry::default())).await?;
                    self.compact(endpoint.context).await?;
                }
                Next::Switch { to } => {
                    self.break_off(Some(Retry::default())).await?;
                    let next = self.agent.endpoints[to].name();
                    self.notice("fallback", format!("{words}. Switching to {next}.")).await?;
                }
                Next::Fail { code, until } => return Err(End::Failed(Failed { code, text: words, until })),
            }
        }
    }

    /// Sends a request, and takes the answer in as it comes.
    async fn listen(&mut self, body: &Value, show: bool) -> Result<Result<Reply, Refusal>, Stop> {
        let endpoint = self.agent.endpoints[self.agent.chain.current()].clone();
        let mut reply = Reply::default();
        let mut answer = match self.desk.during(request::send(&self.agent.client, &endpoint, body)).await? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(Err(refusal)),
        };
        loop {
            let chunk = match self.desk.during(answer.next(&endpoint)).await? {
                Ok(Piece::Chunk(chunk)) => chunk,
                Ok(Piece::End) if reply.finished.is_none() => {
                    return Ok(Err(Refusal::Broken("the response stopped in the middle".to_owned())));
                }
                Ok(Piece::Done | Piece::End) if !reply.begun => {
                    return Ok(Err(Refusal::Strange("the stream contains no answer".to_owned())));
                }
                Ok(Piece::Done | Piece::End) => return Ok(Ok(reply)),
                Err(refusal) => return Ok(Err(refusal)),
            };
            let added = match reply.take(*chunk) {
                Ok(added) => added,
                Err(words) => return Ok(Err(Refusal::Broken(request::shown(&words, &endpoint)))),
            };
            if reply.len() > REPLY_BYTES || reply.calls.len() > SENSIBLE_CALLS {
                return Ok(Err(Refusal::Strange("the answer has no end".to_owned())));
            }
            if show && reply.begun {
                self.show(&added).await?;
            }
        }
    }

    /// Shows what is new of an answer.
    async fn show(&mut self, added: &Added) -> Result<(), Stop> {
        let Some(Growing { text, thought }) = &mut self.growing else { return Ok(()) };
        text.said.push_str(&added.text);
        thought.said.push_str(&added.thought);
        let (text, thought) = (text.id, thought.id);
        self.desk.delta(thought, DeltaKind::Thinking, added.thought.clone()).await?;
        self.desk.delta(text, DeltaKind::AssistantText, added.text.clone()).await
    }

    /// Drops what an attempt showed that broke off. The model is never told of it.
    async fn break_off(&mut self, retry: Option<Retry>) -> Result<(), Stop> {
        let grown = self.growing.take().map(|Growing { text, thought }| [thought, text]);
        let shown = grown.into_iter().flatten().filter(|grown| !grown.said.is_empty());
        self.desk.broke_off(shown.map(|grown| grown.id).collect(), retry).await
    }

    /// Writes an answer down, and returns what it calls.
    async fn answered(&mut self, reply: Reply) -> Result<Vec<Wanted>, Stop> {
        self.keep_answer().await?;
        let context = self.context();
        let Reply { text, thought, mut calls, usage, finished, .. } = reply;
        let usage = usage.filter(|usage| is_plausible(usage, context));
        if let Some(usage) = usage {
            self.desk.item(Draft { kind: Kind::Usage(usage), text: None, extra: None }).await?;
        }
        calls.retain(|call| !call.name.is_empty());
        if finished.as_deref() == Some("length") {
            let words = "The model stopped here because it reached its output limit.";
            self.notice("cut_off", words.to_owned()).await?;
        } else if text.is_empty() && thought.is_empty() && calls.is_empty() {
            self.notice("no_answer", "The model returned no answer.".to_owned()).await?;
        }
        let asked = usage.map(|usage| usage.input_tokens.saturating_add(usage.output_tokens));
        // Its calls are not in the history yet, and are counted as what was sent.
        self.agent.measured =
            asked.filter(|asked| *asked > 0).map(|asked| (asked, self.agent.history.tokens()));
        Ok(calls)
    }

    /// Writes down what was said of an answer, be it all of it.
    async fn keep_answer(&mut self) -> Result<(), Stop> {
        let Some(Growing { text, thought }) = self.growing.take() else { return Ok(()) };
        if !thought.said.is_empty() {
            self.desk.item_with(thought.id, Draft::text(Kind::Thinking, thought.said)).await?;
        }
        if !text.said.is_empty() {
            self.agent.history.assistant(Some(self.id), text.said.clone());
            self.desk.item_with(text.id, Draft::text(Kind::AssistantText, text.said)).await?;
        }
        Ok(())
    }

    /// Tells of all calls of an answer, before the first is done.
    async fn begin(&mut self, calls: Vec<Wanted>) -> Result<(), Stop> {
        for (number, Wanted { name, arguments, .. }) in calls.into_iter().enumerate() {
            let read =
                if arguments.trim().is_empty() { Ok(json!({})) } else { serde_json::from_str(&arguments) };
            let (input, action) = match read {
                Ok(input @ Value::Object(_)) if number >= CALLS => (input, Err(too_many())),
                Ok(input @ Value::Object(_)) => {
                    let own = tools::find(&name).map(|_| Action::read(&name, &input));
                    let action = own.transpose();
                    (input, action)
                }
                Ok(_) | Err(_) => {
                    let wrong = "the arguments are not a JSON object; call the tool again".to_owned();
                    (json!({ "unreadable": arguments }), Err(wrong))
                }
            };
            let class = tools::find(&name).map_or(ToolClass::Other, |(_, class)| class);
            let own = action.as_ref().ok().and_then(Option::as_ref);
            let title = own.map_or_else(|| name.clone(), Action::title);
            let locations = own.and_then(Action::path).map(str::to_owned).into_iter().collect();
            let call = self.desk.begin_call(&name, class, ToolCallExtra { title, locations }, &input).await?;
            let made = Made { call: call.name.clone(), name: name.clone(), input: input.to_string() };
            self.agent.history.call(Some(self.id), made);
            self.open.push(Open { call, name, input, action });
        }
        Ok(())
    }

    /// Tells what came of a call, and the model with it.
    pub(super) async fn close(
        &mut self,
        open: &Open,
        outcome: ToolOutcome,
        exit_code: Option<i32>,
        text: String,
        extra: Option<String>,
    ) -> Result<(), Stop> {
        let told = match (outcome, exit_code) {
            (ToolOutcome::Interrupted, _) => format!("{text}\n(Interrupted.)"),
            (ToolOutcome::Denied, _) => format!("Denied: {text}"),
            (_, Some(code @ 1..)) => format!("{text}\n(exit code {code})"),
            _ if text.is_empty() => "(Done, no output.)".to_owned(),
            _ => text.clone(),
        };
        self.agent.history.result(Some(self.id), open.call.name.clone(), &told);
        self.desk.end_call(&open.call, outcome, exit_code, text, extra).await
    }

    /// Summarises the older part of the conversation. Without an answer it stays as it is.
    async fn compact(&mut self, context: u64) -> Result<(), Stop> {
        let Some(first) = compact::plan(&self.agent.history, context) else { return Ok(()) };
        let messages = compact::question(&self.agent.history, first, context);
        let model = &self.agent.endpoints[self.agent.chain.current()].model;
        let body = json!({
            "model": model, "messages": messages, "stream": true, "stream_options": { "include_usage": true },
        });
        let Ok(reply) = self.listen(&body, false).await? else { return Ok(()) };
        if let Some(usage) = reply.usage.filter(|usage| is_plausible(usage, context)) {
            self.desk.item(Draft { kind: Kind::Usage(usage), text: None, extra: None }).await?;
        }
        if reply.text.trim().is_empty() {
            return Ok(());
        }
        let words = compact::notice(first, &reply.text);
        let kept = self.agent.history.compact(first, words.clone());
        self.agent.measured = None;
        let extra = serde_json::to_string(&kept).map_err(io::Error::from)?;
        let kind = Kind::Notice { code: COMPACTED.to_owned() };
        self.desk.item(Draft { kind, text: Some(words), extra: Some(extra) }).await
    }

    fn context(&self) -> u64 {
        self.agent.endpoints[self.agent.chain.current()].context
    }

    fn body(&self) -> Value {
        let endpoint = &self.agent.endpoints[self.agent.chain.current()];
        let mut body = json!({
            "model": endpoint.model,
            "messages": self.agent.history.messages(&self.agent.system),
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        if !self.agent.offered.is_empty() {
            body["tools"] = self.agent.offered.clone().into();
        }
        if let Some(effort) = &endpoint.effort {
            body["reasoning_effort"] = effort.as_str().into();
        }
        body
    }

    async fn notice(&mut self, code: &str, text: String) -> Result<(), Stop> {
        self.desk.item(Draft::text(Kind::Notice { code: code.to_owned() }, text)).await
    }
}

/// Says whether a server can mean what it says that an answer took. Its context may be larger than we know.
fn is_plausible(usage: &Usage, context: u64) -> bool {
    usage.input_tokens.saturating_add(usage.output_tokens) <= context.saturating_mul(IMPLAUSIBLE)
}

fn too_many() -> String {
    format!("not executed: the limit is {CALLS} tool calls per response; call it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!((STEPS, CALLS), (200, 64));
    }

    #[test]
    fn nobody_believes_a_server_that_counts_more_than_fits() {
        let usage = |input_tokens, output_tokens| Usage { input_tokens, output_tokens, ..Usage::default() };
        assert!(is_plausible(&usage(1_000_000, 20_000), 128_000));
        assert!(!is_plausible(&usage(u64::MAX, u64::MAX), 128_000));
        assert!(!is_plausible(&usage(0, 1 << 40), 128_000));
    }
}
