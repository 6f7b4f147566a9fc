//! Tools: four ways in, one check; and skills, which are one of the ways.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use paseo_client::Client;
use paseo_core::tool::{Plugin, REGISTRY, Spec};
use paseo_wire::error::Code;
use paseo_wire::item::ItemView;
use paseo_wire::session::CreateSession;
use paseo_wire::settings::CreateToken;
use paseo_wire::stream::Frame;
use paseo_wire::tool::ToolArguments;
use paseo_wire::words::{ItemKind, ToolOutcome};
use serde_json::{Value, json};

use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::assert_said;
use crate::watch::{Watched, outcome, until};

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    /// It may be called, and says this; whether it did what was wanted is another question.
    Allowed(String),
    /// Refused, in these words.
    Denied(String),
    Unauthenticated,
}

/// An agent whose process lives, with its token.
struct Agent {
    id: String,
    token: String,
}

fn define(watched: &Watched, slug: &str, definition: &str) {
    let folder = watched.home.path().join("agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{slug}.toml")), definition).unwrap();
    watched.home.trust();
}

async fn create(
    watched: &Watched,
    slug: &str,
    ui: bool,
    prompt: &str,
) -> Result<String, paseo_client::Error> {
    let wanted = CreateSession {
        agent: Some(slug.to_owned()),
        directory: watched.home.work().display().to_string(),
        labels: [("ui".to_owned(), ui.to_string())].into(),
        prompt: Some(prompt.to_owned()),
        ..CreateSession::default()
    };
    Ok(watched.client.create_session(&wanted, None).await?.session.id.into())
}

/// Calls every tool natively and from the agent's shell, then shows its token and stays.
async fn alive(watched: &Watched, slug: &str, ui: bool, tools: &[&Spec]) -> Agent {
    let id = create(watched, slug, ui, &tour(tools)).await.unwrap();
    with_token(watched, id).await
}

/// The same for an agent that another one starts, with these tools of its own.
async fn child(watched: &Watched, parent: &str, own: &Value, tools: &[&Spec]) -> Agent {
    let summon = json!({ "agent": "helper", "task": "wait for a person", "background": true, "tools": own });
    let parent = create(watched, parent, false, &format!("<<tool summon {summon}>>")).await.unwrap();
    watched.settled(&parent).await;
    let id = watched.client.session(&parent).await.unwrap().session.children.unwrap().remove(0);
    watched.settled(&id).await;
    watched.send(&id, &tour(tools)).await;
    with_token(watched, id.into()).await
}

fn tour(tools: &[&Spec]) -> String {
    let native = tools.iter().map(|tool| format!("<<tool {} {{}}>>", tool.name)).collect::<String>();
    let shell = tools.iter().map(|tool| format!("<<sh paseo tool {}; echo \"exit=$?\">>", tool.name));
    format!("{native}{}<<sh echo token=$PASEO_TOKEN=>><<hang>>", shell.collect::<String>())
}

async fn with_token(watched: &Watched, id: String) -> Agent {
    let mut events = watched.follow(&id, 0);
    let mut token = None;
    until(&mut events, |frame| {
        if let Frame::Item(item) = frame
            && let Some(text) = item.item.text.as_deref().filter(|text| text.starts_with("token="))
        {
            token = text.split('=').nth(1).map(str::to_owned);
        }
        token.is_some()
    })
    .await;
    Agent { id, token: token.unwrap() }
}

async fn address(watched: &Watched) -> String {
    watched.client.status().await.unwrap().url.trim_start_matches("http://").to_owned()
}

/// What a tool said natively and in the shell: results come in the order of the script.
fn by_script(items: &[ItemView], tools: &[&Spec]) -> (Vec<Verdict>, Vec<Verdict>) {
    let results: Vec<&ItemView> = items.iter().filter(|item| item.kind() == ItemKind::ToolResult).collect();
    let (native, shell) = results.split_at(tools.len());
    let native = native.iter().map(|item| match outcome(item) {
        ToolOutcome::Denied => Verdict::Denied(item.text.clone().unwrap_or_default()),
        _ => Verdict::Allowed(item.text.clone().unwrap_or_default()),
    });
    let shell = shell.iter().take(tools.len()).map(|item| by_exit(item.text.as_deref().unwrap_or_default()));
    (native.collect(), shell.collect())
}

