//! Attacks on the edge: every route, by everyone who should not get in.

use axum::body::Body;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::label::Labels;
use paseo_core::permission::Mode;
use paseo_store::{Fold, Log, Sqlite, sqlite};
use paseo_wire::message::CreatedSession;
use tempfile::TempDir;
use tower::ServiceExt;

use super::gate::Access;
use super::route::Route;
use super::routes;
use super::{About, App, router};
use crate::home::Home;
use crate::identity::{Edge, Peer};
use crate::journal::Journal;
use crate::options::Options;
use crate::rules::Rules;
use crate::sessions::NewSession;

pub(crate) const HOST: &str = "127.0.0.1:6767";

/// A daemon without listeners.
pub(crate) struct House {
    pub(crate) app: App,
    _folder: TempDir,
    _home: Home,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::folding(std::sync::Arc::new(Rules)).await
    }

    /// One whose streams come to something else.
    pub(crate) async fn folding(fold: std::sync::Arc<dyn Fold>) -> Self {
        Self::with_log(fold, |log| log).await
    }

    /// One whose log is seen through something else.
    pub(crate) async fn with_log(
        fold: std::sync::Arc<dyn Fold>,
        through: impl FnOnce(std::sync::Arc<dyn Log>) -> std::sync::Arc<dyn Log>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::claim(folder.path()).unwrap();
        let options = Options {
            home: folder.path().to_owned(),
            listen: HOST.parse().unwrap(),
            public_urls: Vec::new(),
            default_provider: None,
            providers: Default::default(),
            plugins_off: Default::default(),
            external_hosts: Default::default(),
            notification_contact: None,
            keys: Default::default(),
            live_processes: 1,
            workers: 1,
            thread_patience: std::time::Duration::from_secs(600),
            start_patience: std::time::Duration::from_secs(60),
            executable: "/nonexistent".into(),
            log_filter: String::new(),
            log_to_stderr: false,
            examine: nothing_found(),
        };
        let log = Sqlite::open(sqlite::Options::new(home.database(), fold)).unwrap();
        let log = through(std::sync::Arc::new(log));
        let about = About {
            started_at: crate::mint::now(),
            socket: home.socket(),
            url: format!("http://{HOST}"),
            port: 6767,
            edge: Edge::new(6767, &[]),
            public_urls: Vec::new(),
            cookie: home.cookie(),
            examine: nothing_found(),
            examining: Default::default(),
        };
        let app = crate::assemble(&home, &options, Journal { log }, about).await.unwrap();
        Self { app, _folder: folder, _home: home }
    }

    pub(crate) async fn ask(&self, request: Request<Body>) -> Response<Body> {
        router(self.app.clone()).oneshot(request).await.unwrap()
    }

    /// A token that acts as a person.
    pub(crate) async fn human_token(&self) -> String {
        let body = Body::from(r#"{"name":"test"}"#);
        let mut request =
            Request::post("/api/tokens").header("content-type", "application/json").body(body).unwrap();
        request.extensions_mut().insert(Peer::Local(Ok(Actor::Human("cli".into()))));
        json(self.ask(request).await).await["secret"].as_str().unwrap().to_owned()
    }

    /// An idle session.
    pub(crate) async fn session(&self) -> CreatedSession {
        self.labelled(Labels::default()).await
    }

    /// An idle session with labels.
    pub(crate) async fn labelled(&self, labels: Labels) -> CreatedSession {
        self.made(crate::mint::session(), labels, None).await
    }

    /// An idle session below another one.
    pub(crate) async fn child(&self, parent: &CreatedSession) -> CreatedSession {
        let parent = Some(parent.session.id.parse().unwrap());
        self.made(crate::mint::session(), Labels::default(), parent).await
    }

    /// An idle session with a certain id.
    pub(crate) async fn with_id(&self, id: SessionId) -> CreatedSession {
        self.made(id, Labels::default(), None).await
    }

    async fn made(&self, id: SessionId, labels: Labels, parent: Option<SessionId>) -> CreatedSession {
        let new = NewSession {
            id,
            by: Actor::Human("cli".into()),
            provider: "scripted".into(),
            provider_reason: "asked_for".into(),
            model: None,
            effort: None,
            permissions: Mode::Full,
            parent,
            definition: None,
            of_project: false,
            tools: None,
            ceiling: None,
            spawned: None,
            labels,
            seat: None,
            team: None,
            guarded: false,
            terminal: None,
            reports_to: None,
            name: None,
            project: "/".into(),
            directory: "/".into(),
            worktree: None,
            notes: None,
            prompt: None,
            attachments: Vec::new(),
            schema: None,
            aside: false,
            key: None,
        };
        self.app.sessions.create(new).await.unwrap()
    }
}

