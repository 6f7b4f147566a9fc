//! The providers that this daemon knows.

use std::sync::Arc;

use paseo_runtime::provider::{Check, Provider};
use paseo_runtime::scripted::Scripted;
use paseo_wire::error::Code;

use crate::failure::Failure;

/// All providers, in the order in which a default is looked for.
#[derive(Clone)]
pub(crate) struct Providers {
    all: Vec<Arc<dyn Provider>>,
    default: Option<String>,
}

impl Providers {
    pub(crate) fn new(default: Option<String>) -> Self {
        Self { all: vec![Arc::new(Scripted)], default }
    }

    /// Returns their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.all.iter().map(|provider| provider.name().to_owned()).collect()
    }

    /// Finds a provider by name.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<dyn Provider>> {
        self.all.iter().find(|provider| provider.name() == name).cloned()
    }

    /// Returns the provider that was asked for, or the default, if it can be used.
    pub(crate) fn choose(&self, name: Option<&str>, check: &Check) -> Result<Arc<dyn Provider>, Failure> {
        let chosen = match name.or(self.default.as_deref()) {
            Some(name) => self.get(name),
            None => self.all.first().cloned(),
        };
        let provider = chosen.ok_or_else(|| {
            let asked = name.or(self.default.as_deref()).unwrap_or_default();
            Failure::new(Code::ProviderUnavailable, format!("there is no provider `{asked}`"))
                .hint(format!("known providers: {}", self.names().join(", ")))
        })?;
        provider.check(check).map_err(|error| Failure {
            hint: error.hint.clone(),
            ..Failure::new(Code::ProviderUnavailable, format!("{}: {error}", provider.name()))
        })?;
        Ok(provider)
    }
}