/// Reads what a shell step printed: stderr, then the exit code.
fn by_exit(printed: &str) -> Verdict {
    let (said, code) = printed.trim_end().rsplit_once("exit=").unwrap_or_else(|| panic!("{printed}"));
    let failed = said.strip_prefix("error: ").map(|said| said.split("\n hint:").next().unwrap_or_default());
    match (code, failed) {
        ("0", None) => Verdict::Allowed(said.trim_end().to_owned()),
        // Further lines of an error are set in on a terminal.
        ("1", Some(said)) => Verdict::Allowed(said.trim_end().replace("\n  ", "\n")),
        ("6", Some(said)) => Verdict::Denied(said.trim_end().to_owned()),
        _ => panic!("{printed}"),
    }
}

async fn by_http(client: &Client, tool: &str) -> Verdict {
    match client.call_tool(tool, &ToolArguments::default()).await {
        Ok(answer) => {
            assert!(["ok", "error"].contains(&answer.outcome.as_str()), "{answer:?}");
            Verdict::Allowed(answer.text)
        }
        Err(error) => refusal(error.code(), error.to_string()),
    }
}

fn refusal(code: Option<Code>, message: String) -> Verdict {
    match code {
        Some(Code::Unauthenticated) => Verdict::Unauthenticated,
        Some(Code::Forbidden) => Verdict::Denied(message),
        other => panic!("{other:?} {message}"),
    }
}

