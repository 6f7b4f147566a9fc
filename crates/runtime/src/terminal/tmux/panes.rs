//! The sessions of the server and the status of the programs in them, as tmux lists their panes.

use paseo_core::id::SessionId;
use paseo_core::team::place;
use paseo_core::terminal::Size;
use paseo_core::time::Timestamp;
use rustix::process::{Pid, Signal, kill_process};

use super::words::{is_name, plain};
use crate::process_table::{self, ancestors, mark};
use crate::provider::Exit;

/// What is to be said of each pane, in the words of tmux.
pub(super) const FORMAT: &str = "#{session_name}|#{session_created}|#{session_attached}|#{pane_id}|#{pane_dead}|#{pane_pid}|\
                                 #{pane_dead_status}|#{pane_dead_signal}|#{pane_in_mode}|#{@paseo_session}|#{@paseo_pane}|\
                                 #{window_id}|#{window_width}x#{window_height}|#{history_size}|#{@paseo_size}|#{pane_title}";

/// How long the title of a screen may be, in characters.
const TITLE: usize = 200;

/// A session of the server, with one program in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub name: String,
    pub created: Timestamp,
    /// How many people look at it.
    pub attached: u32,
    /// The pane that the program was started in, as tmux calls it.
    pub(crate) pane: String,
    pub state: State,
    /// Whose it is; unknown for a moment after it was made.
    owner: Option<SessionId>,
    /// A person scrolls in it, or chooses something: keys would go there.
    pub(super) in_mode: bool,
    /// Its program has ended, and the server has not noted how.
    pub(super) unnoted: bool,
    /// Only panes of people are left in it.
    pub(super) forsaken: bool,
    /// What viewers have to know.
    pub screen: Screen,
}

/// The window of a program, as tmux shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// The window, as tmux calls it.
    pub(super) window: String,
    pub size: Size,
    /// How many lines are above the screen.
    pub history: u64,
    /// What the program calls itself.
    pub title: String,
    /// The size that it had before a person who took it over changed it.
    pub restore: Option<Size>,
}

impl Screen {
    /// Reads it from what is left of a line. Older lists do not say.
    fn read(mut rest: std::str::SplitN<'_, char>) -> Self {
        let mut field = || rest.next().unwrap_or_default();
        let window = field().to_owned();
        let size = Size::parse(field()).unwrap_or(Size::DEFAULT);
        let (history, restore) = (field().parse().unwrap_or(0), Size::parse(field()));
        let title = plain(field()).chars().take(TITLE).collect();
        Self { window, size, history, title, restore }
    }
}

/// The status of the program in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It runs, under this process.
    Alive { pid: u32 },
    /// It has ended; its last screen is still there.
    Dead {
        code: Option<i32>,
        signal: Option<i32>,
        /// A signal ended the shim above it, too.
        shim_killed: bool,
    },
}

impl Session {
    /// Returns whose it is; `None` when it says so nowhere.
    pub fn owner(&self) -> Option<SessionId> {
        let marked = || match self.state {
            State::Alive { pid } => mark(pid).map(|mark| mark.session),
            State::Dead { .. } => None,
        };
        self.owner.or_else(marked)
    }

    /// Says whether it was made for a session of ours: names can be the same, these ids are not.
    pub fn is_of(&self, session: SessionId) -> bool {
        self.owner().is_none_or(|owner| owner == session)
    }

    /// Returns it as it is when the pane of its program was taken away, and others are left.
    fn forsaken_by(&self, pane: &str) -> Self {
        let state = State::Dead { code: None, signal: None, shim_killed: true };
        Self { pane: pane.to_owned(), state, in_mode: false, unnoted: false, forsaken: true, ..self.clone() }
    }

    /// Says whether a person scrolls in it, or chooses something.
    pub fn is_scrolled(&self) -> bool {
        self.in_mode
    }

    /// Returns how its program ended, if it did.
    pub fn exit(&self) -> Option<Exit> {
        match self.state {
            State::Alive { .. } => None,
            State::Dead { code, signal, shim_killed } => {
                Some(Exit { code, signal, shim_killed, stderr: String::new() })
            }
        }
    }
}

/// A pane of a session, as it stands in the list.
pub(super) struct Listed {
    /// The number of the pane.
    number: u64,
    session: Session,
    /// The pane of the program, where that is noted.
    own: Option<String>,
}

/// Returns one pane for each session: that of its program, be it there or not. Where nobody has noted which that is, it is
/// the oldest.
pub(super) fn own_panes(mut panes: Vec<Listed>) -> Vec<Session> {
    panes.sort_by_key(|pane| (place(&pane.session.name), pane.session.name.clone(), pane.number));
    let of_sessions = panes.chunk_by(|a, b| a.session.name == b.session.name);
    let chosen = of_sessions.filter_map(|panes| {
        let oldest = panes.first()?;
        let Some(own) = &oldest.own else { return Some(oldest.session.clone()) };
        let there = panes.iter().find(|pane| pane.session.pane == *own);
        Some(there.map_or_else(|| oldest.session.forsaken_by(own), |pane| pane.session.clone()))
    });
    chosen.collect()
}

