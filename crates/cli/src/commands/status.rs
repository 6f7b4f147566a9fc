//! `paseo status`

use paseo_wire::error::Exit;
use paseo_wire::status::DaemonStatus;
use paseo_wire::words::Status;

use crate::args::StatusArgs;
use crate::autostart;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table, relative};

pub(crate) async fn run(context: &Context, args: StatusArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    if !autostart::is_running(&context.settings) {
        let message = format!("the daemon for {} is not running", context.settings.home.display());
        return Err(Failure::new(Exit::Unreachable, message).hint("start it with `paseo up`"));
    }
    let status = context.client_as_is().status().await?;
    show(&printer, &status)?;
    Ok(Exit::Ok)
}

/// Prints where the daemon is and what it does.
pub(super) fn show(printer: &Printer, status: &DaemonStatus) -> Result<(), Failure> {
    if printer.mode() == Mode::Json {
        return printer.json(status);
    }
    let agents: Vec<String> = status
        .sessions
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    let agents = if agents.is_empty() { "none".to_owned() } else { agents.join(", ") };
    let rows = [
        ("url", status.url.clone()),
        ("home", status.home.clone()),
        ("pid", status.pid.to_string()),
        ("version", status.version.clone()),
        ("started", relative(status.started_at)),
        ("agents", agents),
        ("processes", processes(status)),
        ("providers", providers(status)),
    ];
    let mut table = Table::new([Column::fixed(""), Column::wrapped("")]);
    for (key, value) in rows {
        table.row([(Style::Dim, key.to_owned()), (Style::Plain, value)]);
    }
    printer.table(&table)
}

/// Returns who can be started now, and how many others there are.
fn providers(status: &DaemonStatus) -> String {
    let DaemonStatus { providers, ready_providers: ready, .. } = status;
    let names = if ready.is_empty() { "none ready".to_owned() } else { ready.join(", ") };
    match providers.len().saturating_sub(ready.len()) {
        0 => names,
        others => format!("{names} (of {}; see paseo providers)", others + ready.len()),
    }
}

/// Returns how many processes live of how many may, and what that means for the next turn.
fn processes(status: &DaemonStatus) -> String {
    let DaemonStatus { live_processes: live, process_limit: limit, waiting_turns: waiting, .. } = status;
    let busy: usize =
        [Status::Running, Status::Waiting].iter().filter_map(|at| status.sessions.get(at)).sum();
    let next = match waiting {
        0 if live < limit => "",
        0 if busy >= *limit => "; more turns will wait",
        0 => "; an idle one ends when another turn needs the slot",
        1 => "; 1 turn is waiting",
        _ => return format!("{live} of {limit}; {waiting} turns are waiting"),
    };
    format!("{live} of {limit}{next}")
}
