//! `paseo tool`

use std::io::{self, Read};

use clap::CommandFactory;
use paseo_core::skill;
use paseo_core::tool::arguments::{kind_words, properties, required};
use paseo_core::tool::flags::{self, JSON};
use paseo_wire::error::Exit;
use paseo_wire::tool::{ToolArguments, ToolView};
use paseo_wire::words::ToolOutcome;
use serde_json::{Map, Value};

use crate::args::{Cli, ToolArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table};

/// Most bytes of arguments that are read from stdin: more than the daemon takes.
const STDIN_BYTES: u64 = 2 * 1024 * 1024;

pub(crate) async fn run(context: &Context, args: ToolArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output());
    let Some(name) = &args.name else {
        return if args.help { general_help(&printer) } else { list(context, &printer).await };
    };
    let client = context.client()?;
    let granted = client.tools().await?.tools;
    let tool = granted.into_iter().find(|tool| tool.name == *name);
    let wants_help = args.help || args.arguments.iter().any(|word| matches!(word.as_str(), "--help" | "-h"));
    let arguments = match &tool {
        Some(tool) if wants_help => {
            printer.text(&help(tool))?;
            return Ok(Exit::Ok);
        }
        Some(tool) => read(tool, args.arguments)?,
        // The daemon refuses it in the words that every way in has, and takes note.
        None => Map::new(),
    };
    let answer = client.call_tool(name, &ToolArguments(arguments)).await?;
    if answer.outcome != ToolOutcome::Ok {
        return Err(Failure::new(Exit::AgentError, answer.text));
    }
    printer.text(&answer.text)?;
    Ok(Exit::Ok)
}

async fn list(context: &Context, printer: &Printer) -> Result<Exit, Failure> {
    let tools = context.client()?.tools().await?.tools;
    if tools.is_empty() {
        printer.note("this agent has no Paseo tools");
    }
    if printer.mode() == Mode::Quiet {
        tools.iter().try_for_each(|tool| printer.line(&tool.name))?;
        return Ok(Exit::Ok);
    }
    let mut table = Table::new([Column::fixed(""), Column::flexible("")]);
    for tool in &tools {
        table.row([(Style::Bold, tool.name.clone()), (Style::Plain, first_sentence(&tool.description))]);
    }
    printer.table(&table)?;
    Ok(Exit::Ok)
}

/// Reads what was typed by what the tool takes.
fn read(tool: &ToolView, mut words: Vec<String>) -> Result<Map<String, Value>, Failure> {
    from_stdin(&mut words)?;
    let read = flags::read(&tool.schema, &words).map_err(|mistyped| {
        let hint = format!("arguments: {}; see `paseo tool {} --help`", mistyped.known.join(", "), tool.name);
        Failure::usage(mistyped.to_string()).hint(hint)
    })?;
    match read {
        Value::Object(arguments) => Ok(arguments),
        _ => Ok(Map::new()),
    }
}

/// Puts what stdin holds in the place of `--json -`.
fn from_stdin(words: &mut [String]) -> Result<(), Failure> {
    let tied = format!("{JSON}=-");
    let at = words.windows(2).position(|pair| pair[0] == JSON && pair[1] == "-").map(|at| at + 1);
    let Some(at) = at.or_else(|| words.iter().position(|word| *word == tied)) else { return Ok(()) };
    let mut text = String::new();
    let unreadable =
        |error: io::Error| Failure::usage(format!("cannot read the arguments from stdin: {error}"));
    io::stdin().take(STDIN_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    words[at] = if words[at] == tied { format!("{JSON}={text}") } else { text };
    Ok(())
}

/// Says what a tool is for and what it takes.
fn help(tool: &ToolView) -> String {
    let mut text = format!("{}\n\nUsage: paseo tool {} [ARGUMENTS]\n", tool.description.trim(), tool.name);
    let known = properties(&tool.schema).into_iter().flatten();
    let rows: Vec<(String, String)> = known
        .flat_map(|(name, of)| {
            let must = if required(&tool.schema).any(|needed| needed == name) { ", required" } else { "" };
            let about = of.get("description").and_then(Value::as_str).unwrap_or_default();
            let row = (flags::flag(name), format!("({}{must}) {about}", kind_words(of)));
            let parts = skill::parts(of).into_iter();
            [row]
                .into_iter()
                .chain(parts.map(|(name, kind, about)| (format!("  {name}"), format!("({kind}) {about}"))))
        })
        .collect();
    let width = rows.iter().map(|(flag, _)| flag.chars().count()).max().unwrap_or_default();
    if rows.is_empty() {
        text.push_str("\nNo arguments.\n");
    } else {
        text.push_str("\nArguments:\n");
    }
    rows.iter().for_each(|(flag, about)| text.push_str(&format!("  {flag:width$}  {}\n", about.trim_end())));
    text.push_str(&format!("\nExample:\n  {}\n", skill::example("paseo", &tool.name, &tool.schema)));
    text
}

fn general_help(printer: &Printer) -> Result<Exit, Failure> {
    let mut root = Cli::command();
    root.build();
    let help = root.find_subcommand_mut("tool").map(|command| command.render_long_help().to_string());
    printer.text(&help.unwrap_or_default())?;
    Ok(Exit::Ok)
}

fn first_sentence(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.find(". ").map_or(line, |end| &line[..=end]).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn help_says_what_a_tool_takes() {
        let schema = json!({
            "type": "object",
            "properties": {
                "tab_id": { "type": "string", "description": "Which." },
                "mode": { "enum": ["sync", "async"] },
            },
            "required": ["tab_id"],
        });
        let tool = ToolView {
            name: "x".into(),
            plugin: "tabs".into(),
            description: "Does it. Or not.".into(),
            schema,
        };
        assert_eq!(
            help(&tool),
            "Does it. Or not.\n\nUsage: paseo tool x [ARGUMENTS]\n\nArguments:\n  --tab-id  (string, required) Which.\n  \
             --mode    (\"sync\", \"async\")\n\nExample:\n  paseo tool x --tab-id '…'\n"
        );
        assert_eq!(first_sentence(&tool.description), "Does it.");
        let entry = json!({ "type": "object", "properties": { "status": { "type": "string", "description": "a or b" } } });
        let schema =
            json!({ "type": "object", "properties": { "todos": { "type": "array", "items": entry } } });
        let told = help(&ToolView { schema, ..tool });
        assert!(
            told.contains("  --todos   (list of objects)\n    status  (string, optional) a or b\n"),
            "{told}"
        );
    }
}
