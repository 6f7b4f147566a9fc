//! One method per route of the API. A `session` may be an id or any handle.

use http::Method;
use paseo_wire::IDEMPOTENCY_KEY;
use paseo_wire::agent::{
    AgentList, AgentQuery, AgentSource, AgentView, AgentViewQuery, CheckAgent, CheckedAgent, SaveAgent,
    TrustAgent, TrustAgents,
};
use paseo_wire::attachment::{UploadQuery, UploadedAttachment};
use paseo_wire::command::{CommandList, CommandQuery};
use paseo_wire::conversation::{
    AgentSessions, AgentSessionsQuery, GoBack, MessageAgent, MessagedAgent, SwitchAgent, SwitchedAgent,
    WentBack, Whereabouts, WhereaboutsQuery,
};
use paseo_wire::device::{DeviceList, LoginLink};
use paseo_wire::diagnosis::Diagnosis;
use paseo_wire::external::SecretView;
use paseo_wire::file::{CompletionList, CompletionQuery, FilePage, FilePreview, FileQuery, PreviewQuery};
use paseo_wire::inbox::{Inbox, InboxPageQuery};
use paseo_wire::item::{ItemPage, ItemQuery, LastTurn, TurnPage, TurnQuery};
use paseo_wire::map::{MapQuery, MapView};
use paseo_wire::message::{
    CreatedSession, DeliveryView, EditMessage, MoveMessage, Queue, Receipt, SendMessage,
};
use paseo_wire::permission::{
    AnswerPermission, AnsweredPermission, CheckPermission, CheckedPermission, PermissionRequest,
    PermissionRequestPage, PermissionRequestQuery, RuleList,
};
use paseo_wire::project::{DirectoryList, DirectoryQuery, ProjectPage, ProjectQuery};
use paseo_wire::provider::{AddProvider, ModelList, ProviderList};
use paseo_wire::search::{SearchPage, SearchQuery};
use paseo_wire::session::{
    ActionAnswer, CreateSession, PatchSession, PromptView, SeenNews, SessionAnswer, SessionLines,
    SessionPage, SessionQuery,
};
use paseo_wire::settings::{CreateToken, CreatedToken, PutSetting, SettingsView, TokenList};
use paseo_wire::status::{DaemonStatus, Health, WhoAmI};
use paseo_wire::tool::{ToolAnswer, ToolArguments, ToolList};
use paseo_wire::trace::{CauseMessages, CauseView, DeliveryTrace};
use paseo_wire::usage::{UsageQuery, UsageReport};
use paseo_wire::worktree::{RemovedWorktree, WorktreeList};

use crate::client::Ask;
use crate::uri::{path, query};
use crate::{Client, Error};

impl Client {
    /// Asks whether the daemon answers.
    pub async fn health(&self) -> Result<Health, Error> {
        self.get("/healthz").await
    }

    /// Returns what the daemon says about itself.
    pub async fn status(&self) -> Result<DaemonStatus, Error> {
        self.get("/api/status").await
    }

    /// Returns who the daemon takes us for.
    pub async fn whoami(&self) -> Result<WhoAmI, Error> {
        self.get("/api/whoami").await
    }

    /// Returns which session of a project we are in.
    pub async fn whereabouts(&self, project: &str) -> Result<Whereabouts, Error> {
        let asked = WhereaboutsQuery { project: project.to_owned() };
        self.get(&format!("/api/whereabouts{}", query(&asked))).await
    }

    /// Asks the daemon to stop; it answers before it does.
    pub async fn shutdown(&self) -> Result<(), Error> {
        self.read_bytes(Ask::new(Method::POST, "/api/shutdown")).await.map(drop)
    }

    /// Returns a page of sessions, each in one line.
    pub async fn session_lines(&self, asked: &SessionQuery) -> Result<SessionLines, Error> {
        let asked = SessionQuery { brief: true, ..asked.clone() };
        self.get(&format!("/api/sessions{}", query(&asked))).await
    }

    /// Returns a page of sessions.
    pub async fn sessions(&self, asked: &SessionQuery) -> Result<SessionPage, Error> {
        self.get(&format!("/api/sessions{}", query(asked))).await
    }

