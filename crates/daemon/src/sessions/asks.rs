//! Permission requests of agents, and their outcomes. The rules are in `core::permission`.

use paseo_core::actor::Actor;
use paseo_core::id::{RuleId, TurnId};
use paseo_core::item::{Decision, Entry, Kind, PermissionExtra};
use paseo_core::permission::form::{self, Misfit, Question};
use paseo_core::permission::{self, Form, Request, Rule, Verdict};
use paseo_core::session::{Ask, Class, Event, Verb};
use paseo_core::settings;
use paseo_runtime::provider::{self, Input};
use paseo_wire::error::Code;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::actor::SessionActor;
use super::changes::Change;
use super::guard::Held;
use super::writing::{bounded, place};
use super::{Answer, Context, Message};
use crate::failure::Failure;
use crate::{journal, mint};

/// Told to an agent when a person said no and nothing more.
const DENIED: &str = "A person denied this.";

/// Noted once a guarded agent was told why it may not.
const UNLEASED: &str = "unleased";

/// A permission request that the harness waits for.
#[derive(Clone)]
pub(super) struct OpenRequest {
    pub(super) request: Request,
    /// What is shown of it lacks a secret, which the person knows.
    scrubbed: bool,
    /// When it was stored, by the monotonic clock: no person can have seen it before. A request does not outlive
    /// this process, as a restart withdraws it.
    since: Instant,
}

impl SessionActor {
    /// Decides about a request, or lets a person decide.
    pub(super) async fn asked(&mut self, request: Request) -> Result<(), Failure> {
        match self.context.verdict(&self.session, &request).await {
            Verdict::Allow => {
                let answer = provider::Answer::Allow { input: request.input, message: None };
                self.decide(request.call, answer);
            }
            Verdict::Deny(message) => {
                tracing::info!(session = %self.id(), power = request.power.tool(), "denied without a permission request");
                let held = self.context.is_held(&self.session).then(|| message.clone());
                self.decide(request.call, provider::Answer::Deny { message });
                if let Some(message) = held {
                    self.say_why(message).await;
                }
            }
            Verdict::Ask => self.ask(request).await?,
        }
        Ok(())
    }

    async fn ask(&mut self, request: Request) -> Result<(), Failure> {
        let (mut text, whole) = (request.display(), request.headline(&self.session.profile.directory));
        let scrubbed = self.secrets.scrubbed(&text);
        let (is_scrubbed, headline) = (scrubbed.is_some(), self.secrets.scrubbed(&whole).unwrap_or(whole));
        text = scrubbed.unwrap_or(text);
        // Plain data with string keys always serialises.
        let mut extra = serde_json::to_string(&PermissionExtra { headline, form: request.form.clone() }).ok();
        extra.iter_mut().for_each(|extra| self.secrets.scrub(extra));
        let (session, turn, reference) = (self.id(), self.current, journal::reference(&text));
        // The same request, made twice, is two requests; and ids of calls are unique only within one harness.
        let turn_id = turn.map(|turn| turn.to_string()).unwrap_or_default();
        let asked = format!("{session}\n{turn_id}\n{}\n{text}", request.call);
        let hash = mint::hex(&mint::sha256(asked.as_bytes()));
        let tool = bounded(&request.tool);
        let question = matches!(request.shape, permission::Shape::Question { .. });
        let destructive = request.is_destructive(&self.session.profile.directory);
        let shape = Some(request.shape.clone()).filter(|shape| !is_scrubbed && shape.is_storable());
        let (since, scrubbed) = (Instant::now(), is_scrubbed);
        self.asks.insert(hash.clone(), OpenRequest { request, scrubbed, since });
        self.quietly(|change| {
            change.entries.content(session, reference.id, text.clone(), extra.clone());
            let kind = Kind::Permission { hash: hash.clone(), decision: None, by: None };
            let entry = Entry { place: place(turn), kind };
            change.entries.item_with(session, mint::item(), entry, Some(reference.id));
            let (hash, text) = (hash.clone(), reference.clone());
            let (tool, shape) = (Some(tool.clone()), shape.clone());
            change.draft.push(Event::Asked { hash, text, tool, shape, question, destructive });
        })
        .await?;
        if let Some(open) = self.asks.get_mut(&hash) {
            open.since = Instant::now();
        }
        Ok(())
    }

