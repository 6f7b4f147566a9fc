//! Who a local caller is, decided by the processes above it.
//!
//! Descent outranks claims. Nobody can choose their ancestors, but everybody can set a variable: a session's shim or
//! terminal above the caller decides, and a mark in an environment counts only where there is neither.

use crate::id::SessionId;

/// One process between a caller and the top of the process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub post: Post,
    pub claim: Claim,
}

/// What a process is to the daemon, by the daemon's own records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Post {
    /// Nothing: a shell, a harness, a terminal emulator.
    None,
    /// The process that the daemon put above everything of a session.
    Shim(SessionId),
    /// The process that the daemon put above everything of a shell that a person opened in the web app. The daemon alone
    /// types into it, and only what people send.
    Person,
    /// The server that holds the terminals of workers, and windows that people open beside them.
    Terminals,
    Daemon,
}

/// What the environment of a process says about its session. A mark of another home says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    None,
    Session(SessionId),
    /// There is a mark that names no single session of one home.
    Malformed,
    /// The environment cannot be read, or is not a list of variables.
    Unreadable,
}

/// A caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Human,
    Session(SessionId),
}

/// Why a caller is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the calling process has ended, or belongs to another user")]
    Gone,
    #[error("cannot identify the calling process: its environment is not readable")]
    Unreadable,
    #[error("PASEO_SESSION in this process or one of its ancestors does not name an agent in this home")]
    Malformed,
    #[error(
        "PASEO_SESSION in this process or one of its ancestors names a different agent from the one it \
         runs under"
    )]
    Contradiction { runs_under: SessionId, claimed: SessionId },
    #[error("PASEO_SESSION names different agents in this process and its ancestors")]
    Disagreement { nearest: SessionId, above: SessionId },
    #[error(
        "PASEO_SESSION in this process or one of its ancestors names an agent that is closed or does not \
         exist"
    )]
    NotOpen { claimed: SessionId },
    #[error("this process belonged to an agent whose supervisor was killed")]
    Orphan,
    #[error("this window was opened on Paseo's own tmux server, where agents can open windows too")]
    Window,
}

impl Refusal {
    /// Returns the stable word for it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Gone => "caller_gone",
            Self::Unreadable => "environment_unreadable",
            Self::Malformed => "mark_malformed",
            Self::Contradiction { .. } => "mark_contradicts_shim",
            Self::Disagreement { .. } => "marks_disagree",
            Self::NotOpen { .. } => "mark_not_open",
            Self::Orphan => "orphan",
            Self::Window => "window",
        }
    }
}

/// The daemon's records about sessions, as far as marks depend on them.
pub trait Sessions {
    /// Says whether a session is open.
    fn is_open(&self, session: SessionId) -> bool;

    /// Says whether a session's terminal is being opened or looked for, so that its shim is not on record yet.
    fn is_boarding(&self, session: SessionId) -> bool;
}

/// Identifies a caller by the chain from its own process up to the top.
pub fn identify(chain: &[Link], sessions: &impl Sessions) -> Result<Caller, Refusal> {
    let caller = chain.first().ok_or(Refusal::Gone)?;
    if caller.claim == Claim::Unreadable {
        return Err(Refusal::Unreadable);
    }
    // What is above the daemon is not of this home.
    let top = chain.iter().position(|link| link.post == Post::Daemon);
    let below = &chain[..top.unwrap_or(chain.len())];
    if let Some((height, session)) = shim(below) {
        return under_shim(session, &below[..=height]);
    }
    if let Some(height) = below.iter().position(|link| link.post == Post::Person) {
        return marked(&below[..height], |session| sessions.is_open(session));
    }
    if let Some(server) = below.iter().position(|link| link.post == Post::Terminals) {
        // Not a worker's, and it is unknown who opened it.
        return match marked(&below[..server], |session| sessions.is_boarding(session))? {
            Caller::Human => Err(Refusal::Window),
            caller => Ok(caller),
        };
    }
    if top.is_some() {
        return Err(Refusal::Orphan);
    }
    marked(below, |session| sessions.is_open(session))
}

/// Returns the highest shim and how high it is: everything below it is the session's.
fn shim(chain: &[Link]) -> Option<(usize, SessionId)> {
    chain.iter().enumerate().rev().find_map(|(height, link)| match link.post {
        Post::Shim(session) => Some((height, session)),
        Post::None | Post::Person | Post::Terminals | Post::Daemon => None,
    })
}