    /// Makes a session. Repeated with the same key, it is made once.
    pub async fn create_session(
        &self,
        wanted: &CreateSession,
        key: Option<&str>,
    ) -> Result<CreatedSession, Error> {
        self.read(keyed(Ask::new(Method::POST, "/api/sessions"), key).json(wanted)).await
    }

    /// Returns a session.
    pub async fn session(&self, session: &str) -> Result<SessionAnswer, Error> {
        self.get(&path(["api", "sessions", session])).await
    }

    /// Uploads a file for a message that is yet to be sent.
    pub async fn upload(&self, name: &str, bytes: Vec<u8>) -> Result<UploadedAttachment, Error> {
        let asked = UploadQuery { name: name.to_owned() };
        self.read(Ask::new(Method::POST, &format!("/api/attachments{}", query(&asked))).bytes(bytes)).await
    }

    /// Reads an attached file.
    pub async fn attachment(&self, session: &str, attachment: &str) -> Result<Vec<u8>, Error> {
        let asked = Ask::new(Method::GET, &path(["api", "sessions", session, "attachments", attachment]));
        self.read_bytes(asked).await.map(Into::into)
    }

    /// Returns what a session said in its last turn.
    pub async fn last_turn(&self, session: &str) -> Result<LastTurn, Error> {
        self.get(&path(["api", "sessions", session, "last-turn"])).await
    }

    /// Reads what is added to the prompt of its harness.
    pub async fn prompt(&self, session: &str) -> Result<PromptView, Error> {
        self.get(&path(["api", "sessions", session, "prompt"])).await
    }

    /// Reads the secret that both sides of an external agent know.
    pub async fn secret(&self, session: &str) -> Result<SecretView, Error> {
        self.get(&path(["api", "sessions", session, "secret"])).await
    }

    /// Reads what a session may use, as a person.
    pub async fn tools_of(&self, session: &str) -> Result<ToolList, Error> {
        self.whole(&path(["api", "sessions", session, "tools"])).await
    }

    /// Reads what the calling agent may use.
    pub async fn tools(&self) -> Result<ToolList, Error> {
        self.whole("/api/tools").await
    }

