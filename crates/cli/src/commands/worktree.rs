//! `paseo worktree`

use paseo_wire::error::Exit;
use paseo_wire::message::CreatedSession;
use paseo_wire::worktree::WorktreeEntry;

use super::ls::under_home;
use crate::args::WorktreeCommand;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table};

pub(crate) async fn run(context: &Context, command: WorktreeCommand) -> Result<Exit, Failure> {
    match command {
        WorktreeCommand::Ls { output } => {
            let printer = context.printer.with(output);
            let list = context.client()?.worktrees().await?;
            match printer.mode() {
                Mode::Json => printer.json(&list)?,
                Mode::Quiet => list.worktrees.iter().try_for_each(|entry| printer.line(&entry.name))?,
                Mode::Normal if list.worktrees.is_empty() => {
                    printer.note("No worktrees. Create one: paseo run --worktree \"…\"");
                }
                Mode::Normal => printer.table(&table(list.worktrees))?,
            }
        }
        WorktreeCommand::Rm { worktree, force, output } => {
            let printer = context.printer.with(output);
            let removed = context.client()?.remove_worktree(&worktree, force).await?;
            match printer.mode() {
                Mode::Json => printer.json(&removed)?,
                Mode::Quiet => {}
                Mode::Normal => {
                    printer.line(&format!("Removed {}", removed.name))?;
                    if let Some(archive) = &removed.archive {
                        printer.note(&format!("Archived its work as {}. To restore it:", archive.reference));
                        printer.note(&format!("  {}", archive.restore));
                    }
                }
            }
        }
    }
    Ok(Exit::Ok)
}

fn table(entries: Vec<WorktreeEntry>) -> Table<5> {
    let mut table = Table::new([
        Column::fixed("NAME"),
        Column::fixed("AGENT"),
        Column::fixed("BRANCH").optional(),
        Column::fixed("UNSAVED"),
        Column::wrapped("PATH").optional(),
    ]);
    for entry in entries {
        let holds = holds(&entry);
        let style = if holds == "nothing" { Style::Dim } else { Style::Plain };
        let agent = match (&entry.handle, entry.open) {
            (Some(handle), true) => handle.clone(),
            (Some(handle), false) => format!("{handle} (closed)"),
            (None, _) => "deleted".to_owned(),
        };
        table.row([
            (Style::Bold, entry.name),
            (Style::Plain, agent),
            (Style::Plain, entry.branch.unwrap_or_else(|| "-".to_owned())),
            (style, holds),
            (Style::Dim, under_home(&entry.path)),
        ]);
    }
    table
}

/// Says what only this worktree holds.
fn holds(entry: &WorktreeEntry) -> String {
    if let Some(problem) = &entry.problem {
        return problem.clone();
    }
    if !entry.present {
        return "directory gone".to_owned();
    }
    let mut parts = Vec::new();
    if entry.dirty {
        parts.push("uncommitted work".to_owned());
    }
    match entry.ahead {
        0 => {}
        1 => parts.push("1 commit".to_owned()),
        count => parts.push(format!("{count} commits")),
    }
    parts.extend(entry.operation.as_ref().map(|operation| format!("a {operation} in progress")));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

/// Says which worktree an agent leaves behind, and what only it holds.
pub(super) fn left(entry: &WorktreeEntry) -> String {
    let name = &entry.name;
    match holds(entry) {
        nothing if nothing == "nothing" => {
            format!("Worktree {name} has no unsaved work. To remove it: paseo worktree rm {name}")
        }
        problem if entry.problem.is_some() => {
            format!("Worktree {name} stays ({problem}). To remove it: paseo worktree rm {name}")
        }
        // Without --force it would be refused.
        holds => {
            format!("Worktree {name} has {holds}. To archive and remove it: paseo worktree rm --force {name}")
        }
    }
}

/// Says where a new agent works, and what of the user's work it does not have.
pub(super) fn explain(printer: &Printer, created: &CreatedSession) {
    if let Some(worktree) = &created.session.worktree {
        printer.aside(&format!("Branch {} in {}", worktree.branch, worktree.path));
    }
    let Some(place) = &created.place else { return };
    if let Some(note) = &place.note {
        // Where it works matters, even to those who want to hear little.
        printer.warn(note, None);
    }
    if place.left_out > 0 {
        let more = place.left_out.saturating_sub(place.left_out_first.len() as u64);
        let names = place.left_out_first.join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        printer.aside(&format!("The worktree does not contain your uncommitted changes: {names}{more}"));
    }
    if place.submodules > 0 {
        let submodules = match place.submodules {
            1 => "1 submodule is".to_owned(),
            count => format!("{count} submodules are"),
        };
        printer.aside(&format!("{submodules} empty"));
    }
    if place.included > 0 {
        let copied = match place.included {
            1 => "1 file or directory was".to_owned(),
            count => format!("{count} files and directories were"),
        };
        printer.aside(&format!("{copied} copied by .worktreeinclude"));
    }
    if !place.skipped.is_empty() {
        printer
            .aside(&format!("not copied, though listed in .worktreeinclude: {}", place.skipped.join(", ")));
    }
}