/// Examines nothing.
fn nothing_found() -> crate::Examiner {
    crate::Examiner::new(|_| async { paseo_wire::diagnosis::Diagnosis::new(Vec::new()) })
}

fn request(route: &Route) -> http::request::Builder {
    let path = route.path.replace("{id}", "3f2a").replace("{ordinal}", "1");
    let path =
        path.replace("{delivery}", "x").replace("{hash}", "x").replace("{key}", "x").replace("{token}", "x");
    let path = path
        .replace("{device}", "x")
        .replace("{cause}", "x")
        .replace("{rule}", "x")
        .replace("{slug}", "x")
        .replace("{name}", "x")
        .replace("{*view}", "x")
        .replace("{server}", "Paseo")
        .replace("{worktree}", "x")
        .replace("{thread}", "x")
        .replace("{attachment}", "x");
    Request::builder().method(route.method).uri(path).extension(Peer::Network)
}

async fn json(response: Response<Body>) -> serde_json::Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

#[tokio::test]
async fn without_a_credential_only_public_routes_answer() {
    let house = House::new().await;
    for route in routes::all() {
        for credential in [
            None,
            Some("Bearer "),
            Some("Bearer 00"),
            Some("Basic eDp4"),
            Some("bearer x"),
            Some("human:cli"),
        ] {
            let mut builder = request(route).header("host", HOST);
            if let Some(credential) = credential {
                builder = builder.header("authorization", credential);
            }
            let request = builder.body(Body::empty()).unwrap();
            let wanted = request.uri().path().to_owned();
            let response = house.ask(request).await;
            let (status, context) =
                (response.status(), format!("{} {} {credential:?}", route.method, route.path));
            match route.access {
                Access::Public => assert_ne!(status, StatusCode::UNAUTHORIZED, "{context}"),
                Access::Page => {
                    assert_eq!(response.headers()["location"], format!("/login#to={wanted}"), "{context}");
                }
                // Whose secret it would be is known only once there is such a session.
                Access::Callback => {
                    assert!([StatusCode::UNAUTHORIZED, StatusCode::NOT_FOUND].contains(&status), "{context}");
                }
                Access::Anyone
                | Access::Human
                | Access::Tool(_)
                | Access::Itself
                | Access::Agent
                | Access::Member(_)
                | Access::Seated(_) => {
                    assert_eq!(status, StatusCode::UNAUTHORIZED, "{context}");
                }
            }
        }
    }
}

/// A stream that is there.
const STREAM: &str = "/api/stream?topics=sessions";

