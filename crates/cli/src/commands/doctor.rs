//! `paseo doctor`

use paseo_wire::error::Exit;
use paseo_wire::words::Verdict;

use crate::args::DoctorArgs;
use crate::context::Context;
use crate::doctor;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table, patiently};

pub(crate) async fn run(context: &Context, args: DoctorArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let diagnosis = patiently(&printer, "looking", doctor::examine(context)).await;
    if printer.mode() == Mode::Json {
        printer.json(&diagnosis)?;
    } else {
        let mut table = Table::new([Column::fixed(""), Column::fixed(""), Column::wrapped("")]);
        for check in &diagnosis.checks {
            let (style, mark) = match &check.verdict {
                Verdict::Ok => (Style::Green, "ok"),
                Verdict::Warn => (Style::Yellow, "warn"),
                Verdict::Fail => (Style::Red, "fail"),
                Verdict::Other(word) => (Style::Plain, word.as_ref()),
            };
            let name = (Style::Bold, check.name.to_owned());
            table.row([(style, mark.to_owned()), name, (Style::Plain, check.found.clone())]);
            if let Some(fix) = &check.fix {
                let blank = || (Style::Plain, String::new());
                table.row([blank(), blank(), (Style::Dim, format!("→ {fix}"))]);
            }
        }
        printer.table(&table)?;
    }
    Ok(if diagnosis.ok { Exit::Ok } else { Exit::AgentError })
}
