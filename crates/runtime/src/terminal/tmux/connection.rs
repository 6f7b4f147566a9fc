//! One lasting connection to the tmux server: a command is a line to write and an answer to read, not a process.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::words::quote;
use crate::lines::Lines;

/// A client in control mode.
#[derive(Debug)]
pub(super) struct Connection {
    client: Child,
    stdin: ChildStdin,
    lines: Lines<ChildStdout>,
}

/// What tmux said to a command: what it printed, or why it refused.
pub(super) type Answer = Result<Vec<String>, String>;

impl Connection {
    pub(super) fn new(mut client: Child) -> io::Result<Self> {
        let (Some(stdin), Some(stdout)) = (client.stdin.take(), client.stdout.take()) else {
            return Err(io::Error::other("the tmux client has no pipes"));
        };
        Ok(Self { client, stdin, lines: Lines::new(stdout) })
    }

    /// Waits until the client's own commands are done. What comes on its stdin could overtake them, and a session that
    /// is there before the options are would have none of them.
    pub(super) async fn settle(&mut self) -> io::Result<()> {
        let mut last = String::new();
        loop {
            let line = self.lines.next().await?.ok_or_else(closed)?.text;
            if line.starts_with("%session-changed ") {
                return Ok(());
            }
            if line.starts_with("%error ") || line.starts_with("%exit") {
                return Err(io::Error::other(format!("tmux rejected its options: {last}")));
            }
            last = line;
        }
    }

    /// Returns the process id of the client.
    pub(super) fn pid(&self) -> Option<u32> {
        self.client.id()
    }

    /// Returns it if it can still be used.
    pub(super) fn if_alive(mut self) -> Option<Self> {
        matches!(self.client.try_wait(), Ok(None)).then_some(self)
    }

    /// Runs commands, each when the one before has worked; what the first of them said is the answer. When this is given
    /// up halfway, the connection is of no use any more.
    pub(super) async fn run(&mut self, commands: &[Vec<Vec<u8>>]) -> io::Result<Answer> {
        let nonce = nonce()?;
        let mut line = Vec::new();
        for (place, words) in commands.iter().enumerate() {
            line.extend(if place > 0 { b"; ".as_slice() } else { b"" });
            for word in words {
                quote(word, &mut line);
                line.push(b' ');
            }
        }
        line.extend(format!("\ndisplay-message -p {nonce}\n").into_bytes());
        self.stdin.write_all(&line).await?;
        self.answer(&nonce).await
    }

    /// Reads until tmux has sent the secret mark. What a worker shows on its screen may look like the
    /// protocol; only this tells where it really ends.
    async fn answer(&mut self, nonce: &str) -> io::Result<Answer> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.next().await?.ok_or_else(closed)?;
            if line.text == nonce {
                break;
            }
            lines.push(line.text);
        }
        // The block of the nonce itself ends behind it.
        while !self.lines.next().await?.ok_or_else(closed)?.text.starts_with("%end ") {}
        read(lines).ok_or_else(|| io::Error::other("unexpected reply from tmux"))
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "tmux closed the connection")
}

fn nonce() -> io::Result<String> {
    let mut random = [0; 16];
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Takes the answer out of the lines that came before the nonce: the block of our own that came first. Blocks of
/// others (the first ones are of the client's own start) end in 0, and notices stand between blocks.
fn read(mut lines: Vec<String>) -> Option<Answer> {
    let begin = lines.iter().position(|line| line.starts_with("%begin ") && line.ends_with(" 1"))?;
    let id = lines[begin].strip_prefix("%begin ")?.to_owned();
    let (ended, refused) = (format!("%end {id}"), format!("%error {id}"));
    let end = lines.iter().rposition(|line| *line == ended || *line == refused)?;
    let is_refused = lines[end] == refused;
    lines.truncate(end);
    let printed = lines.split_off(begin + 1);
    Some(if is_refused { Err(printed.join(" ")) } else { Ok(printed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_first_block_of_our_own_is_the_answer() {
        let text =
            "%begin 1 5 0\n%end 1 5 0\n%sessions-changed\n%begin 1 6 1\na\n\nb\n%end 1 6 1\n%begin 1 7 1";
        assert_eq!(read(lines(text)), Some(Ok(lines("a\n\nb"))));
        let refused = "%begin 1 6 1\ncan't find session: x\n%error 1 6 1\n%begin 1 7 1";
        assert_eq!(read(lines(refused)), Some(Err("can't find session: x".to_owned())));
        assert_eq!(read(lines("%begin 1 6 1\nhalf")), None);
    }

    #[test]
    fn a_screen_that_looks_like_the_protocol_is_a_screen() {
        let screen = "%end 1 6 1\n%begin 1 7 1\nfake\n%end 1 7 1\n%error 1 6 1\nmore";
        let text = format!("%begin 1 6 1\n{screen}\n%end 1 6 1\n%output %1 x\n%begin 1 7 1");
        assert_eq!(read(lines(&text)), Some(Ok(lines(screen))));
    }
}
