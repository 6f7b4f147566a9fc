//! The house: session actors, the HTTP API, identity.
//!
//! Holds no rules that `paseo-core` could hold, and knows nothing of command lines.

mod attachments;
mod bell;
mod buffers;
mod checks;
mod definitions;
mod desk;
mod directory;
mod external;
mod failure;
mod feeder;
mod frames;
mod glimpse;
mod home;
mod http;
mod identity;
mod journal;
mod live;
mod log_file;
mod looks;
mod mcp;
mod mint;
mod notifications;
mod options;
mod past;
mod previews;
mod processes;
mod providers;
pub mod rules;
mod secret_file;
mod sessions;
mod settings;
mod shells;
mod signs;
mod skills;
mod slash_commands;
mod stop;
mod tail;
mod teams;
mod threads;
mod tools;
mod traffic;
mod view;
mod waits;
mod workers;
mod worktrees;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use paseo_core::address::Allowed;
use paseo_core::public_url::PublicUrl;
use paseo_runtime::orphans;
use paseo_runtime::push::Pusher;
use paseo_runtime::sweep::{Sweep, marked, sweep};
use paseo_store::{Log, Sqlite, sqlite};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::{JoinError, spawn_blocking};

pub use options::{Examiner, Options, Ready, Seen, StartError, StartErrorKind};

use crate::attachments::Attachments;
use crate::bell::Bell;
use crate::buffers::Buffers;
use crate::definitions::Definitions;
use crate::external::External;
use crate::failure::Failure;
use crate::feeder::Feeder;
use crate::home::Home;
use crate::http::{About, App, Connections, Limits, Listeners};
use crate::identity::{Credentials, Edge, Logins};
use crate::journal::Journal;
use crate::live::Live;
use crate::looks::Looks;
use crate::notifications::Notifications;
use crate::processes::Processes;
use crate::providers::Providers;
use crate::sessions::{Context, Sessions};
use crate::settings::SettingsCell;
use crate::shells::Shells;
use crate::stop::Stop;
use crate::tail::Tail;
use crate::teams::Teams;
use crate::threads::{Hall, Threads};
use crate::traffic::TrafficCounter;
use crate::workers::Terminals;

