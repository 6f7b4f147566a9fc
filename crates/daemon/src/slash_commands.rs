//! What is known of the commands that harnesses offer. Kept in memory: a harness tells them each time it starts.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_runtime::slash::SlashCommand;

/// How many places are remembered.
const PLACES: usize = 200;

/// The newest commands of each provider in each place.
#[derive(Default)]
pub(crate) struct SlashCommands(Mutex<VecDeque<Known>>);

struct Known {
    provider: String,
    /// Directory in which the harness works, or its project.
    place: String,
    commands: Arc<[SlashCommand]>,
}

impl SlashCommands {
    /// Notes what a harness offers where it works, and so in its project.
    pub(crate) fn note(&self, provider: &str, places: [&str; 2], commands: Vec<SlashCommand>) {
        let commands: Arc<[SlashCommand]> = commands.into();
        let mut known = self.0.lock();
        for place in places {
            known.retain(|known| known.provider != provider || known.place != place);
            let (provider, place) = (provider.to_owned(), place.to_owned());
            known.push_back(Known { provider, place, commands: Arc::clone(&commands) });
        }
        while known.len() > PLACES {
            known.pop_front();
        }
    }

    /// Returns what a provider offers in a place, as far as anyone has heard.
    pub(crate) fn of(&self, provider: &str, place: &str) -> Arc<[SlashCommand]> {
        let known = self.0.lock();
        let found = known.iter().find(|known| known.provider == provider && known.place == place);
        found.map_or_else(Default::default, |known| Arc::clone(&known.commands))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_list_of_a_place_counts_and_old_places_are_forgotten() {
        let known = SlashCommands::default();
        let named = |name: &str| vec![SlashCommand { name: name.to_owned(), ..SlashCommand::default() }];
        let names = |provider: &str, place: &str| -> Vec<String> {
            known.of(provider, place).iter().map(|command| command.name.clone()).collect()
        };
        known.note("claude", ["/work/tree", "/work"], named("old"));
        known.note("claude", ["/work/tree", "/work"], named("new"));
        known.note("pi", ["/work", "/work"], named("other"));
        assert_eq!(
            (names("claude", "/work/tree"), names("claude", "/work")),
            (vec!["new".into()], vec!["new".into()])
        );
        assert_eq!(names("pi", "/work"), ["other"]);
        assert!(names("claude", "/elsewhere").is_empty());
        for at in 0..PLACES {
            let place = format!("/{at}");
            known.note("claude", [&place, &place], named("x"));
        }
        assert!(names("pi", "/work").is_empty());
        assert_eq!((names("claude", "/0").len(), PLACES), (1, 200));
    }
}
