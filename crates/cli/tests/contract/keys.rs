//! The key that a model names reaches the model's server.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::bench::{Bench, PI};
use crate::lacks::Lack;

/// What a fake does with a key nobody can tell.
pub(crate) fn a_model_is_paid_with_its_key(bench: &mut Bench) {
    if bench.lacks(Lack::Keys) {
        return;
    }
    let Some(model) = &bench.model else { return };
    let (provider, url, header, value) = if bench.is_claude() {
        ("claude", model.url(), "x-api-key", "sk-work")
    } else {
        (bench.program.name(), format!("{}/v1", model.url()), "authorization", "Bearer sk-work")
    };
    let home = bench.home.path();
    fs::create_dir_all(home.join("agents")).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    let key =
        format!("[[keys]]\nid = 'work'\nprovider = '{provider}'\nenv = 'WORK_KEY'\nbase_url = '{url}'\n");
    fs::write(home.join("config.toml"), key).unwrap();
    // Pi knows by the model whose key it is.
    let model = if bench.program == PI { "scripted/scripted" } else { "scripted" };
    let models = format!("[[models]]\nmodel_id = '{model}'\nkey_id = 'work'\n");
    fs::write(home.join("agents/default.toml"), models).unwrap();
    bench.home.set("WORK_KEY", "sk-work");
    let (handle, answer) = bench.run(&[], "go <<say paid>>");
    assert!(answer.contains("paid"), "{answer}");
    // A conversation that is continued by a new process, too.
    bench.home.paseo(&["restart"]).ok();
    assert!(bench.answer(&handle, "go <<say again>>").contains("again"));
    let requests = bench.model.as_ref().map(|model| model.requests()).unwrap_or_default();
    let asked: Vec<_> =
        requests.iter().filter(|request| request.body.to_string().contains("<<say")).collect();
    assert!(asked.len() >= 2, "{requests:?}");
    assert!(asked.iter().all(|request| request.header(header) == Some(value)), "{requests:?}");
}
