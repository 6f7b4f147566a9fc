//! Standing permission rules.

use axum::Json;
use axum::extract::State;
use paseo_core::id::RuleId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::permission::Rule;
use paseo_core::settings::Event;
use paseo_wire::error::Code;
use paseo_wire::page::PageQuery;
use paseo_wire::permission::{RuleList, RuleView};

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use crate::directory::shown;
use crate::failure::Failure;
use crate::mint;

/// Lists all of them: there are never more than a page.
pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<PageQuery>) -> Answer<RuleList> {
    listed(&app).asked(&query).map(Json)
}

pub(crate) async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<RuleList> {
    let context = &app.sessions.context;
    let known = typed.parse::<RuleId>().ok().filter(|rule| context.settings.get().rules.contains_key(rule));
    let rule = known.ok_or_else(|| {
        Failure::new(Code::NotFound, format!("rule `{}` not found", shown(&typed)))
            .hint("run `paseo permit rules`")
    })?;
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

/// Returns a rule with the id under which it is to be kept, and how it is shown. A rule that exists already is not kept
/// twice.
pub(super) fn numbered(app: &App, rule: Rule) -> (Option<(RuleId, Rule)>, RuleView) {
    let settings = app.sessions.context.settings.get();
    if let Some((id, same)) = settings.rules.iter().find(|(_, known)| **known == rule) {
        return (None, view(*id, same));
    }
    let id = mint::rule();
    let shown = view(id, &rule);
    (Some((id, rule)), shown)
}

fn listed(app: &App) -> RuleList {
    let settings = app.sessions.context.settings.get();
    RuleList { rules: settings.rules.iter().map(|(id, rule)| view(*id, rule)).collect(), next: None }
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
