//! Terminals of workers over a WebSocket: what viewers see, and what the one with the keyboard types. Shells of people, too.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::ActorName;
use crate::words::TerminalRole;

/// The subprotocol of the WebSocket.
pub const PROTOCOL: &str = "paseo.terminal.1";

/// First byte of a binary frame: output of the terminal, or keys for it.
pub const BYTES: u8 = 0;

/// Most bytes of keys in one frame.
pub const KEYS: usize = 4 * 1024;

/// Most bytes of a text that is pasted.
pub const PASTE: usize = 48 * 1024;

/// Why a WebSocket was closed, as a close code.
pub mod close {
    /// The daemon stops. Connect again.
    pub const GOING_AWAY: u16 = 1001;
    /// A frame that this protocol does not have.
    pub const PROTOCOL: u16 = 1008;
    /// The connection to the terminal was lost. Connect again.
    pub const DETACHED: u16 = 1012;
    /// The credential is no longer valid.
    pub const REVOKED: u16 = 4401;
    /// The terminal does not exist, or the shell has ended.
    pub const GONE: u16 = 4404;
    /// The viewer acknowledged nothing for too long.
    pub const TOO_SLOW: u16 = 4408;
    /// Too many viewers.
    pub const TOO_MANY: u16 = 4429;
    /// tmux does not answer.
    pub const SILENT: u16 = 4503;
}

/// The viewer that has the keyboard of a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TerminalHolder)]
pub struct Holder {
    pub who: ActorName,
    /// Name of their browser or token, for people.
    pub name: String,
    /// It is this viewer.
    pub you: bool,
}

/// A text frame from the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TerminalServerFrame)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum ServerFrame {
    /// A new screen begins: reset the emulator and give it this size. The bytes that follow draw all of it, and are
    /// acknowledged under this number.
    Screen { epoch: u32, cols: u16, rows: u16, role: TerminalRole, holder: Option<Holder> },
    /// The state of the terminal, sent whenever it changes.
    State(State),
    /// A viewer took the keyboard, or gave it back.
    Holder { holder: Option<Holder> },
    /// The daemon refused a request of this viewer.
    Refused { message: String, holder: Option<Holder> },
    /// tmux does not answer. The next `state` says that it does again.
    Stalled { pid: Option<u32> },
    /// The last frame: why the connection is closed.
    End { code: u16, message: String },
}

/// The state of a terminal, apart from its screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TerminalState)]
pub struct State {
    /// What the program calls itself.
    pub title: String,
    /// Whether the program runs.
    pub alive: bool,
    /// Exit code of a program that has ended.
    pub exit: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// A person who is attached by tmux scrolls in it.
    pub scrolled: bool,
    /// Lines above the screen.
    pub history: u64,
}

/// A text frame from a viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TerminalClientFrame)]
#[serde(tag = "t", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientFrame {
    /// The viewer has drawn the first `n` bytes of a screen.
    Ack { epoch: u32, n: u64 },
    /// Take over the keyboard; with `fit`, the terminal also takes this size.
    Take {
        #[serde(default)]
        fit: bool,
        #[serde(default)]
        cols: u16,
        #[serde(default)]
        rows: u16,
        /// Take it even if another person has it.
        #[serde(default)]
        force: bool,
    },
    /// Give the keyboard back.
    Release {},
    /// Resize the terminal, after a take-over with `fit`.
    Size { cols: u16, rows: u16 },
    /// Paste a text; nothing in it counts as a key.
    Paste { text: String },
    /// Draw everything again.
    Redraw {},
}

/// The query of `GET /api/workers/{worker}/history`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HistoryQuery {
    /// Only lines before this one: the `earlier` of the previous page. By default, those before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Number of lines. Default 1000, at most 5000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 5_000, default = 1000)]
    pub lines: Option<u32>,
}

/// Lines of a terminal, from the newest back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TerminalHistory {
    pub name: String,
    /// Plain text, without control characters.
    pub text: String,
    /// Lines in all, the screen included.
    pub total: u64,
    /// Where the page before this one ends: pass it as `before`. Null when there is none.
    #[serde(default)]
    #[schema(required)]
    pub earlier: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_written_as_documented() {
        let holder = Some(Holder { who: "human:cli".into(), name: "cli".to_owned(), you: true });
        let screen = ServerFrame::Screen { epoch: 3, cols: 160, rows: 48, role: TerminalRole::Hold, holder };
        assert_eq!(
            serde_json::to_string(&screen).unwrap(),
            r#"{"t":"screen","epoch":3,"cols":160,"rows":48,"role":"hold","holder":{"who":"human:cli","name":"cli","you":true}}"#
        );
        let taken: ClientFrame = serde_json::from_str(r#"{"t":"take"}"#).unwrap();
        assert_eq!(taken, ClientFrame::Take { fit: false, cols: 0, rows: 0, force: false });
        for wrong in [
            r#"{"t":"shout"}"#,
            r#"{"t":"ack"}"#,
            r#"{"t":"release","x":1}"#,
            "[]",
            r#"{"t":"size","cols":-1,"rows":5}"#,
        ] {
            assert!(serde_json::from_str::<ClientFrame>(wrong).is_err(), "{wrong}");
        }
    }
}
