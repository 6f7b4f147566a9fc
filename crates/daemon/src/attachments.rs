//! Attached files: received in pieces, kept until a message claims them, read when an agent is told.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use paseo_core::actor::Actor;
use paseo_core::attachment::{self, Accepts, Attached, Inspection, Meta, Refused, Unusable};
use paseo_core::id::FileId;
use paseo_core::limits::{
    AGENT_UPLOADS, AGENT_UPLOADS_BYTES, ATTACHMENT_BYTES, UPLOAD_SECONDS, UPLOADS, UPLOADS_AT_ONCE,
    UPLOADS_BYTES,
};
use paseo_core::session::Profile;
use paseo_core::time::Timestamp;
use paseo_runtime::provider::Attachment;
use paseo_store::{FileRow, Log, NewFile};
use paseo_wire::attachment::{AttachmentView, UploadedAttachment};
use paseo_wire::error::Code;
use paseo_wire::id as wire;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::failure::Failure;
use crate::journal::Journal;
use crate::mint;
use crate::sessions::Context;
use crate::stop::Stop;

/// How much is stored at a time, in bytes. As much of each upload is in memory.
const PIECE: usize = 256 * 1024;
/// How long an upload may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often files are looked for that no message refers to.
const TIDY: Duration = Duration::from_secs(3600);
/// How long a client that is refused may go on sending.
const DRAIN: Duration = Duration::from_secs(10);
/// After how many seconds another upload is worth a try.
const RETRY_SECONDS: u64 = 2;

/// Receives files. Agents take no slots from people.
pub(crate) struct Attachments {
    log: Arc<dyn Log>,
    for_people: Semaphore,
    for_agents: Semaphore,
}

/// A file that a message may have, with what is kept beside its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) attached: Attached,
    pub(crate) meta: Meta,
}

impl Attachments {
    pub(crate) fn new(journal: &Journal) -> Self {
        Self {
            log: Arc::clone(&journal.log),
            for_people: Semaphore::new(UPLOADS_AT_ONCE),
            for_agents: Semaphore::new(UPLOADS_AT_ONCE),
        }
    }

    /// Stores a file piece by piece. Asks `permitted` when the file is complete, because the right to upload may have been
    /// revoked meanwhile.
    pub(crate) async fn receive<E: std::fmt::Display>(
        &self,
        by: &Actor,
        name: &str,
        body: impl Stream<Item = Result<Bytes, E>>,
        permitted: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<UploadedAttachment, Failure> {
        let _slot = match self.slot(by).await {
            Ok(slot) => slot,
            Err(refused) => {
                drain(body).await;
                return Err(refused);
            }
        };
        let id = mint::file();
        let pieces = Pieces { log: Arc::clone(&self.log), id, complete: false };
        let received = tokio::time::timeout(PATIENCE, pieces.receive(by, name, body, permitted)).await;
        received.unwrap_or_else(|_| {
            let late = format!("the upload did not finish within {} minutes", PATIENCE.as_secs() / 60);
            Err(Failure::new(Code::InvalidRequest, late).hint("try again over a faster connection"))
        })
    }

    /// Takes the right to upload, if there is room.
    async fn slot(&self, by: &Actor) -> Result<SemaphorePermit<'_>, Failure> {
        let slots = if by.is_human() { &self.for_people } else { &self.for_agents };
        let slot = slots.try_acquire().map_err(|_| {
            Failure::new(Code::TooManyUploads, format!("{UPLOADS_AT_ONCE} uploads are already running"))
                .hint("try again in a moment")
                .retry_after(RETRY_SECONDS)
        })?;
        // Those under way may all become as large as can be.
        let under_way = (UPLOADS_AT_ONCE - slots.available_permits()) as u64;
        if by.is_human() {
            self.room("human:", under_way, (UPLOADS, UPLOADS_BYTES)).await?;
        } else {
            // No agent takes the room of the others, nor all of them that of people.
            self.room("session:", under_way, (UPLOADS, UPLOADS_BYTES)).await?;
            self.room(&by.to_string(), 1, (AGENT_UPLOADS, AGENT_UPLOADS_BYTES)).await?;
        }
        Ok(slot)
    }

