//! The models of a definition: which are tried, and with what each is paid for.

use super::Definition;

/// One of the models that a definition may run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub model: String,
    /// The id of the key to use, of those in the configuration.
    pub key: Option<String>,
    pub effort: Option<String>,
    /// How many tokens it takes at most, where that is known; for providers whose conversation we keep ourselves.
    pub context: Option<u64>,
}

impl Definition {
    /// Returns the models that a session tries in turn that runs on one of them: that one, and those after it. Without
    /// any, it runs on what is no model of this definition.
    pub fn chain(&self, provider: &str, model: Option<&str>) -> &[Model] {
        // Models are words of the provider that they were written for.
        if self.provider.as_deref().is_some_and(|own| own != provider) {
            return &[];
        }
        let place = self.models.iter().position(|own| Some(own.model.as_str()) == model);
        place.map_or(&[], |place| &self.models[place..])
    }

    /// Returns the id of the key that a model is paid with. One that the definition does not have is paid with that of
    /// its first: it is asked for on the same server.
    pub fn key(&self, provider: &str, model: Option<&str>) -> Option<&str> {
        if self.provider.as_deref().is_some_and(|own| own != provider) {
            return None;
        }
        let own = self.models.iter().find(|own| Some(own.model.as_str()) == model);
        own.or_else(|| self.models.first().filter(|_| model.is_some()))?.key.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Origin, Source};

    #[test]
    fn a_model_that_the_definition_does_not_have_is_paid_with_the_key_of_its_first() {
        let source = Source { origin: Origin::Home, file: None };
        let model = |model: &str, key: &str| Model {
            model: model.to_owned(),
            key: Some(key.to_owned()),
            effort: None,
            context: None,
        };
        let models = vec![model("a", "one"), model("b", "two")];
        let definition =
            Definition { models, provider: Some("openai".to_owned()), ..Definition::plain("x", source) };
        assert_eq!(definition.key("openai", Some("b")), Some("two"));
        assert_eq!(definition.key("openai", Some("other")), Some("one"));
        assert_eq!(definition.key("openai", None), None);
        assert_eq!(definition.key("codex", Some("a")), None, "a key is for its provider");
    }
}
