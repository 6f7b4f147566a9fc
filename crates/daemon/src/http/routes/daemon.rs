//! Routes: the daemon: health, status, settings and the stream of events.

use axum::routing::{get, post, put};
use paseo_wire::map::MapQuery;
use paseo_wire::stream::StreamQuery;
use paseo_wire::usage::UsageQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{admin, map, openapi, stream, usage};

pub(super) static DAEMON: Group = Group {
    tag: "daemon",
    about: "The daemon: health, status, settings and the stream of events.",
    routes: &[
        route("getHealth", "GET", "/healthz", Access::Public, || get(admin::health))
            .says("Get the daemon's health")
            .gives("Health"),
        route("getOpenApi", "GET", "/api/openapi.json", Access::Anyone, || get(openapi::document))
            .says("Get this document")
            .made_of("application/json"),
        route("getStatus", "GET", "/api/status", Access::Anyone, || get(admin::status))
            .says("Get the daemon's status")
            .gives("DaemonStatus"),
        route("getCaller", "GET", "/api/whoami", Access::Anyone, || get(admin::whoami))
            .says("Get the caller's identity")
            .gives("WhoAmI"),
        route("stopDaemon", "POST", "/api/shutdown", Access::Human, || post(admin::shutdown))
            .steady()
            .says("Stop the daemon gracefully")
            .answers(202),
        route("getSettings", "GET", "/api/settings", Access::Human, || get(admin::settings))
            .says("Get the settings")
            .gives("SettingsView"),
        route("updateSetting", "PUT", "/api/settings/{key}", Access::Human, || put(admin::change_setting))
            .steady()
            .says("Update a setting")
            .takes("PutSetting")
            .gives("SettingsView"),
        route("getDiagnosis", "GET", "/api/diagnosis", Access::Human, || get(admin::diagnosis))
            .says("Check what Paseo needs on this machine, as `paseo doctor` does")
            .gives("Diagnosis"),
        route("getUsage", "GET", "/api/usage", Access::Human, || get(usage::report))
            .says("Get tokens and cost by day, project or model")
            .compares()
            .asks(query::<UsageQuery>())
            .gives("UsageReport"),
        route("getMap", "GET", "/api/map", Access::Human, || get(map::show))
            .says("Get the map: agents, who talks to whom, who waits for whom, and what that costs")
            .asks(query::<MapQuery>())
            .gives("MapView"),
        route("watchEvents", "GET", "/api/stream", Access::Seated(None), || get(stream::stream))
            .seeks()
            .says(
                "Watch events from a point in the log (server-sent events, see the Frame schemas); \
             `Last-Event-ID` overrides `after`",
            )
            .asks(query::<StreamQuery>())
            .heeds(&["Last-Event-ID"])
            .gives_one_of(&[
                "EventFrame",
                "ItemFrame",
                "LiveFrame",
                "ThreadFrame",
                "TeamFrame",
                "CauseFrame",
                "ResumeFrame",
                "ErrorBody",
            ])
            .made_of("text/event-stream"),
    ],
};