    /// Refuses one more file when too much of those whose name begins so waits for a message.
    async fn room(&self, actors: &str, under_way: u64, (files, bytes): (u64, u64)) -> Result<(), Failure> {
        let left = self.log.unclaimed_files(actors).await?;
        let over =
            left.files + under_way > files || left.bytes.saturating_add(under_way * ATTACHMENT_BYTES) > bytes;
        if !over {
            return Ok(());
        }
        let full = format!(
            "{} uploaded files totalling {} are waiting for a message; the limit is {files} files and {}",
            left.files,
            attachment::size(left.bytes),
            attachment::size(bytes)
        );
        Err(Failure::new(Code::TooManyUploads, full).hint(format!(
            "send the messages they are for; unused uploads are removed after {} hours",
            UPLOAD_SECONDS / 3600
        )))
    }

    /// Finds the files that a message names. Only their uploader may use them, and once.
    pub(crate) async fn claimed(&self, by: &Actor, ids: &[wire::FileId]) -> Result<Vec<Claimed>, Failure> {
        let mut files = Vec::with_capacity(ids.len());
        for (at, typed) in ids.iter().enumerate() {
            let id: FileId = typed.parse().map_err(|_| gone(typed))?;
            // However it is spelled.
            if ids[..at].iter().any(|other| other.parse() == Ok(id)) {
                let twice = format!("the file {id} is attached twice");
                return Err(Failure::new(Code::InvalidRequest, twice).hint("list each file once"));
            }
            let row = self.log.file(id.uuid()).await?;
            // Another's file is treated as one that does not exist.
            let row = row.filter(|row| row.actor == by.to_string() && row.owner.is_none());
            let row = row.ok_or_else(|| gone(typed))?;
            let meta: Meta = serde_json::from_str(&row.meta).map_err(Failure::internal)?;
            files.push(Claimed { attached: Attached { id, kind: meta.kind, len: row.len }, meta });
        }
        Ok(files)
    }

    /// Returns what stands for the ids of files when a request is compared with a repeated one: hashes of their bytes, as
    /// a client that repeats it uploads them again.
    pub(crate) async fn fingerprints(
        &self,
        by: &Actor,
        ids: &[wire::FileId],
    ) -> Result<Vec<wire::FileId>, Failure> {
        let mut fingerprints = Vec::with_capacity(ids.len());
        for typed in ids {
            let row = match typed.parse::<FileId>() {
                Ok(id) => self.log.file(id.uuid()).await?.filter(|row| row.actor == by.to_string()),
                Err(_) => None,
            };
            fingerprints.push(row.map_or_else(|| typed.clone(), |row| mint::hex(&row.sha256).into()));
        }
        Ok(fingerprints)
    }

    /// Returns a file of a stream.
    pub(crate) async fn of(&self, stream: &str, id: &str) -> Result<Option<(FileRow, Meta)>, Failure> {
        let Ok(id) = id.parse::<FileId>() else { return Ok(None) };
        let row = self.log.file(id.uuid()).await?;
        let Some(row) = row.filter(|row| row.owner.as_deref() == Some(stream)) else { return Ok(None) };
        let meta = serde_json::from_str(&row.meta).map_err(Failure::internal)?;
        Ok(Some((row, meta)))
    }

    /// Reads a file piece by piece.
    pub(crate) fn stream(&self, id: FileId) -> impl Stream<Item = Result<Bytes, paseo_store::Error>> + use<> {
        let log = Arc::clone(&self.log);
        futures_util::stream::try_unfold(0, move |cursor| {
            let log = Arc::clone(&log);
            async move {
                let piece = log.file_piece(id.uuid(), cursor).await?;
                Ok(piece.map(|piece| (Bytes::from(piece.bytes), piece.cursor)))
            }
        })
    }

