//! `paseo usage`

use paseo_wire::error::Exit;
use paseo_wire::item::UsageView;
use paseo_wire::usage::{UsageQuery, UsageReport, UsageRow};
use paseo_wire::words::UsageBy;

use super::ls::under_home;
use crate::args::UsageArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table};

pub(crate) async fn run(context: &Context, args: UsageArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let by = Some(UsageBy::from(args.by.as_str()));
    let asked = UsageQuery { since: args.since, until: args.until, by };
    let report = context.client()?.usage(&asked).await?;
    match printer.mode() {
        Mode::Json => printer.json(&report)?,
        Mode::Quiet => report.rows.iter().try_for_each(|row| printer.line(&key(row)))?,
        Mode::Normal if report.rows.is_empty() => {
            printer.note(&format!("No usage from {} to {}.", report.since, report.until));
        }
        Mode::Normal => printer.table(&table(&report))?,
    }
    if printer.mode() == Mode::Normal && !report.complete {
        printer.note("Closed agents are still being counted; run it again in a moment.");
    }
    Ok(Exit::Ok)
}

fn table(report: &UsageReport) -> Table<5> {
    let title = match report.by {
        UsageBy::Project => "PROJECT",
        UsageBy::Model => "MODEL",
        UsageBy::Day | UsageBy::Other(_) => "DAY",
    };
    let mut table = Table::new([
        Column::wrapped(title),
        Column::fixed("INPUT"),
        Column::fixed("OUTPUT"),
        Column::fixed("CACHED").optional(),
        Column::fixed("COST"),
    ]);
    for row in &report.rows {
        table.row(cells(Style::Plain, key(row), row.usage));
    }
    table.row(cells(Style::Bold, "total".to_owned(), report.total));
    table
}

fn cells(style: Style, key: String, usage: UsageView) -> [(Style, String); 5] {
    [
        (style, key),
        (style, usage.input_tokens.to_string()),
        (style, usage.output_tokens.to_string()),
        (Style::Dim, usage.cached_tokens.to_string()),
        (style, usage.cost_micros.map_or_else(|| "-".to_owned(), dollars)),
    ]
}

fn key(row: &UsageRow) -> String {
    match (&row.day, &row.project, &row.provider, &row.model) {
        (Some(day), ..) => day.clone(),
        (_, Some(project), ..) => under_home(project),
        (_, _, Some(provider), Some(model)) => format!("{provider} {model}"),
        (_, _, Some(provider), None) => format!("{provider} (default model)"),
        (None, None, None, _) => String::new(),
    }
}

fn dollars(micros: u64) -> String {
    format!("${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100)
}