    /// Passes a person's answer on. The first wins; a later one is told.
    pub(super) async fn answer(&mut self, answer: Answer) -> Result<bool, Failure> {
        if let Some(name) = &self.session.profile.terminal {
            let handle = self.context.directory.handle(self.id());
            let tmux = self.context.terminals.attach(name, None).join(" ");
            return Err(Failure::new(
                Code::AnswerInTerminal,
                format!(
                    "{handle} is waiting for this permission in the terminal of worker {name}; answer it \
                     there"
                ),
            )
            .hint(format!("run `paseo worker attach {name}` or `{tmux}`; nothing was decided")));
        }
        let open = self.session.turn.iter().flat_map(|turn| &turn.asks).find(|ask| ask.hash == answer.hash);
        let (Some(ask), Some(OpenRequest { request, scrubbed, since })) =
            (open.cloned(), self.asks.get(&answer.hash).cloned())
        else {
            return Err(Failure::new(
                Code::Conflict,
                "this permission request is no longer open: it was answered or withdrawn, or the agent \
                 continued",
            )
            .hint("run `paseo permit ls` to see open requests"));
        };
        if let Some(shown_ms) = answer.shown_ms {
            let age_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            permission::check_shown(shown_ms, age_ms).map_err(|early| {
                Failure::new(Code::TooEarly, early.to_string())
                    .hint("review the request, then decide again; nothing was decided")
            })?;
        }
        // They may have taken their time: what an agent holds counts at the moment of the call.
        if answer.allow
            && let Err(Held(why)) = self.context.held(&self.session, &request).await
        {
            return self.overrule(&ask, request.call, why, answer.message.is_some()).await;
        }
        let provided = provided(&request, &answer)?;
        if let Some(form) = &request.form {
            let empty = Map::new();
            let filled = if let Provided::Filled(content) = &provided { content } else { &empty };
            self.secrets.learn(form, answer.answers.as_deref().unwrap_or_default(), filled);
        }
        // What was shown is what is allowed, to the byte.
        let shown = self.context.journal.log.text(ask.text.id.uuid()).await?.unwrap_or_default();
        let decision = if answer.allow { Decision::Allow } else { Decision::Deny };
        self.decided(&ask, decision, &answer.by).await?;
        // The agent may ask the same again as soon as it has the answer.
        let kept = keep(&self.context, &answer.by, answer.rule, answer.allow).await;
        let message = answer.message.filter(|message| !message.trim().is_empty());
        let input = if scrubbed { request.input.clone() } else { permission::displayed_input(&shown) };
        let is_question = input.is_null();
        let provider = self.context.providers.get(&self.session.profile.provider);
        // A form of an MCP server has no room for a message to the agent.
        let carries =
            !of_server(&request) && provider.is_some_and(|provider| provider.capabilities().answer_messages);
        // Words that were read as answers reach the agent as such, and not a second time.
        let read = matches!(provided, Provided::Chosen(_)) && answer.answers.is_none();
        let spoken = message.clone().filter(|_| !read);
        let given = !matches!(provided, Provided::Nothing);
        let words = spoken.filter(|_| !carries || (answer.allow && (!is_question || given)));
        let decision = match provided {
            Provided::Chosen(answers) => provider::Answer::Choose { answers },
            Provided::Filled(content) => provider::Answer::Fill { content },
            Provided::Nothing if answer.cancel => provider::Answer::Cancel,
            Provided::Nothing if answer.allow => provider::Answer::Allow { input, message },
            Provided::Nothing => {
                provider::Answer::Deny { message: message.unwrap_or_else(|| DENIED.to_owned()) }
            }
        };
        self.decide(request.call, decision);
        if let Some(words) = words {
            self.say_along(&answer.by, words, answer.allow).await?;
        }
        kept.map(|()| true)
    }

