//! `paseo devices`

use paseo_wire::error::Exit;
use paseo_wire::id::DeviceId;

use crate::args::DevicesCommand;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table, relative};
use crate::short::short;

pub(crate) async fn run(context: &Context, command: DevicesCommand) -> Result<Exit, Failure> {
    match command {
        DevicesCommand::Ls { output } => {
            let printer = context.printer.with(output);
            let list = context.client()?.devices().await?;
            match printer.mode() {
                Mode::Json => printer.json(&list)?,
                Mode::Quiet => list.devices.iter().try_for_each(|device| printer.line(&device.id))?,
                Mode::Normal if list.devices.is_empty() => {
                    printer.note("No logged-in browsers. Log one in: paseo open");
                }
                Mode::Normal => {
                    let mut table = Table::new([
                        Column::key("ID"),
                        Column::flexible("NAME"),
                        Column::fixed("NOTIFIED"),
                        Column::fixed("LOGGED IN"),
                    ])
                    .strict();
                    let ids: Vec<DeviceId> = list.devices.iter().map(|device| device.id.clone()).collect();
                    for device in list.devices {
                        table.row([
                            (Style::Bold, short(&device.id, &ids)),
                            (Style::Plain, device.name),
                            (Style::Plain, if device.notifications { "yes" } else { "no" }.to_owned()),
                            (Style::Dim, relative(device.created_at)),
                        ]);
                    }
                    printer.table(&table)?;
                }
            }
        }
        DevicesCommand::Revoke { id, output } => {
            let printer = context.printer.with(output);
            let list = context.client()?.revoke_device(&id).await?;
            match printer.mode() {
                Mode::Json => printer.json(&list)?,
                Mode::Quiet => {}
                Mode::Normal => printer.line(&format!("Logged out {id}"))?,
            }
        }
    }
    Ok(Exit::Ok)
}
