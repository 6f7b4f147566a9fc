//! Threads of a team: ordinary threads, which the team calls by numbers of its own.

use std::sync::Arc;

use paseo_core::id::{PostId, ThreadId};
use paseo_core::team::{self, Event, TaskId, Team, TeamId, TeamThread, ThreadAlias};
use paseo_core::thread;
use paseo_wire::error::Code;
use paseo_wire::thread::{ThreadBody, ThreadEvent};

use super::{Acting, Teams, refused};
use crate::desk::Done;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::to_the_end;
use crate::threads::{Speaker, Words, view};

/// A thread to be created.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewThread {
    pub(crate) title: String,
    pub(crate) participants: Vec<String>,
    pub(crate) task: Option<TaskId>,
}

impl Teams {
    /// Makes a thread of a team.
    pub(crate) async fn start_thread(
        &self,
        acting: &Acting,
        id: &TeamId,
        wanted: NewThread,
    ) -> Result<(Arc<Team>, ThreadAlias), Failure> {
        let NewThread { title, participants, task } = wanted;
        let wanted = team::Thread { id: mint::thread(), title, participants, task };
        let done = self.desk.change(
            &acting.actor,
            id,
            None,
            |team, change| {
                let started = team::start_thread(team, acting.by(), wanted.clone()).map_err(refused)?;
                let created = thread::Event::Created {
                    thread: wanted.id,
                    post: mint::post(),
                    name: started.title.clone(),
                    directory: team.directory.clone(),
                    by: acting.actor.clone(),
                    cause: None,
                    team: Some(team.id.clone()),
                };
                change.begin(thread::stream(wanted.id), &[created]);
                let alias = started.alias;
                change.events.push(Event::ThreadStarted(Box::new(started)));
                Ok(alias)
            },
            |_| String::new(),
        );
        match done.await? {
            Done::New(team, alias) => Ok((team, alias)),
            Done::Repeat(_) => Err(Failure::internal("a request without a key was treated as a repeat")),
        }
    }

    /// Says something in a thread of a team.
    pub(crate) async fn post(
        &self,
        acting: &Acting,
        id: &TeamId,
        alias: ThreadAlias,
        text: &str,
    ) -> Result<PostId, Failure> {
        let (thread, speaker, words) = self.words(acting, id, alias, text).await?;
        self.threads.post(&speaker, thread, &words, None).await
    }

    async fn words(
        &self,
        acting: &Acting,
        id: &TeamId,
        alias: ThreadAlias,
        text: &str,
    ) -> Result<(ThreadId, Speaker, Words), Failure> {
        let (_, known) = self.thread(id, alias).await?;
        let cause = acting.actor.session().and_then(|session| self.sessions.context.turn_cause(session));
        let speaker = Speaker { actor: acting.actor.clone(), id: acting.id().to_owned(), cause };
        let words = Words { to: String::new(), text: text.to_owned(), reply_to: None, tags: Vec::new() };
        Ok((known.thread, speaker, words))
    }

    /// Says in a thread of a team how things stand. No member is notified; readers find it.
    pub(crate) async fn post_status(
        &self,
        acting: &Acting,
        id: &TeamId,
        alias: ThreadAlias,
        text: &str,
    ) -> Result<PostId, Failure> {
        let (thread, speaker, words) = self.words(acting, id, alias, text).await?;
        self.threads.post_status(&speaker, thread, &words).await
    }

    /// Says which task a thread is about.
    pub(crate) async fn link(
        &self,
        acting: &Acting,
        id: &TeamId,
        alias: ThreadAlias,
        task: TaskId,
    ) -> Result<Arc<Team>, Failure> {
        let (this, acting, id) = (self.clone(), acting.clone(), id.clone());
        to_the_end(async move {
            let decide = |team: &Team| team::link(team, acting.by(), alias, task);
            this.decide(&acting.actor, &id, None, |team, _| decide(team)).await.map(|(team, _)| team)
        })
        .await
    }

    /// Returns the newest messages of a thread, the oldest first.
    pub(crate) async fn tail(
        &self,
        id: &TeamId,
        alias: ThreadAlias,
        limit: usize,
    ) -> Result<(Arc<Team>, Vec<ThreadEvent>), Failure> {
        let (team, known) = self.thread(id, alias).await?;
        let thread = self.threads.get(known.thread).await?;
        let journal = &self.sessions.context.journal;
        let (mut messages, mut end) = (Vec::new(), thread.version);
        // Not every event is a message: what is missing is looked for further back.
        while end > 0 && messages.len() < limit {
            let begin = end.saturating_sub(limit as u64);
            let records = self.threads.events(known.thread, begin, (end - begin) as usize).await?;
            let mut page = Vec::new();
            for record in &records {
                let event = view::event(journal, &known.thread.to_string(), record).await?;
                page.extend(event.filter(|event| matches!(event.body, ThreadBody::Message(_))));
            }
            page.extend(messages);
            (messages, end) = (page, begin);
        }
        let surplus = messages.len().saturating_sub(limit);
        Ok((team, messages.split_off(surplus)))
    }

    async fn thread(&self, id: &TeamId, alias: ThreadAlias) -> Result<(Arc<Team>, TeamThread), Failure> {
        let team = self.get(id).await?;
        let known = team.threads.get(&alias).cloned();
        let known = known.ok_or_else(|| {
            Failure::new(Code::NotFound, format!("{alias} not found in team {id}"))
                .hint(format!("run `paseo team show {id}`"))
        })?;
        Ok((team, known))
    }
}

/// Returns the threads of a team that have a text in their title, their task or among those who take part.
pub(crate) fn search<'a>(team: &'a Team, text: &str) -> impl Iterator<Item = (ThreadAlias, &'a TeamThread)> {
    let text = text.trim().to_lowercase();
    team.threads.iter().map(|(alias, thread)| (*alias, thread)).filter(move |(_, thread)| {
        let task = thread.task.map(|task| task.to_string());
        let mut words = [thread.title.as_str()]
            .into_iter()
            .chain(task.as_deref())
            .chain(thread.participants.iter().map(String::as_str));
        words.any(|word| word.to_lowercase().contains(&text))
    })
}
