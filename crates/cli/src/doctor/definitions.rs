//! The definitions of agents: whether they load.

use paseo_wire::agent::AgentQuery;

use super::Check;
use crate::autostart;
use crate::context::Context;

const NAME: &str = "definitions";
const FIX: &str = "`paseo agents check` lists all that is wrong";

/// Looks at those of the home and of where the command runs, as a daemon that runs reads them.
pub(super) async fn examine(context: &Context) -> Option<Check> {
    if !autostart::is_running(&context.settings) {
        return None;
    }
    let project = std::env::current_dir().ok().map(|here| here.display().to_string());
    let list = context.client_as_is().agents(&AgentQuery { project }).await.ok()?;
    let counting = list.agents.iter().filter(|agent| agent.counts);
    let held = counting.filter_map(|agent| agent.notice.as_deref());
    let new = list.pending.iter().filter(|pending| pending.change == "new" && pending.origin == "home");
    let new: Vec<String> =
        new.map(|pending| format!("`{}` is new and waits for your trust", pending.slug)).collect();
    let held: Vec<&str> = held.chain(new.iter().map(String::as_str)).collect();
    let broken: Vec<_> = list.problems.iter().filter(|problem| problem.severity == "error").collect();
    let Some(first) = broken.first() else {
        if !held.is_empty() {
            return Some(Check::warn(
                NAME,
                held.join("; "),
                "`paseo agents trust` shows what waits, and asks",
            ));
        }
        let count = list.agents.iter().filter(|agent| agent.file.is_some()).count();
        return Some(Check::ok(NAME, format!("{count} of your own")));
    };
    let more = match broken.len() {
        1 => String::new(),
        several => format!(", and {} more", several - 1),
    };
    let kept: String = held.iter().map(|notice| format!("; {notice}")).collect();
    let found = format!("not all load: {}:{}: {}{more}{kept}", first.file, first.line, first.message);
    Some(Check::warn(NAME, found, FIX))
}