    /// Removes files that no message refers to, now and then: uploads that an earlier daemon did not complete at once, and
    /// others when their time is over.
    pub(crate) async fn keep_tidy(self: Arc<Self>, started: Timestamp, stop: Stop) {
        let mut begun = started.as_millis();
        loop {
            if let Err(failure) = self.tidy(begun, mint::now()).await {
                tracing::error!(error = %failure.message, "cannot remove unused uploads");
            }
            tokio::select! {
                () = tokio::time::sleep(TIDY) => {}
                () = stop.requested() => return,
            }
            // Nothing of this life takes as long as that.
            begun = mint::now().as_millis() - 2 * i64::try_from(PATIENCE.as_millis()).unwrap_or(i64::MAX);
        }
    }

    async fn tidy(&self, begun: i64, now: Timestamp) -> Result<(), Failure> {
        let removed = self.log.forget_files(begun, now.as_millis() - lifetime()).await?;
        if removed > 0 {
            tracing::info!(removed, "removed unused uploads");
        }
        Ok(())
    }
}

impl Context {
    /// Checks that the agent of a session takes files of these kinds: a harness may turn what it cannot read into a
    /// sentence and go on.
    pub(crate) fn check_attachments(&self, profile: &Profile, files: &[Attached]) -> Result<(), Failure> {
        let provider = self.providers.get(&profile.provider);
        let accepts = match (provider, &profile.terminal) {
            (Some(provider), None) => provider.capabilities().attachments,
            (Some(_), Some(_)) | (None, _) => Accepts::NOTHING,
        };
        let name = match profile.terminal {
            Some(_) => format!("{} in a terminal", profile.provider),
            None => profile.provider.clone(),
        };
        attachment::check(files, &name, accepts).map_err(|refused| {
            let (code, hint) = match refused {
                Refused::TooMany { .. } => (Code::AttachmentRefused, "send them in several messages"),
                Refused::TooLarge { .. } => {
                    (Code::TooLarge, "make them smaller, or send them in several messages")
                }
                Refused::Kind { .. } | Refused::Nothing { .. } => (
                    Code::AttachmentRefused,
                    "put the file's path in the message, or use a provider that accepts it; run `paseo \
                     providers`",
                ),
            };
            Failure::new(code, refused.to_string()).hint(hint)
        })
    }

    /// Reads the files of a message, for its agent.
    pub(crate) async fn read_attachments(&self, files: &[Attached]) -> Result<Vec<Attachment>, Failure> {
        let mut read = Vec::with_capacity(files.len());
        for file in files {
            let log = &self.journal.log;
            let row = log.file(file.id.uuid()).await?;
            let row = row.ok_or_else(|| Failure::internal("an attached file no longer exists"))?;
            let meta: Meta = serde_json::from_str(&row.meta).map_err(Failure::internal)?;
            let mut bytes = Vec::with_capacity(usize::try_from(row.len).unwrap_or(0));
            let mut pieces = std::pin::pin!(self.attachments.stream(file.id));
            while let Some(piece) = pieces.next().await {
                bytes.extend_from_slice(&piece?);
            }
            read.push(Attachment { name: meta.name, kind: meta.kind, bytes: bytes.into() });
        }
        Ok(read)
    }
}

/// Lets a client come to its end that is refused: while it is still sending, it does not hear why.
async fn drain<E>(body: impl Stream<Item = Result<Bytes, E>>) {
    let mut body = std::pin::pin!(body);
    let read = async {
        let mut len = 0;
        while let Some(Ok(piece)) = body.next().await {
            len += piece.len() as u64;
            if len > ATTACHMENT_BYTES {
                break;
            }
        }
    };
    // It is told in any case.
    let _ = tokio::time::timeout(DRAIN, read).await;
}

/// Returns what is kept beside the text of a message that has files.
pub(crate) fn extra(files: &[Claimed]) -> Result<Option<String>, Failure> {
    if files.is_empty() {
        return Ok(None);
    }
    let attachments = files.iter().map(|file| view(&file.attached, &file.meta)).collect();
    serde_json::to_string(&Extra { attachments }).map(Some).map_err(Failure::internal)
}

/// Returns the files of a message as its text's side information has them.
pub(crate) fn listed(extra: Option<&str>) -> Vec<AttachmentView> {
    extra.and_then(|extra| serde_json::from_str::<Extra>(extra).ok()).unwrap_or_default().attachments
}

/// The side information of a message's text. Items show it as fields.
#[derive(Default, Serialize, Deserialize)]
struct Extra {
    #[serde(default)]
    attachments: Vec<AttachmentView>,
}

