//! Files of agents, as people look at them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::attachment::Kind;
use paseo_core::file::{self, Best, HEAD_BYTES, InnerPath, Preview, Query, preview};
use paseo_core::limits::{ATTACHMENT_BYTES, COMPLETIONS, DIRECTORY_ENTRIES};
use paseo_runtime::browse::{self, Browse, Entry, LeadsTo, Looked, Opened, Position, Refused};
use paseo_runtime::git;
use paseo_wire::error::Code;
use paseo_wire::file::{
    CompletionList, CompletionQuery, FileEntry, FilePage, FilePreview, FileQuery, PreviewQuery,
};
use paseo_wire::words::{FileKind, MediaType, PreviewKind};

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use super::sessions::{directory, resolve};
use crate::failure::Failure;
use crate::looks::asked;
use crate::{mint, worktrees};

/// Default number of entries of a page.
const PAGE: usize = 100;

pub(crate) async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<FileQuery>,
) -> Answer<FilePage> {
    let limit = query.limit.unwrap_or(PAGE);
    let after = query.after.as_deref().map(cursor).transpose()?;
    let path = inner(&query.path)?;
    let directory = directory_of(&app, &by, &typed).await?;
    let (at, wanted) = (directory.clone(), path.clone());
    let looked = app.looks.look(move || Browse::new(&at)?.look(&wanted, DIRECTORY_ENTRIES)).await?;
    let mut folder = match looked.map_err(refused)? {
        Looked::Directory(folder) => folder,
        Looked::Entry(found) => {
            let path = path.as_str().to_owned();
            let files = vec![entry(found)];
            return Ok(Json(FilePage { path, directory: false, files, next: None, truncated: false }));
        }
    };
    if !query.ignored {
        let ignored = asked(git::ignored(folder.real(), &folder.names())).await?;
        folder.without(|name| ignored.contains(name));
    }
    let (at, wanted, truncated) = (directory, path.clone(), folder.truncated);
    let look = move || Ok(Browse::new(&at)?.page(&wanted, &folder, after.as_ref(), limit));
    let (files, next) = app.looks.look(look).await?.map_err(refused)?;
    Ok(Json(FilePage {
        path: path.as_str().to_owned(),
        directory: true,
        files: files.into_iter().map(entry).collect(),
        next: next.as_ref().map(written),
        truncated,
    }))
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<PreviewQuery>,
) -> Result<Response, Failure> {
    let path = inner(&query.path)?;
    let directory = directory_of(&app, &by, &typed).await?;
    let wanted = path.clone();
    let look = move || {
        let mut opened = Browse::new(&directory)?.open(&wanted)?;
        let most = if query.raw { ATTACHMENT_BYTES as usize + 1 } else { HEAD_BYTES };
        Ok((head(&wanted, &mut opened, most)?, opened.length))
    };
    let (bytes, length) = app.looks.look(look).await?.map_err(refused)?;
    let shown = preview(&bytes[..bytes.len().min(HEAD_BYTES)], length);
    if query.raw { raw(shown, bytes) } else { Ok(Json(view(&path, length, shown)).into_response()) }
}

pub(crate) async fn complete(
    State(app): State<App>,
    Asked(query): Asked<CompletionQuery>,
) -> Answer<CompletionList> {
    let directory = PathBuf::from(directory(&query.directory)?);
    // Some more than are told: what was deleted is not known before it is looked for.
    let best = Best::new(Query::new(&query.query), 2 * COMPLETIONS);
    let search = Arc::new(Mutex::new(Search { best, left: DIRECTORY_ENTRIES, truncated: false }));
    let listed = asked(git::files(&directory, |path| search.lock().offer(path))).await?;
    let (at, found) = (directory, Arc::clone(&search));
    let look = move || {
        let mut search = found.lock();
        if !listed && browse::files(&at, DIRECTORY_ENTRIES, |path| search.offer(path.as_os_str()))? {
            search.truncated = true;
        }
        let nothing = Search { best: Best::new(Query::new(""), 0), left: 0, truncated: false };
        let Search { best, truncated, .. } = std::mem::replace(&mut *search, nothing);
        let is_there = |path: &String| !at.join(path).is_dir() && at.join(path).symlink_metadata().is_ok();
        let mut files: Vec<String> = best.into_paths().filter(is_there).take(COMPLETIONS + 1).collect();
        let more = files.len() > COMPLETIONS;
        files.truncate(COMPLETIONS);
        Ok(CompletionList { files, truncated: truncated || more, next: None })
    };
    let found = app.looks.look(look).await?.map_err(refused)?;
    found.page(query.after.as_deref(), query.limit).map(Json)
}

