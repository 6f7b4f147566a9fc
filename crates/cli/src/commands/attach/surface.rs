//! Where a conversation is shown: above a prompt on a terminal, as blocks elsewhere.

use paseo_wire::item::ItemView;
use paseo_wire::stream::LiveFrame;
use paseo_wire::words::{ItemKind, LiveKind};

use crate::commands::logs;
use crate::editor::Editor;
use crate::failure::Failure;
use crate::growth::Growth;
use crate::people::People;
use crate::printer::{Look, Mode, Printer, Screen, Style};
use crate::transcript::{self, Block, Body, Extent, Transcript};

const PROMPT: &str = "> ";
/// How wide what can be typed is, before what it does.
const ENTRY: usize = 16;

/// Where a conversation is shown.
#[derive(Debug)]
pub(crate) enum Surface {
    /// Stored items only, as `paseo logs` prints them.
    Plain(Plain),
    Prompted(Box<Prompted>),
}

/// Where nothing can be typed.
#[derive(Debug)]
pub(crate) struct Plain {
    printer: Printer,
    transcript: Transcript,
    /// Something was printed.
    begun: bool,
}

/// A terminal with a line that is being typed.
#[derive(Debug)]
pub(crate) struct Prompted {
    printer: Printer,
    screen: Screen,
    transcript: Transcript,
    pub(crate) editor: Editor,
    growth: Growth,
}

impl Surface {
    pub(crate) fn plain(printer: Printer) -> Self {
        Self::Plain(Plain { printer, transcript: Transcript::new(Extent::Folded), begun: false })
    }

    pub(crate) fn prompted(printer: Printer) -> Result<Self, Failure> {
        let mut prompted = Prompted {
            printer,
            screen: Screen::new(printer),
            transcript: Transcript::new(Extent::Folded),
            editor: Editor::default(),
            growth: Growth::default(),
        };
        prompted.redraw()?;
        Ok(Self::Prompted(Box::new(prompted)))
    }

    /// Shows a stored item.
    pub(crate) fn item(&mut self, item: &ItemView, people: &People) -> Result<(), Failure> {
        match self {
            Self::Plain(_) if item.superseded => Ok(()),
            Self::Plain(plain) => plain.item(item, people),
            Self::Prompted(prompted) if item.superseded => prompted.broke_off(item),
            Self::Prompted(prompted) => prompted.item(item, people),
        }
    }

    /// Shows a piece of an item that is growing.
    pub(crate) fn live(&mut self, live: &LiveFrame) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Prompted(prompted) => prompted.live(live),
        }
    }

    /// Tells the person something that is no part of the conversation.
    pub(crate) fn aside(&mut self, style: Style, words: &str) -> Result<(), Failure> {
        match self {
            Self::Plain(Plain { printer, .. }) => {
                printer.aside(words);
                Ok(())
            }
            Self::Prompted(prompted) => prompted.screen.say(style, words),
        }
    }

    /// Explains one of the things that can be typed.
    pub(crate) fn entry(&mut self, typed: &str, words: &str) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => self.aside(Style::Dim, &format!("{typed:<ENTRY$}{words}")),
            Self::Prompted(prompted) => {
                prompted.screen.say_beside(Style::Dim, &format!("{typed:<ENTRY$}"), words)
            }
        }
    }

    /// Tells why something that was wished did not happen.
    pub(crate) fn failure(&mut self, failure: &Failure) -> Result<(), Failure> {
        match self {
            Self::Plain(Plain { printer, .. }) => {
                printer.failure(failure);
                Ok(())
            }
            Self::Prompted(prompted) => {
                prompted.screen.say(Style::Red, &failure.message)?;
                failure.hint.as_ref().map_or(Ok(()), |hint| prompted.screen.say(Style::Dim, hint))
            }
        }
    }

    /// Shows the line that is being typed.
    pub(crate) fn redraw(&mut self) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Prompted(prompted) => prompted.redraw(),
        }
    }

    /// Leaves the terminal at the beginning of a line.
    pub(crate) fn leave(&mut self) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Prompted(prompted) => prompted.screen.leave(),
        }
    }
}

impl Plain {
    fn item(&mut self, item: &ItemView, people: &People) -> Result<(), Failure> {
        if self.printer.mode() == Mode::Json {
            return self.printer.json(item);
        }
        for block in self.transcript.take(item, people) {
            if std::mem::replace(&mut self.begun, true) && block.stamp.is_some() {
                self.printer.line("")?;
            }
            logs::show(&self.printer, &block)?;
        }
        Ok(())
    }
}

impl Prompted {
    fn redraw(&mut self) -> Result<(), Failure> {
        let (row, column) = self.editor.view(Screen::width().saturating_sub(PROMPT.len()));
        self.screen.type_in(&format!("{PROMPT}{row}"), PROMPT.len() + column)
    }

    fn live(&mut self, live: &LiveFrame) -> Result<(), Failure> {
        let look = match live.kind {
            LiveKind::AssistantText => self.printer.look(false),
            LiveKind::Thinking => Look::THOUGHT,
            _ => return Ok(()),
        };
        let Some((new, begins)) = self.growth.piece(live) else { return Ok(()) };
        if begins {
            self.screen.settle()?;
            let head = if look == Look::THOUGHT { "agent, thinking" } else { "agent" };
            self.apart(&Block::head(head))?;
        }
        self.screen.grow(look, new)
    }

    /// Says that the text shown so far is not the answer.
    fn broke_off(&mut self, item: &ItemView) -> Result<(), Failure> {
        if self.growth.rest(item).is_none() {
            return Ok(());
        }
        self.apart(&Block::head(transcript::BROKE_OFF))
    }

    fn item(&mut self, item: &ItemView, people: &People) -> Result<(), Failure> {
        if let Some(rest) = self.growth.rest(item) {
            if !rest.is_empty() {
                let look =
                    if item.kind() == ItemKind::Thinking { Look::THOUGHT } else { self.printer.look(false) };
                self.screen.grow(look, rest)?;
            }
            return self.screen.settle();
        }
        for block in self.transcript.take(item, people) {
            self.apart(&block)?;
        }
        Ok(())
    }

    /// Shows a block, apart from the one before.
    fn apart(&mut self, block: &Block) -> Result<(), Failure> {
        if block.stamp.is_some() {
            self.screen.say(Style::Plain, "")?;
        }
        let head = block.line();
        if !head.is_empty() {
            self.screen.say(block.style, &head)?;
        }
        match &block.body {
            Body::Nothing => Ok(()),
            Body::Text(text) => self.screen.say(Style::Plain, text),
            Body::Answer(text) => self.screen.answer(text),
            Body::Rows(rows) => self.screen.rows(rows),
        }
    }
}
