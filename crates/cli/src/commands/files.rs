//! `paseo files`

use paseo_core::attachment::size;
use paseo_wire::error::Exit;
use paseo_wire::file::{FileEntry, FilePreview, FileQuery};
use paseo_wire::words::{FileKind, PreviewKind};

use crate::args::FilesArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table};

pub(crate) async fn run(context: &Context, args: FilesArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    match &args.path {
        Some(path) if args.show => show(&printer, &context.client()?.file(&args.handle, path).await?),
        _ => list(context, &printer, &args).await,
    }
}

async fn list(context: &Context, printer: &Printer, args: &FilesArgs) -> Result<Exit, Failure> {
    let client = context.client()?;
    let path = args.path.clone().unwrap_or_default();
    let mut query = FileQuery { path, ignored: args.ignored, ..FileQuery::default() };
    let mut page = client.files(&args.handle, &query).await?;
    while let Some(after) = page.next.take() {
        query.after = Some(after);
        let more = client.files(&args.handle, &query).await?;
        page.files.extend(more.files);
        page.truncated |= more.truncated;
        page.next = more.next;
    }
    let truncated = page.truncated;
    match printer.mode() {
        Mode::Json => printer.json(&page)?,
        Mode::Quiet => page.files.iter().try_for_each(|file| printer.line(&file.name))?,
        Mode::Normal if page.files.is_empty() => {
            let hint = if args.ignored { "" } else { " Ignored files are hidden; list them with --ignored" };
            printer.note(&format!("No files.{hint}"));
        }
        Mode::Normal => printer.table(&table(page.files))?,
    }
    if truncated {
        printer.warn("the directory has too many entries; not all are listed", None);
    }
    Ok(Exit::Ok)
}

fn table(files: Vec<FileEntry>) -> Table<2> {
    let mut table = Table::new([Column::flexible("NAME"), Column::fixed("SIZE")]);
    for file in files {
        let (style, mark) = match (&file.kind, &file.leads_to) {
            (FileKind::Directory, _) | (FileKind::Symlink, Some(FileKind::Directory)) => (Style::Bold, "/"),
            (FileKind::Symlink, None) => (Style::Dim, " (broken link, or link to outside)"),
            (FileKind::Special, _) => (Style::Dim, " (special file)"),
            _ => (Style::Plain, ""),
        };
        table.row([
            (style, format!("{}{mark}", file.name)),
            (Style::Dim, file.size.map(size).unwrap_or_default()),
        ]);
    }
    table
}

fn show(printer: &Printer, file: &FilePreview) -> Result<Exit, Failure> {
    if printer.mode() == Mode::Json {
        printer.json(file)?;
        return Ok(Exit::Ok);
    }
    let Some(text) = &file.text else {
        let what = match (&file.kind, &file.media_type, &file.what) {
            (PreviewKind::Image, Some(kind), _) => format!("an image ({kind})"),
            (_, _, Some(what)) => what.to_string(),
            _ => "a binary file".to_owned(),
        };
        let message = format!("{} is {what} of {}, not text", file.path, size(file.size));
        return Err(Failure::usage(message).hint("open it with another program"));
    };
    printer.text(text)?;
    if file.truncated {
        let shown = size(text.len() as u64);
        printer.warn(&format!("only the first {shown} of {} are shown", size(file.size)), None);
    }
    Ok(Exit::Ok)
}
