//! The commands that an agent offers: heard from it, and listed for where it works.

use paseo_wire::command::{CommandList, CommandQuery};
use paseo_wire::error::Code;

use crate::watch::Watched;

async fn listed(watched: &Watched, query: CommandQuery) -> Result<CommandList, paseo_client::Error> {
    watched.client.commands(&query).await
}

fn at(directory: &std::path::Path) -> CommandQuery {
    CommandQuery { directory: directory.display().to_string(), ..CommandQuery::default() }
}

#[tokio::test]
async fn what_an_agent_offers_is_listed_for_its_directory() {
    let watched = Watched::new();
    let work = watched.home.work().to_owned();
    assert_eq!(listed(&watched, at(&work)).await.unwrap().commands, []);
    watched.home.paseo(&["run", "<<offer review: Look at a change | test | two words: no>>"]).ok();
    let found = listed(&watched, at(&work)).await.unwrap();
    let shown: Vec<_> = found
        .commands
        .iter()
        .map(|command| (command.name.as_str(), command.description.as_deref()))
        .collect();
    assert_eq!(shown, [("review", Some("Look at a change")), ("test", None)]);
    // The newest counts, in pages if so asked.
    watched.home.paseo(&["run", "<<offer a | b | c>>"]).ok();
    let first = listed(&watched, CommandQuery { limit: Some(2), ..at(&work) }).await.unwrap();
    assert_eq!((first.commands.len(), first.next.as_deref()), (2, Some("b")));
    let rest = listed(&watched, CommandQuery { after: first.next, ..at(&work) }).await.unwrap();
    assert_eq!((rest.commands[0].name.as_str(), rest.next), ("c", None));
    // Elsewhere, and of another provider, nothing is known.
    assert_eq!(listed(&watched, at(&watched.home.path())).await.unwrap().commands, []);
    let other = CommandQuery { provider: Some("claude".into()), ..at(&work) };
    assert_eq!(listed(&watched, other).await.unwrap().commands, []);
    let unknown = CommandQuery { provider: Some("nope".into()), ..at(&work) };
    assert_eq!(listed(&watched, unknown).await.unwrap_err().code(), Some(Code::NotFound));
}