    /// Denies what a person allowed if a guarded agent no longer has a lease for it. Both are told.
    async fn overrule(
        &mut self,
        ask: &Ask,
        call: String,
        why: String,
        had_words: bool,
    ) -> Result<bool, Failure> {
        self.decided(ask, Decision::Deny, &Actor::Daemon).await?;
        self.decide(call, provider::Answer::Deny { message: why.clone() });
        self.say_why(why.clone()).await;
        let words = if had_words { " Your message was not delivered." } else { "" };
        Err(Failure::new(
            Code::Conflict,
            format!(
                "the request was denied: the agent is guarded and owns no task that covers this.{words} \
                 The agent got this reason: {why}"
            ),
        )
        .hint("run `paseo task ls` to see who owns which task, and assign one with `paseo task reassign`"))
    }

    /// Writes down what was decided about an ask, and closes it.
    async fn decided(&mut self, ask: &Ask, decision: Decision, by: &Actor) -> Result<(), Failure> {
        let (session, turn) = (self.id(), self.current);
        self.change(by, |change| {
            let (hash, by) = (ask.hash.clone(), Some(by.clone()));
            let kind = Kind::Permission { hash, decision: Some(decision), by };
            let entry = Entry { place: place(turn), kind };
            change.entries.item_with(session, mint::item(), entry, Some(ask.text.id));
            change.draft.push(Event::Decided { hash: ask.hash.clone(), decision });
            Ok(())
        })
        .await?;
        self.asks.remove(&ask.hash);
        Ok(())
    }

    /// Tells a guarded agent why it may not, where the refusal itself cannot: once in a turn, after it.
    async fn say_why(&mut self, text: String) {
        let provider = self.context.providers.get(&self.session.profile.provider);
        let carries = provider.is_none_or(|provider| provider.capabilities().answer_messages);
        let cause = self.session.turn.as_ref().map(|turn| (turn.cause, turn.hop + 1));
        if carries || cause.is_none() || !self.noted.insert(UNLEASED.to_owned()) {
            return;
        }
        let message = Message {
            attachments: Vec::new(),
            origin: Actor::Daemon,
            text,
            verb: Verb::Queue,
            class: Class::Message,
            waited: false,
            aside: false,
            schema: None,
            notify: None,
            cause,
            key: None,
        };
        if let Err(failure) = self.deliver(message).await {
            tracing::warn!(session = %self.id(), error = %failure.message, "cannot tell an agent why it was denied");
        }
    }

    /// Delivers what a person said along with an answer that cannot carry it, as a message of its own.
    async fn say_along(&mut self, by: &Actor, text: String, allowed: bool) -> Result<bool, Failure> {
        let provider = self.context.providers.get(&self.session.profile.provider);
        // What cannot enter the turn comes after it.
        let steers = provider.is_some_and(|provider| provider.capabilities().steer);
        let message = Message {
            attachments: Vec::new(),
            origin: by.clone(),
            text,
            verb: if steers { Verb::Steer } else { Verb::Queue },
            class: Class::Message,
            waited: false,
            aside: false,
            schema: None,
            notify: None,
            cause: None,
            key: None,
        };
        let done = if allowed { "allowed" } else { "denied" };
        self.deliver(message).await.map(|_| true).map_err(|failure| Failure {
            message: format!(
                "the request was {done}, but your message did not reach the agent: {}",
                failure.message
            ),
            ..failure
        })
    }

    /// Closes an ask that the harness does not want answered any more.
    pub(super) async fn withdrawn(&mut self, call: &str) -> Result<(), Failure> {
        let Some(hash) =
            self.asks.iter().find(|(_, open)| open.request.call == call).map(|(hash, _)| hash.clone())
        else {
            return Ok(());
        };
        self.asks.remove(&hash);
        let turn = self.current;
        let open = self.session.turn.iter().flat_map(|turn| &turn.asks).find(|ask| ask.hash == hash).cloned();
        let Some(ask) = open else { return Ok(()) };
        self.quietly(|change| {
            withdraw(change, turn, &ask);
            change.draft.push(Event::Decided { hash: hash.clone(), decision: Decision::Withdrawn });
        })
        .await
    }

    fn decide(&mut self, call: String, decision: provider::Answer) {
        self.tell(Input::Permission { call, decision });
    }
}