/// Runs the daemon until it is told to stop. `ready` is called once, when it answers requests.
pub async fn run(options: Options, ready: impl FnOnce(Ready)) -> Result<(), StartError> {
    let home = Home::claim(&options.home)?;
    log_file::install(&home.path.join("log/daemon.log"), &options.log_filter, options.log_to_stderr)
        .map_err(|error| internal(format!("cannot open the log file: {error}")))?;
    let listeners = listen(&home, &options).await?;
    let address = listeners.tcp.local_addr().map_err(|error| internal(error.to_string()))?;
    let url = format!("http://{address}");

    orphans::adopt()
        .map_err(|error| internal(format!("cannot become the parent of orphaned processes: {error}")))?;
    raise_file_limit();
    let log: Arc<dyn Log> = Arc::new(open_log(&home.database())?);
    let journal = Journal { log };
    let sweeping = tokio::spawn(end_leftovers(journal.clone(), home.path.clone()));

    let about = About {
        started_at: mint::now(),
        socket: home.socket(),
        url: url.clone(),
        port: address.port(),
        edge: Edge::new(address.port(), &options.public_urls),
        public_urls: options.public_urls.clone(),
        cookie: home.cookie(),
        examine: options.examine.clone(),
        examining: Default::default(),
    };
    let app = assemble(&home, &options, journal, about).await.map_err(database)?;
    let left = app.sessions.load().await.map_err(database)?;
    // Before anything is started: what is new has the same marks.
    if let Err(error) = sweeping.await.flatten() {
        tracing::error!(%error, "cannot stop processes left by the previous daemon");
    }
    app.sessions.go_on(left).await;
    app.threads.boot().await.map_err(database)?;
    let (following, counting) = (app.tail.clone(), app.sessions.clone());
    let definitions = app.sessions.context.definitions.clone();
    let attachments = Arc::clone(&app.sessions.context.attachments);
    let background = [
        tokio::spawn(definitions.keep_recording(app.sessions.context.journal.clone())),
        tokio::spawn(following.follow(app.stop.clone())),
        tokio::spawn(app.feeder.clone().follow(app.stop.clone())),
        tokio::spawn(app.notifications.clone().follow(Arc::clone(&app.sessions.context), app.stop.clone())),
        tokio::spawn(app.teams.clone().keep_time(app.stop.clone())),
        tokio::spawn(workers::tidy(app.sessions.clone())),
        tokio::spawn(workers::follow(app.sessions.clone())),
        tokio::spawn(shells::after_restart(app.sessions.clone())),
        tokio::spawn(attachments.keep_tidy(app.about.started_at, app.stop.clone())),
        // `ls` says how many are hidden; the daemon is ready before they are counted.
        tokio::spawn(async move {
            let context = &counting.context;
            if let Err(failure) = context.directory.count_all_closed(&context.journal).await {
                tracing::error!(error = %failure.message, "cannot count closed sessions");
            }
        }),
    ];

    tracing::info!(pid = std::process::id(), %url, home = %home.path.display(), "ready");
    ready(Ready { pid: std::process::id(), socket: home.socket(), url });
    let context = Arc::clone(&app.sessions.context);
    tokio::spawn(stop_on_signal(app.stop.clone()));
    let (router, connections) = (http::router(app.clone()), app.connections.clone());
    let serving = tokio::spawn(http::serve(listeners, router, connections, context, app.stop.clone()));

    app.stop.requested().await;
    tracing::info!("stopping");
    app.sessions.shutdown().await;
    let _ = serving.await;
    if let Err(failure) = app.sessions.context.definitions.record_news(&app.sessions.context.journal).await {
        tracing::error!(error = %failure.message, "cannot record the accepted definitions");
    }
    background.iter().for_each(tokio::task::JoinHandle::abort);
    app.sessions.context.terminals.retire().await;
    let closed = app.sessions.context.journal.log.close().await;
    let _ = fs::remove_file(home.socket());
    tracing::info!("stopped");
    closed.map_err(|error| database(error.into()))
}

/// Ends what the last life left running, but for workers who live in a terminal.
async fn end_leftovers(journal: Journal, home: PathBuf) -> Result<(), JoinError> {
    let place = home.clone();
    let found = spawn_blocking(move || marked(&place)).await?;
    if found.is_empty() {
        return Ok(());
    }
    let spared = workers::outliving(&journal, found).await;
    let swept = spawn_blocking(move || sweep(&home, Sweep::AllBut(&spared))).await?;
    if swept > 0 {
        tracing::warn!(swept, "stopped processes left by the previous daemon");
    }
    Ok(())
}

