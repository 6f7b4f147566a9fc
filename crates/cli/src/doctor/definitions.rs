//! The definitions of agents: whether they load.

use paseo_wire::words::{Layer, PendingChange, Severity};

use paseo_daemon::Seen;
use paseo_wire::diagnosis::Check;

const NAME: &str = "definitions";
const FIX: &str = "run `paseo agents check`";

/// Looks at those of the home and of a project, as a daemon that runs reads them.
pub(super) fn examine(seen: Option<&Seen>) -> Option<Check> {
    let list = seen?.definitions.as_ref()?;
    let counting = list.agents.iter().filter(|agent| agent.counts);
    let held = counting.filter_map(|agent| agent.notice.as_deref());
    let new = list
        .pending
        .iter()
        .filter(|pending| pending.change == PendingChange::New && pending.origin == Layer::Home);
    let new: Vec<String> =
        new.map(|pending| format!("new definition `{}` is not trusted yet", pending.slug)).collect();
    let held: Vec<&str> = held.chain(new.iter().map(String::as_str)).collect();
    let broken: Vec<_> = list.problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    let Some(first) = broken.first() else {
        if !held.is_empty() {
            return Some(Check::warn(NAME, held.join("; "), "run `paseo agents trust`"));
        }
        let own = list.agents.iter().filter(|agent| agent.origin == Layer::Home && agent.counts).count();
        let project =
            list.agents.iter().filter(|agent| agent.origin == Layer::Project && agent.counts).count();
        return Some(Check::ok(NAME, format!("{own} of your own, {project} of this project")));
    };
    let more = match broken.len() {
        1 => String::new(),
        several => format!(", and {} more", several - 1),
    };
    let kept: String = held.iter().map(|notice| format!("; {notice}")).collect();
    let found = format!("some do not load: {}:{}: {}{more}{kept}", first.file, first.line, first.message);
    Some(Check::warn(NAME, found, FIX))
}
