//! `paseo open`

use paseo_wire::device::LoginLink;
use paseo_wire::error::Exit;
use qrcode::{EcLevel, QrCode};

use crate::args::OpenArgs;
use crate::browser;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer};

pub(crate) async fn run(context: &Context, args: OpenArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let link = context.client()?.create_login_link().await?;
    if printer.mode() == Mode::Json {
        printer.json(&link)?;
    } else if args.qr {
        let url = link.public_urls.first().ok_or_else(|| no_public_url(context))?;
        printer.block(&code(url)?)?;
        printer.line(url)?;
        tell(&printer, &link);
    } else {
        printer.line(&link.url)?;
        tell(&printer, &link);
        if !args.print && printer.is_screen() && browser::is_there() {
            browser::open(&link.url)?;
        }
    }
    Ok(Exit::Ok)
}

/// Says what the link is good for.
pub(super) fn tell(printer: &Printer, link: &LoginLink) {
    if printer.is_watched() {
        let until = crate::printer::clock(link.expires_at);
        printer.aside(&format!("The link logs in one browser, once, until {until} UTC"));
    }
}

fn no_public_url(context: &Context) -> Failure {
    let config = context.settings.home.join("config.toml");
    let hint = if context.settings.public_urls.is_empty() {
        format!(
            "add `public_urls = [\"https://…\"]` to {} with the address of your reverse proxy or `tailscale serve`, then run `paseo restart`",
            config.display()
        )
    } else {
        "run `paseo restart`: the daemon was started before `public_urls` was set".to_owned()
    };
    Failure::usage("a QR code needs an address that other devices can reach, and the daemon has none")
        .hint(hint)
}

/// Returns a QR code as half blocks, two rows of it on each line.
fn code(url: &str) -> Result<String, Failure> {
    let code = QrCode::with_error_correction_level(url, EcLevel::L).map_err(|error| {
        Failure::new(Exit::AgentError, format!("cannot make a QR code for {url}: {error}"))
    })?;
    let width = code.width();
    let dark = |x: Option<usize>, y: Option<usize>| match (x, y) {
        (Some(x), Some(y)) if x < width && y < width => code[(x, y)] == qrcode::Color::Dark,
        _ => false,
    };
    // Two modules of margin. Light modules are painted: terminals are dark more often than not.
    let cells = |count: usize| (0..count).map(|at| at.checked_sub(2));
    let rows: Vec<Option<usize>> = cells(width + 4).collect();
    let mut text = String::new();
    for pair in rows.chunks(2) {
        for x in cells(width + 4) {
            let upper = pair.first().is_some_and(|y| dark(x, *y));
            // An odd number of rows leaves half a line without a module.
            let lower = pair.get(1).is_none_or(|y| dark(x, *y));
            text.push(match (upper, lower) {
                (false, false) => '█',
                (false, true) => '▀',
                (true, false) => '▄',
                (true, true) => ' ',
            });
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_square_with_a_margin() {
        let text = code("https://paseo.example.org/login#abc").unwrap();
        let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert_eq!(lines[0].len().div_ceil(2), lines.len());
        assert!(lines[0].iter().all(|cell| *cell == '█'), "a light margin above");
        assert!(lines.iter().all(|line| line[..2] == ['█', '█'] || line[0] == '▀'), "and on the left");
        // The upper left finder: seven dark modules in its first row.
        assert_eq!(lines[1][2..10].iter().collect::<String>(), " ▄▄▄▄▄ █");
    }
}
