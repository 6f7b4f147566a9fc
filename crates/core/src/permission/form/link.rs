//! Addresses from outside, and whether people may be offered to open them.

use super::visible;

/// Says whether an address can be offered as a link: it is a web address, and nothing in it is hidden.
pub fn is_openable(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let web = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // Before an `@` stands a user, who often looks like a host.
    let named = !authority.is_empty() && !authority.contains('@');
    web && named && !url.contains(char::is_whitespace) && !url.contains('\\') && visible(url) == url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_that_hide_nothing_are_links() {
        for good in ["https://example.com/a?b#c", "http://127.0.0.1:8080", "HTTPS://example.com"] {
            assert!(is_openable(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "javascript://example.com/%0aalert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "//example.com",
            "https://",
            "https://good.example@evil.example/",
            "https:\\\\example.com",
            "https://example.com\\@evil.example",
            "https://example.com/ x",
            "https://example.com/\u{202e}moc",
            " https://example.com",
            "",
        ] {
            assert!(!is_openable(bad), "{bad}");
        }
    }
}
