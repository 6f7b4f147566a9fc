//! Pages of lists.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::agent::{AgentEntry, AgentList};
use crate::command::{CommandList, CommandView};
use crate::device::{DeviceList, DeviceView};
use crate::file::CompletionList;
use crate::message::{Queue, QueuedMessage};
use crate::permission::{RuleList, RuleView};
use crate::project::{DirectoryList, DirectoryView};
use crate::provider::{ModelList, ModelView, ProviderList, ProviderView};
use crate::settings::{TokenList, TokenView};
use crate::team::{RefusalList, RefusalView};
use crate::thread::{HeldList, HeldReply, PresenceList, PresenceView};
use crate::tool::{ToolList, ToolView};
use crate::trace::{CauseMessage, CauseMessages};
use crate::worker::{WorkerList, WorkerView};
use crate::worktree::{WorktreeEntry, WorktreeList};

/// The query of a list without filters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageQuery {
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

/// A list whose rows have names: the cursor of a page is the name of its last row.
pub trait Listed {
    type Row;

    /// Returns the rows, and the cursor of the next page.
    fn parts(&mut self) -> (&mut Vec<Self::Row>, &mut Option<String>);

    /// Returns what names a row among the others.
    fn cursor(row: &Self::Row) -> String;
}

macro_rules! listed {
    ($($list:ident: $rows:ident of $row:ty, by $cursor:expr;)+) => {
        /// The names of these lists, as their schemas have them.
        pub const LISTS: &[&str] = &[$(stringify!($list)),+];

        $(
        impl Listed for $list {
            type Row = $row;

            fn parts(&mut self) -> (&mut Vec<$row>, &mut Option<String>) {
                (&mut self.$rows, &mut self.next)
            }

            fn cursor(row: &$row) -> String {
                let cursor: fn(&$row) -> String = $cursor;
                cursor(row)
            }
        }
        )+
    };
}

listed! {
    // Several layers, and several files of one layer, may define the same slug.
    AgentList: agents of AgentEntry, by |row| {
        format!("{}:{}:{}", row.origin, row.slug, row.file.as_deref().unwrap_or_default())
    };
    CauseMessages: messages of CauseMessage, by |row| row.delivery.to_string();
    CommandList: commands of CommandView, by |row| row.name.clone();
    CompletionList: files of String, by |row| row.clone();
    DeviceList: devices of DeviceView, by |row| row.id.to_string();
    DirectoryList: directories of DirectoryView, by |row| row.name.clone();
    // A participant answers a message once.
    HeldList: replies of HeldReply, by |row| format!("{}:{}", row.reply_to, row.participant);
    ModelList: models of ModelView, by |row| row.id.clone();
    PresenceList: participants of PresenceView, by |row| row.id.to_string();
    ProviderList: providers of ProviderView, by |row| row.name.clone();
    Queue: messages of QueuedMessage, by |row| row.delivery.to_string();
    // What one member is refused at one moment is noted once.
    RefusalList: refusals of RefusalView, by |row| format!("{}:{}:{}", row.agent, String::from(row.at), row.what);
    RuleList: rules of RuleView, by |row| row.id.to_string();
    TokenList: tokens of TokenView, by |row| row.id.to_string();
    ToolList: tools of ToolView, by |row| row.name.clone();
    WorkerList: workers of WorkerView, by |row| row.name.clone();
    WorktreeList: worktrees of WorktreeEntry, by |row| row.name.clone();
}