/// Calls a tool as an MCP client does.
fn by_mcp(address: &str, session: &str, token: Option<&str>, tool: &Spec) -> Verdict {
    let server = if tool.plugin == Plugin::Ui { "Paseo" } else { "paseo-tools" };
    let params = json!({ "name": tool.name, "arguments": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /mcp/{session}/{server} HTTP/1.1\r\nhost: {address}\r\n{token}content-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let from = body.find('{').unwrap_or_else(|| panic!("{answer}"));
    let to = body.rfind('}').unwrap();
    let body: Value =
        serde_json::from_str(&body[from..=to]).unwrap_or_else(|error| panic!("{error}: {answer}"));
    if !head.starts_with("HTTP/1.1 200") {
        let code = serde_json::from_value(body["code"].clone()).ok();
        return refusal(code, body["message"].as_str().unwrap_or_default().to_owned());
    }
    let text = body["result"]["content"][0]["text"].as_str().unwrap_or_default();
    // The protocol tells a refusal from a failed call by its words alone.
    match text.contains("is not granted to this agent") {
        true => Verdict::Denied(text.to_owned()),
        false => Verdict::Allowed(text.to_owned()),
    }
}

fn switch_on_everything(watched: &Watched) {
    for key in ["perm_send_to_tab", "perm_read_tab", "perm_user_agent", "perm_summon"] {
        watched.home.paseo(&["settings", "set", key, "on"]).ok();
    }
}

#[tokio::test]
async fn every_tool_by_every_way_for_everyone_has_one_verdict() {
    let watched = Watched::new();
    switch_on_everything(&watched);
    // By name: whoever sits in no thread has the tools of threads only so.
    define(&watched, "everything", "toolAllowlist = ['*']");
    // It needs a shell to try from.
    define(&watched, "nothing", "toolAllowlist = ['native_shell']");
    define(&watched, "no-shell", "tools = ['native_read']");
    // What it starts may do no more than it does itself, although that one's own definition says nothing.
    define(&watched, "boss", "tools = ['bash', 'summon', 'read_tab', 'todo']");
    define(&watched, "helper", "is_subagent = true");
    let address = address(&watched).await;
    // Those of a team are for agents of one.
    let all: Vec<&Spec> = REGISTRY.iter().filter(|tool| tool.plugin != Plugin::Team).collect();
    let but_shell: Vec<&Spec> = all.iter().copied().filter(|tool| tool.name != "native_shell").collect();

    let granted = alive(&watched, "everything", true, &all).await;
    let denied = alive(&watched, "nothing", false, &but_shell).await;
    let own = ["todo", "read_tab", "native_shell", "native_net"];
    let limited = child(&watched, "boss", &json!(["todo", "read_tab", "bash"]), &but_shell).await;
    let everything: Vec<&str> = all.iter().map(|tool| tool.name).collect();
    for (agent, tools, expected) in
        [(&granted, &all, &everything[..]), (&denied, &but_shell, &[]), (&limited, &but_shell, &own)]
    {
        let items = watched.items(&agent.id).await;
        let (native, shell) = by_script(&items, tools);
        let client = Client::tcp(&*address, Some(agent.token.clone()));
        for (index, tool) in tools.iter().enumerate() {
            let verdicts = [
                native[index].clone(),
                shell[index].clone(),
                by_http(&client, tool.name).await,
                by_mcp(&address, &agent.id, Some(&agent.token), tool),
            ];
            let first = verdicts[0].clone();
            assert!(verdicts.iter().all(|verdict| *verdict == first), "{}: {verdicts:#?}", tool.name);
            let allowed = matches!(first, Verdict::Allowed(_));
            assert_eq!(allowed, expected.contains(&tool.name), "{}: {first:?}", tool.name);
        }
        // Each refusal is in the transcript, whatever the way.
        let items = watched.items(&agent.id).await;
        for tool in tools {
            let told = items.iter().filter(|item| {
                item.code() == Some("tool_refused")
                    && item.text.as_deref().is_some_and(|text| text.contains(&format!("`{}`", tool.name)))
            });
            let refusals = if expected.contains(&tool.name) { 0 } else { 4 };
            assert_eq!(told.count(), refusals, "{}", tool.name);
        }
    }

    let wanted = CreateToken { name: "a person".into(), ..CreateToken::default() };
    let person = watched.client.create_token(&wanted).await.unwrap().secret;
    let person_by_http = Client::tcp(&*address, Some(person.clone()));
    let nobody = Client::tcp(&*address, None);
    for tool in &all {
        let name = tool.name;
        let [by_token, by_socket] =
            [by_http(&person_by_http, name).await, by_http(&watched.client, name).await];
        assert_eq!(by_token, by_socket, "{name}");
        let Verdict::Denied(told) = by_token else { panic!("{name}: {by_token:?}") };
        assert_said!(watched.home, &told, @"only agents can call tools");
        let by_mcp_as_person = by_mcp(&address, &granted.id, Some(&person), tool);
        let Verdict::Denied(told) = by_mcp_as_person else { panic!("{name}: {by_mcp_as_person:?}") };
        assert_said!(watched.home, &told, @"only the agent itself can do this");
        let typed = watched.home.paseo(&["tool", name]);
        assert_eq!(typed.code, 6, "{typed:?}");
        assert_said!(watched.home, &typed.stderr.replace(name, "TOOL"), @r"
        error: only agents can call tools
         hint: run `paseo inspect HANDLE` to see an agent's tools
        ");
        assert_eq!(by_http(&nobody, name).await, Verdict::Unauthenticated, "{name}");
        assert_eq!(by_mcp(&address, &granted.id, None, tool), Verdict::Unauthenticated, "{name}");
        // Another agent's token opens nothing of this one.
        let others = by_mcp(&address, &granted.id, Some(&denied.token), tool);
        let Verdict::Denied(others) = others else { panic!("{name}: {others:?}") };
        assert_said!(watched.home, &others, @"an agent's MCP servers accept only that agent's own token");
    }

    // Whoever has no shell has no command line either; the refusal has the same words.
    let id =
        create(&watched, "no-shell", false, "<<tool native_shell {}>><<sh paseo tool todo>>").await.unwrap();
    watched.settled(&id).await;
    let items = watched.items(&id).await;
    let told: Vec<&str> = items
        .iter()
        .filter(|item| item.kind() == ItemKind::ToolResult)
        .filter_map(|item| item.text.as_deref())
        .collect();
    assert_said!(watched.home, told[0], @"the tool `native_shell` is not granted to this agent (granted: native_read, todo)");
    assert_eq!(told[0], told[1]);
    for agent in [&granted, &denied, &limited] {
        watched.client.stop(&agent.id).await.unwrap();
    }
}

#[tokio::test]
async fn whoever_lost_its_definition_is_told_so() {
    let cast = Cast::new(&[]);
    cast.define("planner", "tools = ['todo', 'bash']");
    let agent = cast.start("planner", &format!("{WAIT}{}", tool("todo", &json!({ "todos": [] })))).await;
    cast.until_calling(&agent.id).await;
    // In the middle of a turn: another would not begin.
    fs::remove_file(cast.0.home.path().join("agents/planner.toml")).unwrap();
    release(&cast);
    cast.0.settled(&agent.id).await;
    let refused = cast.called(&agent.id).await.pop().unwrap();
    let told = "the tool `todo` is not granted to this agent, and neither is any other: agent definition `planner` not found, so";
    assert!(refused.outcome == "denied" && refused.text.starts_with(told), "{refused:?}");
    let items = cast.0.items(&agent.id).await;
    let noted = items.iter().find(|item| item.kind() == ItemKind::Notice).unwrap();
    assert_eq!((noted.code(), &noted.text), (Some("tool_refused"), &Some(refused.text)));
}

#[tokio::test]
async fn an_agent_calls_tools_from_its_shell_by_flags_and_by_json() {
    let watched = Watched::new();
    switch_on_everything(&watched);
    let other = watched.create("<<say ready>>").await.session;
    watched.settled(&other.id).await;
    let steps = [
        "paseo tool -q".to_owned(),
        format!("paseo tool send_to_tab --tab-id {} --message 'one two'", other.handle),
        format!("paseo tool read_tab --tab_id={}", other.handle),
        format!("echo '{{\"tab_id\":\"{}\"}}' | paseo tool read_tab --json -", other.handle),
        "paseo tool send_to_tab --help".to_owned(),
        "paseo tool send_to_tab --colour red".to_owned(),
        "paseo tool send_to_tab --tab-id 0000 --json '{\"message\":3}'".to_owned(),
        "paseo tool frobnicate".to_owned(),
    ];
    let script = steps.iter().map(|step| format!("<<sh {step}; echo \"exit=$?\">>")).collect::<String>();
    let created = watched.create(&script).await;
    watched.settled(&created.session.id).await;
    let items = watched.items(&created.session.id).await;
    let printed: Vec<&str> = items
        .iter()
        .filter(|item| item.kind() == ItemKind::ToolResult)
        .filter_map(|item| item.text.as_deref())
        .collect();
    let [listed, sent, read, by_json, help, mistyped, misfit, unknown] = printed[..] else {
        panic!("{printed:#?}")
    };
    assert_eq!(listed, "send_to_tab\nread_tab\nnotify_when_idle\nsummon\nretrieve\nexit=0\n");
    assert!(sent.ends_with("exit=0\n"), "{sent}");
    assert!(read.contains("<tab_response") && by_json.contains("<tab_response"), "{read}{by_json}");
    assert_said!(watched.home, &[help, mistyped, misfit, unknown].join("\n"));
    let arrived = watched.items(&other.id).await;
    assert!(arrived.iter().any(|item| item.text.as_deref() == Some("one two")), "{arrived:#?}");
}

#[tokio::test]
async fn skills_are_files_that_the_prompt_names_and_that_work() {
    let watched = Watched::new();
    define(&watched, "skilled", "tools = ['native_shell', 'todo', 'agents_list']\ntoolExposure = 'skills'");
    let id = create(&watched, "skilled", false, "<<sh cat \"$PASEO_HOME\"/skills/*/paseo-todo/SKILL.md>>")
        .await
        .unwrap();
    watched.settled(&id).await;
    let items = watched.items(&id).await;
    let page = items
        .iter()
        .find(|item| item.kind() == ItemKind::ToolResult)
        .and_then(|item| item.text.clone())
        .unwrap();
    assert!(page.starts_with("---\nname: paseo-todo\ndescription: \""), "{page}");
    for part in
        ["  - `content` (string): ", "  - `status` (string, optional): pending (default), in_progress,"]
    {
        assert!(page.contains(part), "{page}");
    }
    let example = page.lines().find(|line| line.contains(" tool todo ")).unwrap_or_else(|| panic!("{page}"));
    assert!(example.contains("\"status\":\"in_progress\""), "{example}");
    // The example of the page is a call that works.
    watched.send(&id, &format!("<<sh {}; echo \"exit=$?\">>", example.replace('>', "\\>"))).await;
    watched.settled(&id).await;
    let items = watched.items(&id).await;
    let last = items
        .iter()
        .rev()
        .find(|item| item.kind() == ItemKind::ToolResult)
        .and_then(|item| item.text.clone());
    assert!(last.as_ref().is_some_and(|text| text.ends_with("exit=0\n")), "{last:?}");

    let folder = fs::read_dir(watched.home.path().join("skills")).unwrap().next().unwrap().unwrap().path();
    let prompt = watched.client.prompt(&id).await.unwrap().prompt;
    for plugin in ["paseo-todo", "paseo-agents"] {
        let path = folder.join(plugin).join("SKILL.md");
        assert!(prompt.contains(&path.display().to_string()) && path.exists(), "{prompt}");
    }
    assert!(!prompt.contains(&id), "command lines hold the prompt: {prompt}");
    assert_said!(watched.home, &prompt);
    // A change counts from the next turn on.
    define(
        &watched,
        "skilled",
        "tools = ['native_shell', 'todo', 'agents_list']\ntoolExposure = 'mixed'\nskillDenylist = ['ag*']",
    );
    watched.send(&id, "<<say on>>").await;
    watched.settled(&id).await;
    assert!(folder.join("paseo-todo").exists() && !folder.join("paseo-agents").exists());
    assert_said!(watched.home, &watched.client.prompt(&id).await.unwrap().prompt);
    watched.client.delete_session(&id, true).await.unwrap();
    assert!(!folder.exists());
}

#[tokio::test]
async fn skills_without_a_shell_are_tools_with_a_warning() {
    let watched = Watched::new();
    for exposure in ["skills", "mixed"] {
        define(
            &watched,
            "handless",
            &format!("tools = ['native_read', 'todo']\ntoolExposure = '{exposure}'"),
        );
        let todo = json!({ "todos": [{ "content": exposure }] });
        let id = create(&watched, "handless", false, &tool("todo", &todo)).await.unwrap();
        watched.settled(&id).await;
        let items = watched.items(&id).await;
        let result = items.iter().find(|item| item.kind() == ItemKind::ToolResult).unwrap();
        assert_eq!(outcome(result), &ToolOutcome::Ok, "{result:?}");
        let prompt = watched.client.prompt(&id).await.unwrap().prompt;
        assert_said!(watched.home, &prompt);
        assert!(!watched.home.path().join("skills").join(&id).exists());
        let checked = watched.home.paseo(&["agents", "check"]);
        let warning = format!("toolExposure `{exposure}` needs a shell, so `tools` is used instead");
        assert!(checked.code == 0 && format!("{checked:?}").contains(&warning), "{checked:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_is_denied_as_a_skill_is_refused_to_the_shell_and_by_http() {
    let watched = Watched::new();
    watched.home.paseo(&["settings", "set", "perm_send_to_tab", "on"]).ok();
    let peer = create(&watched, "default", false, "<<say hi>>").await.unwrap();
    watched.settled(&peer).await;
    let tools = "toolAllowlist = ['native_shell', 'todo', 'agents_list', 'send_to_tab']";
    let lists = ["skillDenylist = ['agents', 'tabs']", "skillAllowlist = ['todo', 'notes']"];
    for (exposure, as_tool) in [("skills", false), ("mixed", true), ("tools", true)] {
        for (number, list) in lists.iter().enumerate() {
            let slug = format!("{exposure}{number}");
            define(&watched, &slug, &format!("{tools}\ntoolExposure = '{exposure}'\n{list}"));
            let script = format!(
                "<<tool agents_list {{}}>><<sh paseo tool agents_list; echo \"exit=$?\">>\
                 <<sh paseo send {peer} hello; echo \"exit=$?\">><<sh paseo tool; echo \"exit=$?\">>\
                 <<sh paseo tool todo --json '{{\"todos\":[]}}'; echo \"exit=$?\">>\
                 <<sh echo token=$PASEO_TOKEN=>><<hang>>"
            );
            let id = create(&watched, &slug, false, &script).await.unwrap();
            let agent = with_token(&watched, id).await;
            let items = watched.items(&agent.id).await;
            let results: Vec<(&str, &str)> = items
                .iter()
                .filter(|item| item.kind() == ItemKind::ToolResult)
                .map(|item| (outcome(item).as_str(), item.text.as_deref().unwrap_or_default()))
                .collect();
            let [native, shell, send, list, todo, _] = &results[..] else { panic!("{results:#?}") };
            assert_eq!(native.0, if as_tool { "ok" } else { "denied" }, "{slug}: {native:?}");
            assert!(
                shell.1.ends_with("exit=6\n") && send.1.ends_with("exit=6\n"),
                "{slug}: {shell:?} {send:?}"
            );
            let told = "cannot be called from a shell or over HTTP";
            assert_eq!(shell.1.contains(told), as_tool, "{slug}: {shell:?}");
            assert!(list.1.contains("todo") && !list.1.contains("agents_list"), "{slug}: {list:?}");
            assert!(todo.1.ends_with("exit=0\n"), "{slug}: {todo:?}");
            let address = address(&watched).await;
            let client = Client::tcp(&*address, Some(agent.token.clone()));
            assert!(matches!(by_http(&client, "agents_list").await, Verdict::Denied(_)), "{slug}");
            let spec = REGISTRY.iter().find(|spec| spec.name == "agents_list").unwrap();
            let mcp = by_mcp(&address, &agent.id, Some(&agent.token), spec);
            assert_eq!(matches!(mcp, Verdict::Allowed(_)), as_tool, "{slug}: {mcp:?}");
            let prompt = watched.client.prompt(&agent.id).await.unwrap().prompt;
            assert!(!prompt.contains("paseo-agents") && !prompt.contains("paseo-tabs"), "{slug}: {prompt}");
            assert_eq!(prompt.contains("agents_list"), as_tool, "{slug}: {prompt}");
        }
    }
    let heard = watched.items(&peer).await;
    assert!(!heard.iter().any(|item| item.text.as_deref() == Some("hello")), "{heard:#?}");
}