/// An upload under way. What was stored of it is removed when it does not come to its end.
struct Pieces {
    log: Arc<dyn Log>,
    id: FileId,
    complete: bool,
}

impl Pieces {
    async fn receive<E: std::fmt::Display>(
        mut self,
        by: &Actor,
        name: &str,
        body: impl Stream<Item = Result<Bytes, E>>,
        permitted: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<UploadedAttachment, Failure> {
        let (mut inspection, mut hasher) = (Inspection::default(), Sha256::new());
        let mut waiting = Vec::with_capacity(PIECE);
        let mut refused = None;
        let mut len = 0;
        let mut body = std::pin::pin!(body);
        while let Some(arrived) = body.next().await {
            let arrived = arrived.map_err(|error| {
                Failure::new(Code::InvalidRequest, format!("cannot read the file: {error}"))
            })?;
            len += arrived.len() as u64;
            if refused.is_none() {
                refused = inspection.look(&arrived).err();
            }
            // A client that is still sending does not hear a refusal. It is let come to its end, within the limit.
            if refused.is_some() {
                if len > ATTACHMENT_BYTES {
                    break;
                }
                continue;
            }
            hasher.update(&arrived);
            let mut rest = &arrived[..];
            while !rest.is_empty() {
                let (fits, after) = rest.split_at(rest.len().min(PIECE - waiting.len()));
                waiting.extend_from_slice(fits);
                rest = after;
                if waiting.len() == PIECE {
                    let piece = std::mem::replace(&mut waiting, Vec::with_capacity(PIECE));
                    self.log.add_piece(self.id.uuid(), piece).await?;
                }
            }
        }
        if let Some(unusable) = refused {
            return Err(unusable.into());
        }
        let found = inspection.finish()?;
        permitted()?;
        if !waiting.is_empty() {
            self.log.add_piece(self.id.uuid(), waiting).await?;
        }
        let meta = Meta { name: attachment::plain_name(name), kind: found.kind, pixels: found.pixels };
        let file = NewFile {
            id: self.id.uuid(),
            actor: by.to_string(),
            len: found.len,
            sha256: hasher.finalize().into(),
            meta: serde_json::to_string(&meta).map_err(Failure::internal)?,
        };
        self.log.add_file(file).await?;
        self.complete = true;
        let attached = Attached { id: self.id, kind: found.kind, len: found.len };
        let expires_at = Timestamp::from_millis(mint::now().as_millis() + lifetime());
        Ok(UploadedAttachment { attachment: view(&attached, &meta), expires_at: expires_at.into() })
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        if self.complete {
            return;
        }
        let (log, id) = (Arc::clone(&self.log), self.id);
        tokio::spawn(async move {
            if let Err(error) = log.drop_pieces(id.uuid()).await {
                tracing::error!(%error, file = %id, "cannot remove an aborted upload");
            }
        });
    }
}

/// Shows an attached file.
pub(crate) fn view(attached: &Attached, meta: &Meta) -> AttachmentView {
    AttachmentView {
        id: attached.id.into(),
        name: meta.name.clone(),
        media_type: attached.kind.media_type().into(),
        size: attached.len,
        width: meta.pixels.map(|(width, _)| width),
        height: meta.pixels.map(|(_, height)| height),
    }
}

fn gone(id: &str) -> Failure {
    let id: String = id.chars().take(60).flat_map(char::escape_debug).collect();
    Failure::new(
        Code::NotFound,
        format!("uploaded file `{id}` not found, or already used by another message"),
    )
    .hint(format!("attach the file again; unused uploads are removed after {} hours", UPLOAD_SECONDS / 3600))
}

fn lifetime() -> i64 {
    i64::try_from(UPLOAD_SECONDS).unwrap_or(i64::MAX).saturating_mul(1000)
}

impl From<Unusable> for Failure {
    fn from(unusable: Unusable) -> Self {
        let code = if unusable.is_size() { Code::TooLarge } else { Code::AttachmentRefused };
        Self::new(code, unusable.to_string()).hint(unusable.hint())
    }
}

#[cfg(test)]
mod tests;
