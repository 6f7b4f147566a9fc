//! Where a conversation is shown: above a prompt on a terminal, as blocks elsewhere.

use paseo_wire::item::ItemView;
use paseo_wire::stream::LiveFrame;

use crate::commands::logs;
use crate::editor::Editor;
use crate::failure::Failure;
use crate::printer::{Printer, Screen, Style};
use crate::transcript::{self, Extent};

const PROMPT: &str = "> ";
/// How wide what can be typed is, before what it does.
const ENTRY: usize = 16;

/// Where a conversation is shown.
#[derive(Debug)]
pub(crate) enum Surface {
    /// Stored items only, as `paseo logs` prints them.
    Plain(Printer),
    Prompted(Prompted),
}

/// A terminal with a line that is being typed.
#[derive(Debug)]
pub(crate) struct Prompted {
    screen: Screen,
    pub(crate) editor: Editor,
    /// The item that is growing, and how many of its bytes were shown.
    growing: Option<(String, u64)>,
}

impl Surface {
    pub(crate) fn plain(printer: Printer) -> Self {
        Self::Plain(printer)
    }

    pub(crate) fn prompted(printer: Printer) -> Result<Self, Failure> {
        let mut prompted =
            Prompted { screen: Screen::new(printer), editor: Editor::default(), growing: None };
        prompted.redraw()?;
        Ok(Self::Prompted(prompted))
    }

    /// Shows a stored item.
    pub(crate) fn item(&mut self, item: &ItemView) -> Result<(), Failure> {
        match self {
            Self::Plain(_) if item.superseded => Ok(()),
            Self::Plain(printer) => logs::show(printer, item, Extent::Folded),
            Self::Prompted(prompted) if item.superseded => prompted.broke_off(item),
            Self::Prompted(prompted) => prompted.item(item),
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
            Self::Plain(printer) => {
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
            Self::Plain(printer) => {
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

impl Prompted {
    fn redraw(&mut self) -> Result<(), Failure> {
        let (row, column) = self.editor.view(Screen::width().saturating_sub(PROMPT.len()));
        self.screen.type_in(&format!("{PROMPT}{row}"), PROMPT.len() + column)
    }

    fn live(&mut self, live: &LiveFrame) -> Result<(), Failure> {
        let style = match live.kind.as_str() {
            "assistant_text" => Style::Plain,
            "thinking" => Style::Dim,
            _ => return Ok(()),
        };
        let shown = match &self.growing {
            Some((item, shown)) if *item == live.item => *shown,
            _ => 0,
        };
        // After a broken connection a piece may come twice, or not at all: then the stored item has it.
        let skip = shown.checked_sub(live.offset).and_then(|skip| usize::try_from(skip).ok());
        let Some(new) = skip.and_then(|skip| live.text.get(skip..)).filter(|new| !new.is_empty()) else {
            return Ok(());
        };
        if shown == 0 {
            self.screen.settle()?;
            self.screen.say(Style::Dim, if style == Style::Dim { "agent thinks" } else { "agent" })?;
        }
        self.screen.grow(style, new)?;
        self.growing = Some((live.item.clone(), live.offset + live.text.len() as u64));
        Ok(())
    }

    /// Says that the text shown so far is not the answer.
    fn broke_off(&mut self, item: &ItemView) -> Result<(), Failure> {
        if self.growing.take_if(|(growing, _)| *growing == item.id).is_none() {
            return Ok(());
        }
        self.screen.settle()?;
        self.screen.say(Style::Dim, transcript::BROKE_OFF)?;
        self.screen.say(Style::Plain, "")
    }

    fn item(&mut self, item: &ItemView) -> Result<(), Failure> {
        let text = item.text.as_deref().unwrap_or_default();
        if let Some((_, shown)) = self.growing.take_if(|(growing, _)| *growing == item.id) {
            let rest = usize::try_from(shown).ok().and_then(|shown| text.get(shown..));
            // Of a large text only beginning and end are here.
            if let Some(rest) = rest.filter(|rest| !rest.is_empty() && item.full_length.is_none()) {
                let style = if item.kind == "thinking" { Style::Dim } else { Style::Plain };
                self.screen.grow(style, rest)?;
            }
            self.screen.settle()?;
            return self.screen.say(Style::Plain, "");
        }
        let Some((head, text)) = transcript::block(item, Extent::Folded) else { return Ok(()) };
        self.screen.say(logs::head_style(item), &head)?;
        if !text.is_empty() {
            self.screen.say(Style::Plain, &text)?;
        }
        self.screen.say(Style::Plain, "")
    }
}