fn under_shim(session: SessionId, chain: &[Link]) -> Result<Caller, Refusal> {
    for claimed in claims(chain) {
        let claimed = claimed?;
        if claimed != session {
            return Err(Refusal::Contradiction { runs_under: session, claimed });
        }
    }
    Ok(Caller::Session(session))
}

fn marked(chain: &[Link], counts: impl Fn(SessionId) -> bool) -> Result<Caller, Refusal> {
    let mut found = None;
    for claimed in claims(chain) {
        let above = claimed?;
        match found {
            Some(nearest) if nearest != above => return Err(Refusal::Disagreement { nearest, above }),
            Some(_) | None => found = Some(above),
        }
    }
    match found {
        None => Ok(Caller::Human),
        Some(session) if counts(session) => Ok(Caller::Session(session)),
        Some(claimed) => Err(Refusal::NotOpen { claimed }),
    }
}

/// Returns the sessions that a chain claims, nearest first. An ancestor that cannot be read claims nothing: a login
/// shell under sshd, or the first process, must not lock a person out.
fn claims(chain: &[Link]) -> impl Iterator<Item = Result<SessionId, Refusal>> {
    chain.iter().filter_map(|link| match link.claim {
        Claim::None | Claim::Unreadable => None,
        Claim::Session(session) => Some(Ok(session)),
        Claim::Malformed => Some(Err(Refusal::Malformed)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sessions 1 to 9 are open; 5 is boarding.
    struct Book;

    impl Sessions for Book {
        fn is_open(&self, session: SessionId) -> bool {
            (1..10).map(id).any(|open| open == session)
        }

        fn is_boarding(&self, session: SessionId) -> bool {
            session == id(5)
        }
    }

    const OWN: u8 = 1;
    const CLOSED: u8 = 10;

    fn id(n: u8) -> SessionId {
        SessionId::from_random([n; 16])
    }

    fn plain(claim: Claim) -> Link {
        Link { post: Post::None, claim }
    }

    fn says(n: u8) -> Link {
        plain(Claim::Session(id(n)))
    }

    fn silent() -> Link {
        plain(Claim::None)
    }

    fn shim_of(n: u8) -> Link {
        Link { post: Post::Shim(id(n)), claim: Claim::Session(id(n)) }
    }

    fn post(post: Post) -> Link {
        Link { post, claim: Claim::None }
    }

    fn who(chain: &[Link]) -> Result<Caller, Refusal> {
        identify(chain, &Book)
    }

    /// Every claim that is not the own session's, with whether it is a session's at all.
    fn forged() -> Vec<Claim> {
        vec![Claim::Session(id(2)), Claim::Session(id(CLOSED)), Claim::Session(id(99)), Claim::Malformed]
    }

    #[test]
    fn the_shim_decides_and_a_contradiction_is_refused_anywhere_below_it() {
        let tops: [&[Link]; 3] = [
            &[post(Post::Daemon), says(3)],
            &[post(Post::Terminals), post(Post::Daemon)],
            &[post(Post::Terminals), plain(Claim::Unreadable)],
        ];
        for top in tops {
            for claim in [Claim::None, Claim::Session(id(OWN))] {
                let chain = [&[plain(claim), silent(), shim_of(OWN)], top].concat();
                assert_eq!(who(&chain), Ok(Caller::Session(id(OWN))), "{claim:?}");
            }
            for claim in forged() {
                for place in 0..3 {
                    let mut chain = [&[says(OWN), silent(), says(OWN), shim_of(OWN)], top].concat();
                    chain[place].claim = claim;
                    let expected = match claim {
                        Claim::Session(claimed) => Refusal::Contradiction { runs_under: id(OWN), claimed },
                        _ => Refusal::Malformed,
                    };
                    assert_eq!(who(&chain), Err(expected), "{claim:?} at {place}");
                }
            }
        }
    }

    #[test]
    fn several_marks_that_all_agree_with_each_other_still_contradict_the_shim() {
        let chain = [says(2), says(2), says(2), shim_of(OWN), post(Post::Daemon)];
        assert!(matches!(who(&chain), Err(Refusal::Contradiction { .. })));
    }

    #[test]
    fn the_highest_shim_decides() {
        let chain = [silent(), post(Post::Shim(id(2))), post(Post::Shim(id(OWN))), post(Post::Daemon)];
        assert_eq!(who(&chain), Ok(Caller::Session(id(OWN))));
    }

    #[test]
    fn a_mark_counts_where_no_shim_is_above() {
        assert_eq!(who(&[silent(), says(4), silent()]), Ok(Caller::Session(id(4))));
        assert_eq!(who(&[says(4), says(4)]), Ok(Caller::Session(id(4))));
        assert_eq!(
            who(&[says(2), silent(), says(4)]),
            Err(Refusal::Disagreement { nearest: id(2), above: id(4) })
        );
        for unknown in [CLOSED, 99] {
            assert_eq!(who(&[silent(), says(unknown)]), Err(Refusal::NotOpen { claimed: id(unknown) }));
        }
        assert_eq!(who(&[silent(), plain(Claim::Malformed)]), Err(Refusal::Malformed));
    }

    #[test]
    fn in_a_terminal_a_mark_counts_only_until_its_shim_is_on_record() {
        for top in [post(Post::Daemon), silent()] {
            assert_eq!(who(&[says(5), says(5), post(Post::Terminals), top]), Ok(Caller::Session(id(5))));
            assert_eq!(
                who(&[says(4), says(4), post(Post::Terminals), top]),
                Err(Refusal::NotOpen { claimed: id(4) }),
                "a window that an agent opened with a mark of its choice"
            );
            assert_eq!(
                who(&[says(4), says(5), post(Post::Terminals), top]),
                Err(Refusal::Disagreement { nearest: id(4), above: id(5) })
            );
            assert_eq!(
                who(&[silent(), silent(), post(Post::Terminals), top]),
                Err(Refusal::Window),
                "an agent can open a window beside a worker, too"
            );
        }
    }

    #[test]
    fn in_a_shell_that_a_person_opened_the_caller_is_a_person() {
        for top in [post(Post::Daemon), post(Post::Terminals)] {
            assert_eq!(who(&[silent(), silent(), post(Post::Person), top]), Ok(Caller::Human));
            assert_eq!(who(&[says(4), silent(), post(Post::Person), top]), Ok(Caller::Session(id(4))));
            assert_eq!(
                who(&[says(CLOSED), post(Post::Person), top]),
                Err(Refusal::NotOpen { claimed: id(CLOSED) })
            );
            // An agent is one wherever it runs.
            let below = [silent(), shim_of(OWN), silent(), post(Post::Person), top];
            assert_eq!(who(&below), Ok(Caller::Session(id(OWN))));
            let above = [silent(), post(Post::Person), silent(), shim_of(OWN), top];
            assert_eq!(who(&above), Ok(Caller::Session(id(OWN))));
        }
        assert_eq!(
            who(&[silent(), post(Post::Daemon), post(Post::Person)]),
            Err(Refusal::Orphan),
            "its shim was killed"
        );
    }

    #[test]
    fn whoever_lost_its_shim_is_nobody_whatever_it_claims() {
        for claim in [Claim::None, Claim::Session(id(OWN)), Claim::Session(id(5)), Claim::Malformed] {
            assert_eq!(who(&[plain(claim), post(Post::Daemon), silent()]), Err(Refusal::Orphan), "{claim:?}");
        }
    }

    #[test]
    fn an_unreadable_caller_is_refused_and_an_unreadable_ancestor_is_not() {
        let unreadable = plain(Claim::Unreadable);
        assert_eq!(who(&[unreadable, silent()]), Err(Refusal::Unreadable));
        assert_eq!(who(&[unreadable, shim_of(OWN), post(Post::Daemon)]), Err(Refusal::Unreadable));
        assert_eq!(who(&[silent(), silent(), unreadable, unreadable]), Ok(Caller::Human));
        assert_eq!(who(&[silent(), unreadable, says(4), unreadable]), Ok(Caller::Session(id(4))));
        assert_eq!(who(&[silent(), unreadable, shim_of(OWN)]), Ok(Caller::Session(id(OWN))));
        assert_eq!(who(&[]), Err(Refusal::Gone));
    }
}