    /// Calls a tool as the calling agent.
    pub async fn call_tool(&self, name: &str, arguments: &ToolArguments) -> Result<ToolAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "tools", name])).json(arguments)).await
    }

    /// Asks leave for what the agent that we are wants to do, in its harness's words.
    pub async fn ask_leave(
        &self,
        session: &str,
        asked: &CheckPermission,
    ) -> Result<CheckedPermission, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "sessions", session, "leave"])).json(asked)).await
    }

    /// Changes name, labels, pin and attributes.
    pub async fn patch_session(&self, session: &str, patch: &PatchSession) -> Result<SessionAnswer, Error> {
        self.read(Ask::new(Method::PATCH, &path(["api", "sessions", session])).json(patch)).await
    }

    /// Deletes a session; a busy one only by force.
    pub async fn delete_session(&self, session: &str, force: bool) -> Result<ActionAnswer, Error> {
        let force = if force { "?force=true" } else { "" };
        self.read(Ask::new(Method::DELETE, &format!("{}{force}", path(["api", "sessions", session])))).await
    }

    /// Returns a page of a transcript.
    pub async fn items(&self, session: &str, asked: &ItemQuery) -> Result<ItemPage, Error> {
        self.get(&format!("{}{}", path(["api", "sessions", session, "items"]), query(asked))).await
    }

    /// Returns a page of an agent's turns.
    pub async fn turns(&self, session: &str, asked: &TurnQuery) -> Result<TurnPage, Error> {
        self.get(&format!("{}{}", path(["api", "sessions", session, "turns"]), query(asked))).await
    }

    /// Returns what agents have used.
    pub async fn usage(&self, asked: &UsageQuery) -> Result<UsageReport, Error> {
        self.get(&format!("/api/usage{}", query(asked))).await
    }

    /// Returns a page of the directories in which agents worked.
    pub async fn projects(&self, asked: &ProjectQuery) -> Result<ProjectPage, Error> {
        self.get(&format!("/api/projects{}", query(asked))).await
    }

    /// Returns the directories that complete a path.
    pub async fn directories(&self, path: &str) -> Result<DirectoryList, Error> {
        let asked = DirectoryQuery { path: path.to_owned(), ..DirectoryQuery::default() };
        self.whole(&format!("/api/directories{}", query(&asked))).await
    }

    /// Returns the files of a directory that fit what was typed.
    pub async fn complete_file(&self, asked: &CompletionQuery) -> Result<CompletionList, Error> {
        self.whole(&format!("/api/files{}", query(asked))).await
    }

    /// Returns a page of one directory of an agent.
    pub async fn files(&self, session: &str, asked: &FileQuery) -> Result<FilePage, Error> {
        self.get(&format!("{}{}", path(["api", "sessions", session, "files"]), query(asked))).await
    }

    /// Returns a preview of a file of an agent.
    pub async fn file(&self, session: &str, file: &str) -> Result<FilePreview, Error> {
        let asked = PreviewQuery { path: file.to_owned(), raw: false };
        self.get(&format!("{}{}", path(["api", "sessions", session, "file"]), query(&asked))).await
    }

    /// Returns the bytes of an image of an agent.
    pub async fn image(&self, session: &str, file: &str) -> Result<Vec<u8>, Error> {
        let asked = PreviewQuery { path: file.to_owned(), raw: true };
        let ask = format!("{}{}", path(["api", "sessions", session, "file"]), query(&asked));
        self.read_bytes(Ask::new(Method::GET, &ask)).await.map(Into::into)
    }

    /// Returns a page of what was found.
    pub async fn search(&self, asked: &SearchQuery) -> Result<SearchPage, Error> {
        self.get(&format!("/api/search{}", query(asked))).await
    }

    /// Returns the whole text of an item.
    pub async fn item_text(&self, session: &str, ordinal: u64) -> Result<String, Error> {
        let ordinal = ordinal.to_string();
        let ask = Ask::new(Method::GET, &path(["api", "sessions", session, "items", &ordinal, "text"]));
        let bytes = self.read_bytes(ask).await?;
        String::from_utf8(bytes.into()).map_err(|error| Error::Protocol(error.to_string()))
    }

    /// Sends a message. Repeated with the same key, it is sent once.
    pub async fn send(
        &self,
        session: &str,
        message: &SendMessage,
        key: Option<&str>,
    ) -> Result<Receipt, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "sessions", session, "messages"]));
        self.read(keyed(ask, key).json(message)).await
    }

    /// Returns the messages that wait in a session.
    pub async fn queue(&self, session: &str) -> Result<Queue, Error> {
        self.whole(&path(["api", "sessions", session, "queue"])).await
    }

    /// Reads all of a message that waits.
    pub async fn queued_text(&self, session: &str, delivery: &str) -> Result<String, Error> {
        let asked = Ask::new(Method::GET, &path(["api", "sessions", session, "queue", delivery, "text"]));
        self.read_bytes(asked).await.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Replaces the text of a message that waits.
    pub async fn edit_queued(
        &self,
        session: &str,
        delivery: &str,
        edit: &EditMessage,
        key: Option<&str>,
    ) -> Result<ActionAnswer, Error> {
        let ask = Ask::new(Method::PATCH, &path(["api", "sessions", session, "queue", delivery]));
        self.read(keyed(ask, key).json(edit)).await
    }

    /// Cancels a message that waits.
    pub async fn cancel_queued(
        &self,
        session: &str,
        delivery: &str,
        key: Option<&str>,
    ) -> Result<ActionAnswer, Error> {
        let ask = Ask::new(Method::DELETE, &path(["api", "sessions", session, "queue", delivery]));
        self.read(keyed(ask, key)).await
    }

    /// Moves a message that waits.
    pub async fn move_queued(
        &self,
        session: &str,
        delivery: &str,
        wanted: &MoveMessage,
        key: Option<&str>,
    ) -> Result<ActionAnswer, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "sessions", session, "queue", delivery, "move"]));
        self.read(keyed(ask, key).json(wanted)).await
    }

    /// Lets a message go on that is held.
    pub async fn release_queued(
        &self,
        session: &str,
        delivery: &str,
        key: Option<&str>,
    ) -> Result<ActionAnswer, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "sessions", session, "queue", delivery, "release"]));
        self.read(keyed(ask, key)).await
    }

    /// Lets all messages go on that are held.
    pub async fn release_queue(&self, session: &str, key: Option<&str>) -> Result<ActionAnswer, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "sessions", session, "queue", "release"]));
        self.read(keyed(ask, key)).await
    }

    /// Returns a delivery and its outcome.
    pub async fn delivery(&self, session: &str, delivery: &str) -> Result<DeliveryView, Error> {
        self.get(&path(["api", "sessions", session, "deliveries", delivery])).await
    }

    /// Stops the running turn and holds the queue.
    pub async fn stop(&self, session: &str) -> Result<ActionAnswer, Error> {
        self.act(session, "stop").await
    }

    /// Closes a session.
    pub async fn close(&self, session: &str) -> Result<ActionAnswer, Error> {
        self.act(session, "close").await
    }

    /// Makes a subagent an independent agent.
    pub async fn promote(&self, session: &str) -> Result<ActionAnswer, Error> {
        self.act(session, "promote").await
    }

    /// Notes how much of a session's news people have looked at.
    pub async fn looked(&self, session: &str, seen: &SeenNews) -> Result<ActionAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "sessions", session, "looked"])).json(seen)).await
    }

    /// Takes a session out of the inbox until something new happens.
    pub async fn archive(&self, session: &str, seen: &SeenNews) -> Result<ActionAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "sessions", session, "archive"])).json(seen)).await
    }

    /// Returns a page of the inbox.
    pub async fn inbox_page(&self, asked: &InboxPageQuery) -> Result<Inbox, Error> {
        self.get(&format!("/api/inbox{}", query(asked))).await
    }

    /// Returns all of the inbox.
    pub async fn whole_inbox(&self) -> Result<Inbox, Error> {
        let mut whole = self.inbox_page(&InboxPageQuery::default()).await?;
        while let Some(after) = whole.next.take() {
            let page =
                self.inbox_page(&InboxPageQuery { after: Some(after), ..InboxPageQuery::default() }).await?;
            whole.needs_you.extend(page.needs_you);
            whole.finished.extend(page.finished);
            whole.working.extend(page.working);
            whole.next = page.next;
        }
        Ok(whole)
    }

    /// Opens a closed session again.
    pub async fn reopen(&self, session: &str) -> Result<ActionAnswer, Error> {
        self.act(session, "reopen").await
    }

    /// Deletes a session's transcript.
    pub async fn clear(&self, session: &str) -> Result<ActionAnswer, Error> {
        self.act(session, "clear").await
    }

    /// Goes back from a session to where the person came from; waits for the summary that is passed on.
    pub async fn go_back(&self, session: &str, wanted: &GoBack) -> Result<WentBack, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "sessions", session, "back"])).json(wanted)).await
    }

    /// Returns a page of a definition's sessions.
    pub async fn agent_sessions(
        &self,
        slug: &str,
        asked: &AgentSessionsQuery,
    ) -> Result<AgentSessions, Error> {
        self.get(&format!("{}{}", path(["api", "agents", slug, "sessions"]), query(asked))).await
    }

    /// Sends a message to a session of a definition. Repeated with the same key, it is sent once.
    pub async fn message_agent(
        &self,
        slug: &str,
        message: &MessageAgent,
        key: Option<&str>,
    ) -> Result<MessagedAgent, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "agents", slug, "messages"]));
        self.read(keyed(ask, key).json(message)).await
    }

    /// Goes to a session of a definition.
    pub async fn switch_agent(&self, slug: &str, wanted: &SwitchAgent) -> Result<SwitchedAgent, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "agents", slug, "switch"])).json(wanted)).await
    }

    /// Returns a page of what agents ask.
    pub async fn permissions(&self, asked: &PermissionRequestQuery) -> Result<PermissionRequestPage, Error> {
        self.get(&format!("/api/permissions{}", query(asked))).await
    }

    /// Returns every open permission request, or those of one agent, oldest first.
    pub async fn open_asks(&self, session: Option<&str>) -> Result<Vec<PermissionRequest>, Error> {
        Ok(self.open_requests(session).await?.asks)
    }

    /// Returns every open permission request, or those of one agent, as one page.
    pub async fn open_requests(&self, session: Option<&str>) -> Result<PermissionRequestPage, Error> {
        let mut asked = PermissionRequestQuery {
            session: session.map(str::to_owned),
            ..PermissionRequestQuery::default()
        };
        let mut whole = self.permissions(&asked).await?;
        while let Some(after) = whole.next.take() {
            asked.after = Some(after);
            let page = self.permissions(&asked).await?;
            whole.asks.extend(page.asks);
            whole.next = page.next;
        }
        Ok(whole)
    }

    /// Answers what a session asks. The first answer wins.
    pub async fn answer_permission(
        &self,
        session: &str,
        hash: &str,
        answer: &AnswerPermission,
    ) -> Result<AnsweredPermission, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "sessions", session, "permissions", hash]));
        self.read(ask.json(answer)).await
    }

    /// Returns the standing permission rules.
    pub async fn rules(&self) -> Result<RuleList, Error> {
        self.whole("/api/rules").await
    }

    /// Forgets such a decision.
    pub async fn forget_rule(&self, rule: &str) -> Result<RuleList, Error> {
        self.read(Ask::new(Method::DELETE, &path(["api", "rules", rule]))).await
    }

    /// Returns the kinds of agents, and which could be used now.
    pub async fn providers(&self) -> Result<ProviderList, Error> {
        self.whole("/api/providers").await
    }

    /// Returns the models that can be chosen with a provider.
    pub async fn models(&self, provider: &str) -> Result<ModelList, Error> {
        self.whole(&path(["api", "providers", provider, "models"])).await
    }

    /// Makes a command a kind of agent.
    pub async fn add_provider(&self, added: &AddProvider) -> Result<ProviderList, Error> {
        self.read(Ask::new(Method::POST, "/api/providers").json(added)).await
    }

    /// Forgets a command that was added.
    pub async fn remove_provider(&self, name: &str) -> Result<ProviderList, Error> {
        self.read(Ask::new(Method::DELETE, &path(["api", "providers", name]))).await
    }

    /// Returns the definitions of agents in a project.
    pub async fn agents(&self, asked: &AgentQuery) -> Result<AgentList, Error> {
        self.whole(&format!("/api/agents{}", query(asked))).await
    }

    /// Returns a resolved agent definition.
    pub async fn agent(&self, slug: &str, asked: &AgentViewQuery) -> Result<AgentView, Error> {
        self.get(&format!("{}{}", path(["api", "agents", slug]), query(asked))).await
    }

    /// Returns the files that define an agent, as they are now.
    pub async fn agent_source(&self, slug: &str, asked: &AgentQuery) -> Result<AgentSource, Error> {
        self.get(&format!("{}{}", path(["api", "agents", slug, "source"]), query(asked))).await
    }

    /// Makes the definitions of a project count, as long as they stay as they are.
    pub async fn trust_agents(&self, wanted: &TrustAgents) -> Result<AgentList, Error> {
        self.read(Ask::new(Method::POST, "/api/projects/trust").json(wanted)).await
    }

    /// Saves a definition of the user's own, and trusts it.
    pub async fn save_agent(&self, slug: &str, wanted: &SaveAgent) -> Result<AgentList, Error> {
        self.read(Ask::new(Method::PUT, &path(["api", "agents", slug])).json(wanted)).await
    }

    /// Returns what a message to an agent can begin with.
    pub async fn commands(&self, asked: &CommandQuery) -> Result<CommandList, Error> {
        self.get(&format!("/api/commands{}", query(asked))).await
    }

    /// Returns what is wrong with a definition, without saving it.
    pub async fn check_agent(&self, slug: &str, wanted: &CheckAgent) -> Result<CheckedAgent, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "agents", slug, "check"])).json(wanted)).await
    }

    /// Returns what Paseo needs on the daemon's machine, and whether it is there.
    pub async fn diagnosis(&self) -> Result<Diagnosis, Error> {
        self.get("/api/diagnosis").await
    }

    /// Makes one change of a definition count.
    pub async fn trust_agent(&self, slug: &str, wanted: &TrustAgent) -> Result<AgentList, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "agents", slug, "trust"])).json(wanted)).await
    }

    /// Takes that back.
    pub async fn distrust_agents(&self, asked: &AgentQuery) -> Result<AgentList, Error> {
        self.read(Ask::new(Method::DELETE, &format!("/api/projects/trust{}", query(asked)))).await
    }

    /// Lists the worktrees of agents.
    pub async fn worktrees(&self) -> Result<WorktreeList, Error> {
        self.whole("/api/worktrees").await
    }

    /// Removes a worktree; with `force` what would be lost is archived first.
    pub async fn remove_worktree(&self, worktree: &str, force: bool) -> Result<RemovedWorktree, Error> {
        let mut path = path(["api", "worktrees", worktree]);
        if force {
            path.push_str("?force=true");
        }
        self.read(Ask::new(Method::DELETE, &path)).await
    }

    /// Returns the settings.
    pub async fn settings(&self) -> Result<SettingsView, Error> {
        self.get("/api/settings").await
    }

    /// Switches a setting.
    pub async fn put_setting(&self, key: &str, value: bool) -> Result<SettingsView, Error> {
        self.read(Ask::new(Method::PUT, &path(["api", "settings", key])).json(&PutSetting { value })).await
    }

    /// Returns the tokens, without their secrets.
    pub async fn tokens(&self) -> Result<TokenList, Error> {
        self.whole("/api/tokens").await
    }

    /// Makes a token.
    pub async fn create_token(&self, wanted: &CreateToken) -> Result<CreatedToken, Error> {
        self.read(Ask::new(Method::POST, "/api/tokens").json(wanted)).await
    }

    /// Makes a link that logs one browser in.
    pub async fn create_login_link(&self) -> Result<LoginLink, Error> {
        self.read(Ask::new(Method::POST, "/api/login-links")).await
    }

    /// Lists the browsers that are logged in.
    pub async fn devices(&self) -> Result<DeviceList, Error> {
        self.whole("/api/devices").await
    }

    /// Logs a browser out.
    pub async fn revoke_device(&self, device: &str) -> Result<DeviceList, Error> {
        self.read(Ask::new(Method::DELETE, &path(["api", "devices", device]))).await
    }

    /// Returns the life of a message.
    pub async fn trace(&self, delivery: &str) -> Result<DeliveryTrace, Error> {
        self.get(&path(["api", "deliveries", delivery])).await
    }

    /// Returns what descends from one human request.
    pub async fn cause(&self, cause: &str) -> Result<CauseView, Error> {
        self.get(&path(["api", "causes", cause])).await
    }

    /// Returns all messages that descend from one human request.
    pub async fn cause_messages(&self, cause: &str) -> Result<CauseMessages, Error> {
        self.whole(&path(["api", "causes", cause, "messages"])).await
    }

    /// Returns the map.
    pub async fn map(&self, asked: &MapQuery) -> Result<MapView, Error> {
        self.get(&format!("/api/map{}", query(asked))).await
    }

    /// Ends everything that descends from one human request.
    pub async fn stop_cause(&self, cause: &str) -> Result<CauseView, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "causes", cause, "stop"]))).await
    }

    /// Revokes a token.
    pub async fn revoke_token(&self, token: &str) -> Result<TokenList, Error> {
        self.read(Ask::new(Method::DELETE, &path(["api", "tokens", token]))).await
    }

    async fn act(&self, session: &str, verb: &str) -> Result<ActionAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "sessions", session, verb]))).await
    }
}

pub(crate) fn keyed(ask: Ask, key: Option<&str>) -> Ask {
    match key {
        Some(key) => ask.header(IDEMPOTENCY_KEY, key),
        None => ask,
    }
}