/// A search among all files of a directory.
struct Search {
    best: Best,
    /// How many more are looked at.
    left: usize,
    truncated: bool,
}

impl Search {
    /// Looks at a path. One that is not UTF-8 cannot be typed.
    fn offer(&mut self, path: &OsStr) {
        if self.left == 0 {
            self.truncated = true;
            return;
        }
        self.left -= 1;
        if let Some(path) = path.to_str() {
            self.best.offer(path);
        }
    }
}

/// Returns where an agent works.
async fn directory_of(app: &App, by: &Actor, typed: &str) -> Result<PathBuf, Failure> {
    let id = resolve(app, by, typed).await?;
    let found = app.sessions.context.journal.session(id).await?;
    let (session, _) = found.ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    match worktrees::gone(&session.profile) {
        Some(gone) => Err(gone),
        None => Ok(session.profile.directory.into()),
    }
}

fn inner(typed: &str) -> Result<InnerPath, Failure> {
    InnerPath::parse(typed).map_err(|refused| {
        let code = match refused {
            file::Refused::Git => Code::Forbidden,
            file::Refused::Absolute | file::Refused::Parent | file::Refused::Nul | file::Refused::Long => {
                Code::InvalidRequest
            }
        };
        Failure::new(code, refused.to_string())
            .hint("use a path below the agent's directory, like `src/main.rs`")
    })
}

fn refused(refused: Refused) -> Failure {
    let (code, hint) = match &refused {
        Refused::Outside(_) => {
            (Code::Forbidden, "use another program; Paseo shows only the agent's directory")
        }
        Refused::Git(_) => (Code::Forbidden, "use git to look at its data"),
        Refused::Denied(_) => (Code::Forbidden, "make it readable for the user that runs the daemon"),
        Refused::Missing(_) => (Code::NotFound, "list its parent directory with `paseo files`"),
        Refused::NotAFile(_) => (Code::Conflict, "only regular files can be shown"),
        Refused::Directory(_) => (Code::Conflict, "list the directory instead"),
        Refused::Changed(_) => {
            (Code::Conflict, "try again; a symbolic link in the path changed or forms a loop")
        }
        Refused::Failed { .. } => (Code::Conflict, "try again"),
    };
    Failure::new(code, refused.to_string()).hint(hint)
}

fn head(path: &InnerPath, opened: &mut Opened, most: usize) -> Result<Vec<u8>, Refused> {
    opened.head(most).map_err(|error| Refused::Failed { path: path.to_string(), reason: error.to_string() })
}

fn view(path: &InnerPath, size: u64, shown: Preview) -> FilePreview {
    let nothing = FilePreview {
        path: path.as_str().to_owned(),
        kind: PreviewKind::Binary,
        size,
        text: None,
        truncated: false,
        media_type: None,
        width: None,
        height: None,
        what: None,
    };
    match shown {
        Preview::Text { text, cut } => {
            FilePreview { kind: PreviewKind::Text, text: Some(text), truncated: cut, ..nothing }
        }
        Preview::Image { kind, width, height } => FilePreview {
            kind: PreviewKind::Image,
            media_type: Some(MediaType::from(kind.media_type())),
            width: Some(width),
            height: Some(height),
            ..nothing
        },
        Preview::Binary { what } => FilePreview { what: what.map(Into::into), ..nothing },
    }
}

/// Sends an image. Nothing else: a browser might run it.
fn raw(shown: Preview, bytes: Vec<u8>) -> Result<Response, Failure> {
    let Preview::Image { kind, .. } = shown else {
        return Err(Failure::new(Code::InvalidRequest, "the file is not an image; `raw` is only for images")
            .hint("leave out `raw`"));
    };
    if bytes.len() as u64 > ATTACHMENT_BYTES {
        return Err(Failure::new(Code::TooLarge, "the image is larger than 32 MB").hint("open it yourself"));
    }
    Ok(image(kind, bytes))
}

