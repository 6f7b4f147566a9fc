//! What agents read about their tools.

use paseo_core::tool::{Plugin, REGISTRY};

use crate::cast::Cast;

#[tokio::test]
async fn no_tool_names_another_that_is_not_granted() {
    let cast = Cast::new(&["perm_send_to_tab", "perm_read_tab", "perm_summon", "perm_user_agent"]);
    let tools = || {
        REGISTRY
            .iter()
            .filter(|spec| spec.power.is_none() && !matches!(spec.plugin, Plugin::Ui | Plugin::Team))
    };
    for (number, spec) in tools().enumerate() {
        let slug = format!("d{number}");
        cast.define(&slug, &format!("toolAllowlist = ['{}']", spec.name));
        let agent = cast.idle(&slug).await;
        let granted = cast.0.client.tools_of(&agent.id).await.unwrap();
        let names: Vec<&str> = granted.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, [spec.name]);
        let told = format!("{} {}", granted.tools[0].description, granted.tools[0].schema);
        for other in REGISTRY.iter().filter(|other| other.name != spec.name) {
            assert!(!told.contains(other.name), "{} names {}: {told}", spec.name, other.name);
        }
    }
}
