//! Command lines: the script within `/bin/bash -lc '…'`.

/// Shells whose `-c` means what we think.
const SHELLS: [&str; 9] =
    ["bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/sh", "/usr/bin/zsh"];

/// Returns the script that a command line such as `/bin/bash -lc 'make test'` runs.
pub fn script(command: &str) -> Option<String> {
    let [shell, flag, script] = <[String; 3]>::try_from(split(command)?).ok()?;
    (SHELLS.contains(&shell.as_str()) && ["-c", "-lc"].contains(&flag.as_str())).then_some(script)
}

/// Returns what a command comes to, however many shells it is wrapped in.
pub(super) fn plain(command: &str) -> String {
    // How a command in another place is told.
    if let Some((place, rest)) = command.split_once(" && ").filter(|(place, _)| place.starts_with("cd ")) {
        return match script(rest) {
            Some(inner) => format!("{place} && {}", plain(&inner)),
            None => command.trim().to_owned(),
        };
    }
    match script(command) {
        // Each layer is shorter than the one around it.
        Some(inner) => plain(&inner),
        None => command.trim().to_owned(),
    }
}

/// Splits a command line into words as a shell does; codex joins words into one that way.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' => match rest.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(rest.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_comes_out_as_it_went_in() {
        assert_eq!(script(r#"/bin/bash -lc "echo \"it's\" \$x""#).as_deref(), Some(r#"echo "it's" $x"#));
        assert_eq!(script(r"/bin/bash -lc 'echo '\''hi'\'''").as_deref(), Some("echo 'hi'"));
        assert_eq!(script("make test"), None);
    }

    #[test]
    fn only_a_real_shell_is_unwrapped() {
        for command in [
            "./bash -lc ls",
            "/tmp/bash -lc ls",
            "/bin/bash -ic ls",
            "/bin/bash -lc ls x",
            "/bin/bash -lc 'ls",
        ] {
            assert_eq!(script(command), None, "{command}");
        }
    }

    #[test]
    fn a_command_is_the_same_in_any_wrapping() {
        for wrapped in ["touch x", "/bin/bash -lc 'touch x'", "bash -c \"sh -c 'touch x'\"", " touch x\n"] {
            assert_eq!(plain(wrapped), "touch x", "{wrapped}");
        }
        assert_eq!(plain("cd /a && /bin/bash -lc 'touch x'"), "cd /a && touch x");
        assert_eq!(plain("cd /a && touch x"), "cd /a && touch x");
        assert_eq!(plain("/bin/bash -lc 'touch x; touch y'"), "touch x; touch y");
    }
}
