//! `[notifications]` in `config.toml`: whom push services can turn to.

use serde::Deserialize;

use crate::failure::Failure;

/// What may be set.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Notifications {
    contact: Option<String>,
}

impl Notifications {
    /// Returns the contact, if it has the form that push services take.
    pub(super) fn contact(&self) -> Result<Option<String>, Failure> {
        let Some(contact) = &self.contact else { return Ok(None) };
        let known = contact
            .strip_prefix("mailto:")
            .filter(|address| address.contains('@'))
            .or_else(|| contact.strip_prefix("https://"))
            .is_some_and(|rest| rest.len() < 250 && rest.bytes().all(|byte| byte.is_ascii_graphic()));
        if known && !contact.ends_with("//") {
            return Ok(Some(contact.clone()));
        }
        Err(Failure::usage(format!("`{contact}` (notifications.contact in config.toml) is not a contact"))
            .hint("use \"mailto:you@example.org\" or \"https://example.org\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_mail_address_or_a_page() {
        let of = |contact: &str| Notifications { contact: Some(contact.to_owned()) }.contact();
        assert_eq!(Notifications::default().contact().unwrap(), None);
        for good in ["mailto:ann@example.org", "https://example.org/ann"] {
            assert_eq!(of(good).unwrap().as_deref(), Some(good));
        }
        for bad in ["", "ann@example.org", "mailto:ann", "http://example.org", "https://", "https://a b"] {
            assert!(of(bad).unwrap_err().message.contains("is not a contact"), "{bad}");
        }
    }
}