#[tokio::test]
async fn no_answer_is_kept_by_a_cache_or_taken_for_another_type() {
    let house = House::new().await;
    let token = house.human_token().await;
    for credential in ["none", token.as_str()] {
        // What changes something is only refused here.
        let tried = routes::all().filter(|route| credential == "none" || route.method == "GET");
        let of =
            |method: &str, path: &str| Request::builder().method(method).uri(path).extension(Peer::Network);
        let more = [
            of("GET", "/nowhere"),
            of("GET", "/api/nowhere"),
            of("PATCH", "/api/sessions"),
            of("GET", STREAM),
        ];
        for builder in tried.map(request).chain(more) {
            let request =
                builder.header("host", HOST).header("authorization", format!("Bearer {credential}"));
            let request = request.body(Body::empty()).unwrap();
            let path = request.uri().path().to_owned();
            let is_stream = credential != "none" && request.uri() == STREAM;
            let response = house.ask(request).await;
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            assert!(
                !is_stream || header("content-type") == Some("text/event-stream"),
                "{path}: {response:?}"
            );
            assert_eq!(header("x-content-type-options"), Some("nosniff"), "{path}");
            let is_part_of_the_app = response.headers().contains_key("etag");
            assert!(
                is_part_of_the_app || header("cache-control") == Some("no-store"),
                "{path}: {response:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_foreign_host_is_turned_away_everywhere() {
    let house = House::new().await;
    let token = house.human_token().await;
    let unknown = Request::get("/nowhere").extension(Peer::Network);
    let all = routes::all().map(request).chain([unknown]);
    for builder in all {
        let request = builder.header("authorization", format!("Bearer {token}"));
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        for hosts in [
            &["evil.example"][..],
            &["localhost.evil.example:6767"],
            &["127.0.0.1"],
            &[],
            &[HOST, "evil.example"],
        ] {
            parts.headers.remove("host");
            for host in hosts {
                parts.headers.append("host", host.parse().unwrap());
            }
            let response = house.ask(Request::from_parts(parts.clone(), Body::empty())).await;
            assert_eq!(response.status(), StatusCode::MISDIRECTED_REQUEST, "{} {hosts:?}", parts.uri);
        }
    }
}

#[tokio::test]
async fn a_foreign_origin_is_turned_away_everywhere() {
    let house = House::new().await;
    let token = house.human_token().await;
    let headers = [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", ""),
        ("origin", "https://127.0.0.1:6767"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ];
    // A link to the login page may stand anywhere; it carries no rights.
    let harmless = |route: &Route, name: &str| name == "sec-fetch-site" && route.access == Access::Public;
    for route in routes::all() {
        for (name, value) in headers.into_iter().filter(|(name, _)| !harmless(route, name)) {
            let builder =
                request(route).header("host", HOST).header("authorization", format!("Bearer {token}"));
            let response = house.ask(builder.header(name, value).body(Body::empty()).unwrap()).await;
            let to_login = route.access == Access::Page && name == "sec-fetch-site";
            let expected = if to_login { StatusCode::SEE_OTHER } else { StatusCode::FORBIDDEN };
            let context = format!("{} {} {name}: {value}", route.method, route.path);
            assert_eq!(response.status(), expected, "{context}");
        }
    }
}

#[tokio::test]
async fn a_session_has_no_human_rights_by_any_way() {
    let house = House::new().await;
    let created = house.session().await;
    let id = created.session.id.parse().unwrap();
    let _registration = house.app.sessions.context.credentials.register(id, "secret");
    for route in routes::all() {
        let by_token = request(route).header("host", HOST).header("authorization", "Bearer secret");
        let mut by_ancestry = request(route);
        by_ancestry.extensions_mut().unwrap().insert(Peer::Local(Ok(Actor::Session(id))));
        for builder in [by_token, by_ancestry] {
            let response = house.ask(builder.body(Body::empty()).unwrap()).await;
            let allowed =
                matches!(route.access, Access::Public | Access::Anyone | Access::Agent | Access::Callback);
            let refused = [StatusCode::FORBIDDEN, StatusCode::SEE_OTHER].contains(&response.status());
            // A thread is looked up first, and there is none.
            let refused =
                refused || matches!(route.access, Access::Seated(_)) && response.status().is_client_error();
            // An agent may ask for the stream, but not for everyone's.
            let own_only = route.path == "/api/stream";
            assert_eq!(
                refused,
                !allowed || own_only,
                "{} {}: {}",
                route.method,
                route.path,
                response.status()
            );
        }
    }
}

#[tokio::test]
async fn a_token_of_an_agent_does_not_make_a_person_of_its_process() {
    let house = House::new().await;
    let token = house.human_token().await;
    let id = house.session().await.session.id.parse().unwrap();
    let mut request = Request::get("/api/whoami").header("authorization", format!("Bearer {token}"));
    request.extensions_mut().unwrap().insert(Peer::Local(Ok(Actor::Session(id))));
    let answer = json(house.ask(request.body(Body::empty()).unwrap()).await).await;
    assert_eq!(answer["actor"], format!("session:{id}"));
}

#[tokio::test]
async fn a_process_that_cannot_be_identified_is_nobody() {
    let house = House::new().await;
    let mut request = Request::get("/api/status");
    request.extensions_mut().unwrap().insert(Peer::Local(Err(paseo_core::ancestry::Refusal::Orphan)));
    assert_eq!(house.ask(request.body(Body::empty()).unwrap()).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_revoked_token_is_worth_nothing() {
    let house = House::new().await;
    let token = house.human_token().await;
    let with_token = |method: &str, uri: &str| {
        let builder = Request::builder().method(method).uri(uri.to_owned()).extension(Peer::Network);
        builder
            .header("host", HOST)
            .header("authorization", format!("Bearer {token}"))
            .body(Body::empty())
            .unwrap()
    };
    let listed = json(house.ask(with_token("GET", "/api/tokens")).await).await;
    let id = listed["tokens"][0]["id"].as_str().unwrap();
    assert!(!listed.to_string().contains(&token), "the secret is shown once only");
    assert_eq!(house.ask(with_token("DELETE", &format!("/api/tokens/{id}"))).await.status(), StatusCode::OK);
    assert_eq!(house.ask(with_token("GET", "/api/tokens")).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn bodies_that_are_not_json_are_refused() {
    let house = House::new().await;
    let deep = format!("{}1{}", r#"{"a":"#.repeat(2000), "}".repeat(2000));
    let cases = [
        ("application/x-www-form-urlencoded", r#"{"name":"x"}"#.to_owned(), StatusCode::BAD_REQUEST),
        ("text/plain", r#"{"name":"x"}"#.to_owned(), StatusCode::BAD_REQUEST),
        ("application/json", deep, StatusCode::BAD_REQUEST),
        ("application/json", r#"{"name":"x","actor":"human:root"}"#.to_owned(), StatusCode::BAD_REQUEST),
        (
            "application/json",
            format!(r#"{{"name":"{}"}}"#, "x".repeat(2 * 1024 * 1024)),
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
    ];
    for (kind, body, expected) in cases {
        let mut request =
            Request::post("/api/tokens").header("content-type", kind).body(Body::from(body)).unwrap();
        request.extensions_mut().insert(Peer::Local(Ok(Actor::Human("cli".into()))));
        let response = house.ask(request).await;
        assert_eq!(response.status(), expected, "{kind}");
        assert!(json(response).await["code"].is_string(), "every refusal has a code");
    }
}

#[tokio::test]
async fn a_browser_logs_in_once_per_link_and_is_a_person_from_then_on() {
    let house = House::new().await;
    let mut request = Request::post("/api/login-links").body(Body::empty()).unwrap();
    request.extensions_mut().insert(Peer::Local(Ok(Actor::Human("cli".into()))));
    let link = json(house.ask(request).await).await["url"].as_str().unwrap().to_owned();
    let (page, code) = link.split_once("#code=").unwrap();
    assert_eq!(page, format!("http://{HOST}/login"));

    let login = |code: &str| {
        let builder = Request::post("/api/login").extension(Peer::Network).header("host", HOST);
        let builder =
            builder.header("origin", format!("http://{HOST}")).header("content-type", "application/json");
        builder
            .header("user-agent", "Mozilla/5.0 (X11; Linux) Firefox/150")
            .body(Body::from(format!(r#"{{"code":"{code}"}}"#)))
            .unwrap()
    };
    assert_eq!(house.ask(login("00")).await.status(), StatusCode::UNAUTHORIZED);
    let response = house.ask(login(code)).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"),
        "{cookie}"
    );
    assert_eq!(house.ask(login(code)).await.status(), StatusCode::UNAUTHORIZED, "a code works once");

    let cookie = cookie.split(';').next().unwrap();
    let ask = |method: &str, uri: &str, header: Option<(&str, &str)>| {
        let builder = Request::builder().method(method).uri(uri.to_owned()).extension(Peer::Network);
        // Another daemon of this host has a cookie of its own, which comes here as well.
        let cookies = format!("paseo_device_00=00; {cookie}");
        let mut builder = builder.header("host", HOST).header("cookie", cookies);
        if let Some((name, value)) = header {
            builder = builder.header(name, value);
        }
        builder.body(Body::empty()).unwrap()
    };
    let (own_site, own_origin) = (Some(("sec-fetch-site", "same-origin")), format!("http://{HOST}"));
    let listed = json(house.ask(ask("GET", "/api/devices", own_site)).await).await;
    assert_eq!(listed["devices"][0]["name"], "Firefox on Linux");
    assert_eq!(listed["devices"][0]["current"], true);

    // The cookie alone proves nothing: another site's page could have sent it.
    for header in [None, Some(("sec-fetch-site", "cross-site")), Some(("origin", "http://evil.example"))] {
        assert_eq!(
            house.ask(ask("GET", "/api/devices", header)).await.status(),
            StatusCode::FORBIDDEN,
            "{header:?}"
        );
    }
    for header in [None, own_site, Some(("origin", "null"))] {
        assert_eq!(
            house.ask(ask("POST", "/api/shutdown", header)).await.status(),
            StatusCode::FORBIDDEN,
            "{header:?}"
        );
    }

    let own_origin = Some(("origin", own_origin.as_str()));
    assert_eq!(house.ask(ask("POST", "/api/logout", own_origin)).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(house.ask(ask("GET", "/api/devices", own_site)).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_stranger_is_sent_to_the_login_page_with_what_was_wanted() {
    let house = House::new().await;
    for (path, location) in [
        ("/app", "/login#to=/app"),
        ("/app/", "/login#to=/app/"),
        ("/app/agents/3f2a-00?from=elsewhere", "/login#to=/app/agents/3f2a-00"),
        ("/app/definitions/my_agent", "/login#to=/app/definitions/my_agent"),
        ("/app/%0d%0aset-cookie:x", "/login"),
        ("/app/ä", "/login"),
    ] {
        let request = Request::get(path).extension(Peer::Network).header("host", HOST);
        let request = request.header("sec-fetch-site", "cross-site").body(Body::empty()).unwrap();
        let response = house.ask(request).await;
        assert_eq!(response.status(), StatusCode::SEE_OTHER, "{path}");
        assert_eq!(response.headers()["location"], location, "{path}");
    }
}

#[tokio::test]
async fn what_installs_the_app_is_served_without_a_cookie() {
    let house = House::new().await;
    for path in
        ["/app/manifest.webmanifest", "/app/sw.js", "/app/icons/icon-192.png", "/app/icons/..%2findex.html"]
    {
        let request = Request::get(path).extension(Peer::Network).header("host", HOST);
        let request = request.header("sec-fetch-site", "same-origin").body(Body::empty()).unwrap();
        let response = house.ask(request).await;
        // A build may lack the app.
        if response.status() == StatusCode::NOT_FOUND {
            assert_eq!(json(response).await["code"], "not_found", "{path}");
            continue;
        }
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert!(!path.contains("%2f"), "{path}");
        assert_ne!(response.headers()["content-type"], "text/html; charset=utf-8", "{path}");
        assert_eq!(response.headers()["cache-control"], "no-cache", "{path}");
        let scope = response.headers().get("service-worker-allowed").map(|scope| scope.to_str().unwrap());
        assert_eq!(scope, path.ends_with("sw.js").then_some("/app"), "{path}");
    }
}