/// Reads a line of the list. Sessions that are not of ours are left out.
pub(super) fn read_pane(line: &str) -> Option<Listed> {
    // The title is last: it may hold anything.
    let mut fields = line.splitn(16, '|');
    let mut field = || fields.next();
    let name = field().filter(|name| is_name(name))?.to_owned();
    let created = Timestamp::from_millis(field()?.parse::<i64>().ok()?.saturating_mul(1000));
    let attached = field()?.parse().ok()?;
    let pane = field()?.to_owned();
    let number = pane.strip_prefix('%')?.parse().ok()?;
    let dead = field()? == "1";
    let pid = field()?.parse().ok()?;
    let (code, signal) = (field()?.parse().ok(), field().and_then(|signal| signal.parse().ok()));
    let unnoted = code.is_none() && signal.is_none() && process_table::has_ended(pid);
    if unnoted {
        remind(pid);
    }
    let state = match (dead, code) {
        (false, _) => State::Alive { pid },
        // Its terminal is closed, and how it ended is not known yet.
        (true, None) if signal.is_none() && process_table::find(pid).is_some() => State::Alive { pid },
        // The shim says so of a program that a signal ended.
        (true, Some(code @ 129..=192)) => {
            State::Dead { code: None, signal: Some(code - 128), shim_killed: false }
        }
        (true, code) => State::Dead { code, signal, shim_killed: signal.is_some() },
    };
    // How many modes there are, one above the other.
    let in_mode = field().is_some_and(|modes| !matches!(modes, "" | "0"));
    let owner = field().and_then(|owner| owner.parse().ok());
    let own = field().filter(|own| !own.is_empty()).map(str::to_owned);
    let screen = Screen::read(fields);
    let session =
        Session { name, created, attached, pane, state, owner, in_mode, unnoted, forsaken: false, screen };
    Some(Listed { number, session, own })
}

/// Reminds the server of a child that has ended. It does not hear of one that ends while it writes down that a terminal
/// was closed: the library for that takes its handler away meanwhile. It would never look by itself.
fn remind(pid: u32) {
    let parent = ancestors(pid).ok().and_then(|chain| Pid::from_raw(chain.get(1)?.pid.cast_signed()));
    if let Some(server) = parent {
        kill_process(server, Signal::CHILD).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_is_read_as_what_it_is() {
        let read = |line| {
            let session = read_pane(line)?.session;
            Some((session.name, session.attached, session.state))
        };
        let name = "w-1".to_owned();
        let dead = |code, signal, shim_killed| State::Dead { code, signal, shim_killed };
        assert_eq!(read("w-1|7|2|%3|0|42||"), Some((name.clone(), 2, State::Alive { pid: 42 })));
        assert_eq!(read("w-1|7|0|%3|1|42|3|"), Some((name.clone(), 0, dead(Some(3), None, false))));
        assert_eq!(read("w-1|7|0|%3|1|42||9"), Some((name.clone(), 0, dead(None, Some(9), true))));
        assert_eq!(read("w-1|7|0|%3|1|42|137|"), Some((name, 0, dead(None, Some(9), false))));
        let session = SessionId::from_random([7; 16]);
        let mine = read_pane(&format!("w-1|7|0|%3|1|42|3||0|{session}")).unwrap().session;
        assert!(mine.is_of(session) && !mine.is_of(SessionId::from_random([8; 16])) && !mine.in_mode);
        let scrolled = read_pane("w-1|7|0|%3|1|42|3||1|").unwrap().session;
        assert!(scrolled.is_of(session) && scrolled.in_mode, "nobody knows whose it is");
        for line in ["_control|7|1|%0|1|42|0|", "A|7|0|%3|0|42||", "", "w|", "w|x|0|%1|0|1||"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn a_screen_is_read_with_whatever_its_title_holds() {
        let read = |line| read_pane(line).unwrap().session.screen;
        let screen = read("w-1|7|0|%3|0|42|||0||%3|@4|90x30|812|160x48|a|b \u{1b}[31mred");
        let (size, restore) = (Size { columns: 90, rows: 30 }, Some(Size::DEFAULT));
        let title = "a|b red".to_owned();
        assert_eq!(screen, Screen { window: "@4".to_owned(), size, history: 812, title, restore });
        assert_eq!(read("w-1|7|0|%3|0|42||").size, Size::DEFAULT);
    }

    #[test]
    fn a_session_is_what_became_of_its_own_pane() {
        let chosen = |lines: &[&str]| {
            let panes = own_panes(lines.iter().filter_map(|line| read_pane(line)).collect());
            panes.into_iter().map(|one| (one.name.clone(), one.pane.clone(), one.exit())).collect::<Vec<_>>()
        };
        let (oldest, person) = ("w-1|7|0|%3|0|42||||", "w-1|7|0|%5|0|43||||");
        assert_eq!(chosen(&[person, oldest]), [("w-1".to_owned(), "%3".to_owned(), None)]);
        let noted = [format!("{oldest}|%5"), format!("{person}|%5")];
        assert_eq!(chosen(&[&noted[0], &noted[1]]), [("w-1".to_owned(), "%5".to_owned(), None)]);
        let gone = Exit { code: None, signal: None, shim_killed: true, stderr: String::new() };
        assert_eq!(
            chosen(&[&noted[0], "x|7|0|%9|0|44||"]),
            [("w-1".to_owned(), "%5".to_owned(), Some(gone)), ("x".to_owned(), "%9".to_owned(), None)]
        );
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn an_end_that_the_server_has_not_noted_is_told_from_a_life() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = child.id();
        let read = |dead: u8| read_pane(&format!("w-1|7|0|%3|{dead}|{pid}||")).unwrap().session;
        assert!(!read(0).unnoted && !read(1).unnoted, "it has not ended");
        child.kill().unwrap();
        while !process_table::has_ended(pid) {
            std::thread::yield_now();
        }
        // Whether its terminal is closed, or another process still has it.
        for dead in [0, 1] {
            assert!(read(dead).unnoted && read(dead).state == State::Alive { pid }, "{dead}");
        }
        child.wait().unwrap();
        assert!(!read(1).unnoted && read(1).exit().is_some());
    }
}
