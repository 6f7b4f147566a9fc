//! `paseo run`

use std::path::{Path, PathBuf};

use paseo_core::definition::DEFAULT;
use paseo_core::label::Labels;
use paseo_wire::error::Exit;
use paseo_wire::session::CreateSession;
use paseo_wire::words::{ProviderReason, TeamRole};

use super::worktree;
use crate::args::RunArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Form;
use crate::printer::Mode;
use crate::{attachments, consent, harnesses, outcome, output_schema, prompt};

pub(crate) async fn run(context: &Context, args: RunArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output).plain_if(args.plain);
    let files = attachments::read(&args.attachments)?;
    let mut wanted = wanted(context, &args).await?;
    let provider = wanted.provider.as_deref().or(wanted.default_provider.as_deref());
    harnesses::warn_without_login(&context.settings, &printer, provider.filter(|_| wanted.agent.is_none()));
    let slug = wanted.agent.as_deref().unwrap_or(DEFAULT);
    consent::review(context, &printer, slug, &wanted.directory).await?;
    wanted.attachments = attachments::upload(context, files).await?;
    let created = context.client()?.create_session(&wanted, None).await?;
    context.explain_version();
    consent::explain(&printer, created.receipt.as_ref());
    let handle = &created.session.handle;
    let provider = &created.session.provider;
    if created.provider_reason == ProviderReason::FirstReady {
        printer.aside(&format!(
            "Using {provider}, the first provider that is ready; choose another with --provider"
        ));
    }
    if args.detach {
        worktree::explain(&printer, &created);
        match printer.mode() {
            Mode::Json => printer.json(&created)?,
            Mode::Normal | Mode::Quiet => printer.line(handle)?,
        }
        return Ok(Exit::Ok);
    }
    let receipt = created.receipt.as_ref().ok_or_else(|| {
        Failure::new(
            Exit::AgentError,
            format!("{handle} was started, but the daemon did not confirm the prompt"),
        )
    })?;
    printer.aside(&format!("Started {handle} ({provider})"));
    worktree::explain(&printer, &created);
    let form = Form::of(wanted.output_schema.as_ref());
    let waited = outcome::wait(context, &printer, receipt, form, args.timeout).await?;
    outcome::report(&printer, receipt, &waited)
}

/// Everything is checked before anything is sent.
async fn wanted(context: &Context, args: &RunArgs) -> Result<CreateSession, Failure> {
    if args.member.is_some() && args.team.is_none() {
        return Err(Failure::usage("--member requires --team"));
    }
    if let Some(extra) = args.extra.first() {
        return Err(one_too_many(args, &extra.to_string_lossy()));
    }
    let prompt = match (&args.prompt, &args.prompt_file) {
        (Some(text), _) => prompt::typed(text, "prompt")?,
        (None, Some(path)) => prompt::file(path, "prompt")?,
        (None, None) => return Err(Failure::usage("the prompt is empty")),
    };
    let labels = Labels::from_flags(args.labels.iter().cloned(), args.ui)
        .map_err(|malformed| Failure::usage(malformed.to_string()))?;
    Ok(CreateSession {
        agent: args.agent.clone(),
        provider: args.provider.clone(),
        default_provider: context.provider().await?,
        model: args.model.clone(),
        effort: args.effort.clone(),
        permissions: args.permissions.as_deref().map(Into::into),
        labels: labels.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        name: args.title.clone(),
        directory: directory(args.cwd.as_deref())?,
        cwd: args.cwd.as_deref().map(|chosen| directory(Some(chosen))).transpose()?,
        worktree: match (&args.worktree, args.no_worktree) {
            (Some(_), _) => Some(true),
            (None, true) => Some(false),
            (None, false) => None,
        },
        worktree_name: args.worktree.clone().filter(|name| !name.is_empty()),
        base: args.base.clone(),
        prompt: Some(prompt),
        attachments: Vec::new(),
        output_schema: output_schema::read(args.output_schema.as_deref())?,
        team: args.team.as_deref().map(Into::into),
        team_agent: args.member.as_deref().map(Into::into),
        team_role: args.leads.then_some(TeamRole::Leader),
        guard: args.guard.as_deref().map(Into::into),
    })
}

/// Says what was probably meant by more than one prompt.
fn one_too_many(args: &RunArgs, extra: &str) -> Failure {
    let first = args.prompt.as_deref().unwrap_or_default().to_string_lossy();
    let failure = Failure::usage(format!("unexpected argument '{extra}' after the prompt '{first}'"));
    let hint = match args.worktree.as_deref() {
        Some("") => format!("to name the worktree, write --worktree={first}"),
        _ => "quote the whole prompt".to_owned(),
    };
    Failure { hint: Some(hint), ..failure }
}

/// Returns the directory to work in: absolute, without links, known to exist.
pub(super) fn directory(chosen: Option<&Path>) -> Result<String, Failure> {
    let path = chosen.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let unusable = |why: &str| {
        let name = match chosen {
            Some(_) => format!("`{}`", path.display()),
            None => "the current directory".to_owned(),
        };
        Failure::usage(format!("cannot use {name} as the directory: {why}"))
    };
    let real = path.canonicalize().map_err(|error| unusable(&error.to_string()))?;
    if !real.is_dir() {
        return Err(unusable("not a directory"));
    }
    real.into_os_string().into_string().map_err(|_| unusable("the path is not valid UTF-8"))
}