async fn assemble(home: &Home, options: &Options, journal: Journal, about: About) -> Result<App, Failure> {
    let (bell, buffers) = (Bell::new(journal.head()), Buffers::default());
    let settings = SettingsCell::load(&journal).await?;
    let allowed = Allowed { hosts: options.external_hosts.clone(), own_port: about.port };
    let base_url = about.public_urls.first().map_or(about.url.as_str(), PublicUrl::origin);
    let pusher = Pusher::new(allowed.clone(), contact(options));
    let context = Context {
        definitions: Definitions::load(&home.path, settings.clone(), options.keys.clone(), &journal).await?,
        providers: Providers::new(
            options.default_provider.clone(),
            &options.providers,
            settings.clone(),
            allowed.clone(),
        ),
        external: External::new(&home.path, base_url.to_owned(), about.edge.clone(), allowed),
        settings,
        attachments: Arc::new(Attachments::new(&journal)),
        journal: journal.clone(),
        directory: directory::Directory::default(),
        previews: previews::Previews::default(),
        slash_commands: slash_commands::SlashCommands::default(),
        live: Live::new(bell.clone(), buffers.clone()),
        plugins_off: options.plugins_off.clone(),
        waits: waits::Waits::default(),
        signs: signs::Signs::default(),
        hall: Hall::new(journal.clone(), options.thread_patience),
        routing: tokio::sync::Mutex::default(),
        families: tokio::sync::Mutex::default(),
        processes: Processes::new(options.live_processes),
        credentials: Credentials::default(),
        home: home.path.clone(),
        executable: options.executable.clone(),
        start_patience: options.start_patience,
        url: about.url.clone(),
        terminals: Terminals::new(&home.path, options.workers),
        shells: Shells::default(),
        teams: std::sync::OnceLock::new(),
    };
    let feeder = Feeder::new(journal);
    let sessions = Sessions::new(context);
    let tail = Tail::new(Arc::clone(&sessions.context), bell, buffers.clone());
    let threads = Threads::of(&sessions);
    let teams = Teams::load(sessions.clone(), threads.clone()).await?;
    // Nobody else has it yet.
    let _ = sessions.context.teams.set(teams.clone());
    Ok(App {
        sessions,
        tail,
        threads,
        feeder,
        teams,
        notifications: Notifications::new(&home.path, pusher),
        looks: Looks::default(),
        traffic: TrafficCounter::default(),
        about: Arc::new(about),
        logins: Logins::default(),
        connections: Connections::new(Limits::within(getrlimit(Resource::Nofile).current), buffers),
        stop: Stop::default(),
    })
}

/// Returns whom push services can turn to: who runs this daemon.
fn contact(options: &Options) -> String {
    let public = options.public_urls.iter().map(PublicUrl::origin).find(|url| url.starts_with("https://"));
    let chosen = options.notification_contact.as_deref().or(public);
    // Browsers on this machine need no more. Apple's push service does, see docs/notifications.md.
    chosen.unwrap_or("mailto:paseo@localhost").to_owned()
}

async fn listen(home: &Home, options: &Options) -> Result<Listeners, StartError> {
    let address = options.listen;
    if !address.ip().is_loopback() {
        return Err(StartError {
            kind: StartErrorKind::Address,
            message: format!("{address} is not a loopback address, and the daemon does not support TLS"),
            hint: Some("listen on 127.0.0.1 behind a reverse proxy or tunnel".to_owned()),
        });
    }
    let tcp = TcpListener::bind(address).await.map_err(|error| StartError {
        kind: StartErrorKind::Address,
        message: format!("cannot listen on {address}: {error}"),
        hint: Some(
            "another program, perhaps a daemon with another home, uses this port; choose another with \
             PASEO_LISTEN or `listen` in config.toml (port 0 picks a free one)"
                .to_owned(),
        ),
    })?;
    let socket = home.socket();
    // We hold the home's lock: a socket that is there is a dead daemon's.
    let _ = fs::remove_file(&socket);
    let unix = UnixListener::bind(&socket).map_err(|error| socket_error(&socket, &error))?;
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o600))
        .map_err(|error| socket_error(&socket, &error))?;
    Ok(Listeners { unix, tcp })
}

fn open_log(path: &Path) -> Result<Sqlite, StartError> {
    Sqlite::open(sqlite::Options::new(path, Arc::new(rules::Rules))).map_err(|error| database(error.into()))
}

/// Takes as many file descriptors as the system gives: each connection and each process needs some.
fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "cannot raise the limit on open files");
    }
}

async fn stop_on_signal(stop: Stop) {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("cannot listen for signals");
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    stop.request();
}

fn socket_error(path: &Path, error: &std::io::Error) -> StartError {
    StartError {
        kind: StartErrorKind::Home,
        message: format!("cannot create the socket {}: {error}", path.display()),
        hint: Some(
            "choose a shorter home with --home; socket paths are limited to about 100 characters".to_owned(),
        ),
    }
}

fn database(failure: Failure) -> StartError {
    StartError { kind: StartErrorKind::Database, message: failure.message, hint: failure.hint }
}

fn internal(message: String) -> StartError {
    StartError { kind: StartErrorKind::Internal, message, hint: None }
}