/// Keeps the rule that a person made of their answer.
async fn keep(
    context: &Context,
    by: &Actor,
    rule: Option<(RuleId, Rule)>,
    allow: bool,
) -> Result<(), Failure> {
    let Some((rule, answer)) = rule else { return Ok(()) };
    let added = settings::Event::RuleAdded { rule, answer };
    context.settings.change(&context.journal, by, added).await.map_err(|failure| {
        let done = if allow { "allowed" } else { "denied" };
        let message =
            format!("the request was {done} once, but the rule could not be saved: {}", failure.message);
        Failure { message, ..failure }
    })
}

/// What a person gave beside a yes or a no.
enum Provided {
    Nothing,
    /// Answers to questions.
    Chosen(Vec<Vec<String>>),
    /// Values for fields.
    Filled(Map<String, Value>),
}

/// Says whether an MCP server asks, by a form or an address.
fn of_server(request: &Request) -> bool {
    matches!(request.form, Some(Form::Fields { .. } | Form::Link { .. }))
}

/// Returns what a person gave, if it fits the request.
fn provided(request: &Request, answer: &Answer) -> Result<Provided, Failure> {
    let wrong = |message: &str, hint: &str| {
        Err(Failure::new(Code::InvalidRequest, message.to_owned())
            .hint(format!("{hint}; nothing was decided")))
    };
    if answer.cancel && answer.allow {
        return wrong("a canceled request cannot be allowed", "set `allow` to false, or leave out `cancel`");
    }
    if answer.cancel && !of_server(request) {
        return wrong("only forms and links from MCP servers can be canceled", "deny it without `--cancel`");
    }
    if !answer.allow && (answer.answers.is_some() || answer.fields.is_some()) {
        return wrong("a denied request takes no answers", "leave them out, or set `allow` to true");
    }
    if answer.answers.is_some() && !matches!(request.form, Some(Form::Questions { .. })) {
        return wrong("the request has no questions to answer", "leave out `answers`");
    }
    if answer.fields.is_some() && !matches!(request.form, Some(Form::Fields { .. })) {
        return wrong("the request has no fields to fill in", "leave out `fields`");
    }
    if !answer.allow {
        return Ok(Provided::Nothing);
    }
    match &request.form {
        Some(Form::Questions { questions }) => chosen(questions, answer),
        Some(Form::Fields { fields }) => {
            let given = answer.fields.clone().unwrap_or_default();
            form::fill(fields, &given).map(Provided::Filled).map_err(|unfit| {
                Failure::new(Code::InvalidRequest, unfit.to_string())
                    .hint("fill in the fields of the request; nothing was decided")
            })
        }
        Some(Form::Plan { .. } | Form::Link { .. }) | None => Ok(Provided::Nothing),
    }
}

/// Returns a person's answers to questions; nothing when they answered none.
fn chosen(questions: &[Question], answer: &Answer) -> Result<Provided, Failure> {
    let words = answer.message.as_deref().filter(|words| !words.trim().is_empty());
    let chosen = match (&answer.answers, words) {
        (Some(given), _) => form::answers(questions, given),
        (None, Some(words)) => form::answers_in_words(questions, words),
        (None, None) => return Ok(Provided::Nothing),
    };
    chosen.map(Provided::Chosen).map_err(|misfit| {
        let hint = match misfit {
            Misfit::Secret { .. } => "answer with `answers`, or with `paseo permit allow` in a terminal",
            _ => "answer every question of the request",
        };
        Failure::new(Code::InvalidRequest, misfit.to_string()).hint(format!("{hint}; nothing was decided"))
    })
}

/// Withdraws everything that is asked: the turn is being stopped, and no answer shall count any more.
pub(super) fn withdraw_all(change: &mut Change, turn: Option<TurnId>) {
    let asks = change.draft.session.turn.as_ref().map(|turn| turn.asks.clone()).unwrap_or_default();
    for ask in asks {
        withdraw(change, turn, &ask);
        change.draft.push(Event::Decided { hash: ask.hash, decision: Decision::Withdrawn });
    }
}

/// Writes into the transcript that an ask was never answered.
pub(super) fn withdraw(change: &mut Change, turn: Option<TurnId>, ask: &Ask) {
    let session = change.draft.session.id;
    let kind = Kind::Permission { hash: ask.hash.clone(), decision: Some(Decision::Withdrawn), by: None };
    let entry = Entry { place: place(turn), kind };
    change.entries.item_with(session, mint::item(), entry, Some(ask.text.id));
}
