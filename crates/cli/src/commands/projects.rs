//! `paseo projects`

use paseo_wire::error::Exit;
use paseo_wire::project::{ProjectQuery, ProjectView};

use super::ls::under_home;
use crate::args::ProjectsArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table, relative};

pub(crate) async fn run(context: &Context, args: ProjectsArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let (client, mut query) = (context.client()?, ProjectQuery::default());
    let mut page = client.projects(&query).await?;
    while let Some(after) = page.next.take() {
        query.after = Some(after);
        let more = client.projects(&query).await?;
        page.projects.extend(more.projects);
        page.next = more.next;
    }
    match printer.mode() {
        Mode::Json => printer.json(&page)?,
        Mode::Quiet => page.projects.iter().try_for_each(|project| printer.line(&project.path))?,
        Mode::Normal if page.projects.is_empty() => {
            printer.note("No projects. Start an agent in one: paseo run \"…\"");
        }
        Mode::Normal => printer.table(&table(page.projects))?,
    }
    Ok(Exit::Ok)
}

fn table(projects: Vec<ProjectView>) -> Table<5> {
    let mut table = Table::new([
        Column::fixed("NAME"),
        Column::fixed("OPEN"),
        Column::fixed("USED"),
        Column::fixed("BRANCH").optional(),
        Column::wrapped("PATH").optional(),
    ]);
    for project in projects {
        let path = under_home(&project.path);
        let path = if project.present { path } else { format!("{path} (gone)") };
        table.row([
            (Style::Bold, project.name),
            (if project.open == 0 { Style::Dim } else { Style::Plain }, project.open.to_string()),
            (Style::Dim, relative(project.last_used)),
            (Style::Plain, project.branch.unwrap_or_else(|| "-".to_owned())),
            (Style::Dim, path),
        ]);
    }
    table
}
