//! What keeps agents from ever running on this machine, as far as it can be seen without starting one.

use std::path::Path;

use paseo_core::definition::{self, Definition, Known, Problem};
use paseo_core::permission::Mode;
use paseo_runtime::keys::CHAINS;
use paseo_runtime::provider::{Capabilities, Check};

use super::{Catalogue, Definitions};
use crate::external::External;
use crate::providers::Providers;
use crate::sessions::routing::place;

/// Says what keeps agents of the definitions in a project from running.
pub(crate) fn doubts(
    definitions: &Definitions,
    catalogue: &Catalogue,
    providers: &Providers,
    external: &External,
    project: &str,
) -> Vec<Problem> {
    let names = providers.names();
    let known = names.iter().filter_map(|name| {
        let Capabilities { efforts, withholds, permissions, guard, .. } = providers.get(name)?.capabilities();
        Some(Known { name, efforts, withholds, permissions, guard })
    });
    let known: Vec<Known<'_>> = known.collect();
    let slugs: Vec<&str> = catalogue.all().map(|definition| definition.slug.as_str()).collect();
    let of = |definition: &Definition| {
        let mut found = definition::doubts(definition, &known);
        found.extend(definition::unknown_peers(definition, &slugs));
        found.extend(definitions.unreadable_keys(definition));
        found.extend(no_model(definition, providers));
        found.extend(no_directory(definition, project));
        found.extend(external.doubts(definition));
        found
    };
    catalogue.listed().iter().flat_map(|listed| of(&listed.definition)).collect()
}

/// Those that have no model by themselves must be told one, here or by the daemon's environment.
fn no_model(definition: &Definition, providers: &Providers) -> Option<Problem> {
    let name = definition.provider.as_deref().filter(|name| CHAINS.contains(name))?;
    if !definition.models.is_empty() {
        return None;
    }
    let check = Check { directory: "/".into(), model: None, effort: None, permissions: Mode::Full };
    let missing = providers.get(name)?.check(&check).err()?;
    let hint = missing.hint.map(|hint| format!(": {hint}")).unwrap_or_default();
    definition.doubt(&["provider", "chat", "type"], missing.message + &hint)
}

fn no_directory(definition: &Definition, project: &str) -> Option<Problem> {
    let own = Path::new(definition.directory.as_deref()?);
    // A relative path counts from the project, and that of a subagent from wherever its parent is.
    if own.is_relative() && (definition.is_subagent || project.is_empty()) {
        return None;
    }
    let directory = place(definition, project);
    if Path::new(&directory).is_dir() {
        return None;
    }
    definition.doubt(&["cwd", "chat"], format!("`cwd`: directory not found: {directory}"))
}