fn image(kind: Kind, bytes: Vec<u8>) -> Response {
    let mut response = ([(CONTENT_TYPE, kind.media_type())], bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
    // Should a browser ever show it as a page, that page can do nothing.
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    response
}

fn entry(entry: Entry) -> FileEntry {
    let (kind, leads_to) = match entry.kind {
        browse::Kind::File => (FileKind::File, None),
        browse::Kind::Directory => (FileKind::Directory, None),
        browse::Kind::Link(LeadsTo::File) => (FileKind::Symlink, Some(FileKind::File)),
        browse::Kind::Link(LeadsTo::Directory) => (FileKind::Symlink, Some(FileKind::Directory)),
        browse::Kind::Link(LeadsTo::Nothing) => (FileKind::Symlink, None),
        browse::Kind::Other => (FileKind::Special, None),
    };
    let exact = entry.name.to_str().is_some();
    FileEntry { name: entry.name.to_string_lossy().into_owned(), kind, leads_to, size: entry.size, exact }
}

/// Writes a cursor: names need not be UTF-8.
fn written(position: &Position) -> String {
    let kind = if position.is_directory { 'd' } else { 'f' };
    format!("{kind}{}", mint::hex(position.name.as_bytes()))
}

fn cursor(text: &str) -> Result<Position, Failure> {
    parsed(text).ok_or_else(|| Failure::no_cursor(text))
}

fn parsed(text: &str) -> Option<Position> {
    let is_directory = match text.as_bytes().first()? {
        b'd' => true,
        b'f' => false,
        _ => return None,
    };
    let digits = text.as_bytes().get(1..)?;
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair)
            .ok()
            .filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        u8::from_str_radix(pair, 16).ok()
    };
    if digits.is_empty() || digits.len() % 2 != 0 {
        return None;
    }
    let name: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    Some(Position { is_directory, name: OsString::from_vec(name?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_stands_for_any_name() {
        for name in [b"a".as_slice(), b"\xff\xfe", b"d:e", "Größe".as_bytes()] {
            for is_directory in [true, false] {
                let position = Position { is_directory, name: OsStr::from_bytes(name).to_owned() };
                assert_eq!(parsed(&written(&position)), Some(position));
            }
        }
        for text in ["", "d", "x61", "f6", "f+1", "fzz", "fé"] {
            assert_eq!(cursor(text).unwrap_err().code, Code::InvalidRequest, "{text}");
        }
    }

    #[test]
    fn a_path_that_leads_out_is_refused_before_anything_is_looked_at() {
        for (typed, code) in [
            ("..", Code::InvalidRequest),
            ("a/../../b", Code::InvalidRequest),
            ("/etc", Code::InvalidRequest),
            (".git/config", Code::Forbidden),
            ("a/.Git", Code::Forbidden),
        ] {
            assert_eq!(inner(typed).unwrap_err().code, code, "{typed}");
        }
        assert_eq!(inner("./src//main.rs").unwrap().as_str(), "src/main.rs");
    }

    #[test]
    fn only_images_are_sent_as_they_are() {
        let text = Preview::Text { text: "<script>".into(), cut: false };
        assert_eq!(raw(text, b"<script>".to_vec()).unwrap_err().code, Code::InvalidRequest);
        let binary = Preview::Binary { what: None };
        assert_eq!(raw(binary, vec![0]).unwrap_err().code, Code::InvalidRequest);
        let picture = || Preview::Image { kind: Kind::Png, width: 1, height: 1 };
        let response = raw(picture(), vec![1]).unwrap();
        assert_eq!(response.headers()["content-type"], "image/png");
        assert_eq!(response.headers()["content-security-policy"], "default-src 'none'; sandbox");
        let large = vec![0; ATTACHMENT_BYTES as usize + 1];
        assert_eq!(raw(picture(), large).unwrap_err().code, Code::TooLarge);
    }
}
