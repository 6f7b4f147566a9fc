//! Settings, tokens, devices, providers, and which definitions count.

use std::fs;

use serde_json::{Value, json};

use crate::flows;

flows! {
    settings_and_tokens(scene) {
        scene.switch("perm_summon");
        scene.switch("perm_summon");
        scene.ok("PUT", "/api/settings/perm_summon", json!({ "value": false }));
        scene.ask("PUT", "/api/settings/perm_all", json!({ "value": true }));
        let made = scene.ok("POST", "/api/tokens", json!({ "name": "ci" }));
        let id = made["id"].as_str().unwrap().to_owned();
        scene.ok("DELETE", &format!("/api/tokens/{id}"), Value::Null);
    }
    providers_added_and_removed(scene) {
        scene.ok("POST", "/api/providers", json!({ "name": "helper", "command": ["/bin/true", "--acp"] }));
        scene.ask("POST", "/api/providers", json!({ "name": "claude", "command": ["/bin/true"] }));
        scene.ok("DELETE", "/api/providers/helper", Value::Null);
    }
    definitions_that_grant_more_wait_for_trust(scene) {
        let file = "agents/reader.toml";
        scene.write(file, "provider = 'scripted'\ntools = ['read', 'bash']\n");
        scene.run_with(json!({ "agent": "reader" }), "<<say one>>");
        scene.write(file, "provider = 'scripted'\ntools = ['read', 'bash', 'edit']\n");
        scene.run_with(json!({ "agent": "reader" }), "<<say two>>");
        let home = scene.home.path().display().to_string();
        let waits = scene.look(&format!("/api/agents?project={home}"))["pending"][0].clone();
        scene.ok("POST", "/api/agents/reader/trust", json!({ "project": home, "sha256": waits["sha256"] }));
        scene.run_with(json!({ "agent": "reader" }), "<<say three>>");
        fs::remove_file(scene.home.path().join(file)).unwrap();
        scene.look(&format!("/api/agents?project={home}"));
    }
    definitions_of_a_project(scene) {
        let folder = scene.home.work().join(".paseo/agents");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("local.toml"), "provider = 'scripted'\n").unwrap();
        let work = scene.home.work().display().to_string();
        scene.ask("POST", "/api/sessions", json!({ "directory": work, "agent": "local", "prompt": "<<say one>>" }));
        let list = scene.look(&format!("/api/agents?project={work}"));
        scene.ok("POST", "/api/projects/trust", json!({ "project": work, "sha256": list["project"]["sha256"] }));
        scene.run_with(json!({ "agent": "local" }), "<<say two>>");
        scene.ok("DELETE", &format!("/api/projects/trust?project={work}"), Value::Null);
    }
}
