//! What people decided for good.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::id::RuleId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::permission::Rule;
use paseo_core::settings::Event;
use paseo_wire::error::Code;
use paseo_wire::permission::{RuleList, RuleView};

use super::App;
use super::reply::Answer;
use super::request::{Caller, Path};
use crate::failure::Failure;
use crate::mint;

/// Lists all of them: there are never more than a page.
pub(crate) async fn list(State(app): State<App>) -> Json<RuleList> {
    Json(listed(&app))
}

pub(crate) async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<RuleList> {
    let context = &app.sessions.context;
    let known = typed.parse::<RuleId>().ok().filter(|rule| context.settings.get().rules.contains_key(rule));
    let rule = known
        .ok_or_else(|| Failure::new(Code::NotFound, "rule not found").hint("run `paseo permit rules`"))?;
    context.settings.change(&context.journal, &by, Event::RuleRemoved { rule }).await?;
    Ok(Json(listed(&app)))
}

/// Refuses when no rule can be added.
pub(super) fn check_room(app: &App) -> Result<(), Failure> {
    if app.sessions.context.settings.get().rules.len() < PAGE_ROWS {
        return Ok(());
    }
    Err(Failure::new(Code::Conflict, format!("limit reached: {PAGE_ROWS} permission rules exist"))
        .hint("remove one with `paseo permit forget`; `paseo permit rules` lists them"))
}

/// Keeps a rule; one that is there already is not kept twice.
pub(super) async fn add(app: &App, by: &Actor, answer: Rule) -> Result<RuleView, Failure> {
    let context = &app.sessions.context;
    if let Some((id, same)) = context.settings.get().rules.iter().find(|(_, rule)| **rule == answer) {
        return Ok(view(*id, same));
    }
    let rule = mint::rule();
    let shown = view(rule, &answer);
    context.settings.change(&context.journal, by, Event::RuleAdded { rule, answer }).await?;
    Ok(shown)
}

fn listed(app: &App) -> RuleList {
    let settings = app.sessions.context.settings.get();
    RuleList { rules: settings.rules.iter().map(|(id, rule)| view(*id, rule)).collect() }
}

fn view(id: RuleId, rule: &Rule) -> RuleView {
    RuleView {
        id: id.into(),
        project: rule.project.clone(),
        tool: rule.tool.clone(),
        covers: rule.shape.words(),
        allow: rule.allow,
    }
}
