//! Which commands only read. A security boundary: in the mode `ask`, what counts as reading runs without a question.
//!
//! So only what is surely harmless counts: a short list of programs, without any expansion, redirection or
//! substitution. Whatever is not understood does not count.

use paseo_core::permission::script;

/// Programs that cannot write or run anything, whatever they are given.
const READERS: [&str; 18] = [
    "basename", "cat", "cd", "cut", "dirname", "du", "echo", "egrep", "fgrep", "grep", "head", "ls", "nl",
    "pwd", "stat", "tail", "true", "wc",
];

/// What makes `find` write or run something.
const FIND_ACTS: [&str; 6] = ["-delete", "-exec", "-fls", "-fprint", "-ok", "-files0-from"];

/// What makes `rg` run other programs.
const RG_RUNS: [&str; 3] = ["--pre", "--hostname-bin", "--search-zip"];

/// Says whether a command line surely does nothing but read.
pub(super) fn only_reads(command: &str) -> bool {
    script(command).is_some_and(|script| script_only_reads(&script))
}

/// Says whether a script surely does nothing but read.
pub(super) fn script_only_reads(script: &str) -> bool {
    let commands = simple_commands(script);
    commands.is_some_and(|commands| !commands.is_empty() && commands.iter().all(|words| reads(words)))
}

fn reads(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let none = |forbidden: &dyn Fn(&str) -> bool| !arguments.iter().any(|argument| forbidden(argument));
    match program.as_str() {
        "find" => none(&|argument| FIND_ACTS.iter().any(|act| argument.starts_with(act))),
        "rg" => none(&|argument| {
            let bundled = argument.starts_with('-') && !argument.starts_with("--") && argument.contains('z');
            bundled || RG_RUNS.iter().any(|run| argument.starts_with(run))
        }),
        // Its scripts can write files and run programs; showing lines by number cannot.
        "sed" => {
            let [flag, range, paths @ ..] = arguments else { return false };
            flag == "-n" && is_range(range) && paths.iter().all(|path| !path.starts_with('-'))
        }
        program => READERS.contains(&program),
    }
}

/// Says whether this is `12p` or `1,200p`.
fn is_range(script: &str) -> bool {
    let Some(numbers) = script.strip_suffix('p') else { return false };
    let mut numbers = numbers.splitn(2, ',');
    numbers.all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the commands of a script that has nothing but words, quotes, pipes, `&&`, `||` and `;`.
fn simple_commands(script: &str) -> Option<Vec<Vec<String>>> {
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut rest = script.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
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
                        '$' | '`' | '\\' | '!' => return None,
                        c => word.push(c),
                    }
                }
            }
            ' ' | '\t' => commands.last_mut()?.extend(word.take()),
            '|' | '&' | ';' => {
                let doubled = rest.next_if_eq(&c).is_some();
                // A single `&` runs in the background, `|&` pipes more than it seems to, `;;` is something else.
                if (c == '&') != doubled && c != '|' || (c == '|' && rest.peek() == Some(&'&')) {
                    return None;
                }
                let command = commands.last_mut()?;
                command.extend(word.take());
                if command.is_empty() {
                    return None;
                }
                commands.push(Vec::new());
            }
            c if c.is_alphanumeric() || "_-./,:=@%+^".contains(c) => word.get_or_insert_default().push(c),
            _ => return None,
        }
    }
    commands.last_mut()?.extend(word);
    commands.iter().all(|command| !command.is_empty()).then_some(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_bash(script: &str) -> String {
        format!("/bin/bash -lc '{}'", script.replace('\'', r"'\''"))
    }

    #[test]
    fn plain_reading_is_known() {
        for script in [
            "ls",
            "cat a.txt",
            "cat src/main.rs | head -20",
            "sed -n 1,200p src/main.rs",
            "sed -n 12p a b",
            "cd sub && ls -la; pwd",
            "rg -n 'fn main' src",
            "rg \"two words\" || true",
            "find . -name main.rs -type f",
            "grep -rn TODO src",
        ] {
            assert!(only_reads(&in_bash(script)), "{script}");
        }
        assert!(only_reads("/bin/bash -lc ls"));
    }

    #[test]
    fn whatever_could_do_more_is_not_reading() {
        for script in [
            "",
            "cat",
            "touch x",
            "cat a > b",
            "cat a >> b",
            "cat < a",
            "ls $(touch x)",
            "ls `touch x`",
            "ls $HOME",
            "cat a & touch x",
            "cat a; touch x",
            "cat a && touch x",
            "cat a || touch x",
            "cat a | tee b",
            "cat a |& tee b",
            "find . -delete",
            "find . -exec touch x",
            "find . -execdir x",
            "find . -fprintf x y",
            "find . -okdir x",
            "rg --pre ./x foo",
            "rg --pre=./x foo",
            "rg -z foo",
            "rg -nz foo",
            "rg --search-zip foo",
            "sed -i s/a/b/ a",
            "sed s/a/b/w a",
            "sed -n w",
            "sed -n 1,2pw a",
            "sed -n 1,,2p a",
            "sed -n p a",
            "sed -n 1p a -i",
            "sort -o x y",
            "git log --output=x",
            "X=1 ls",
            "./cat a",
            "/tmp/cat a",
            "ls *.rs",
            "ls ~",
            "ls \"$(touch x)\"",
            "ls \\; touch x",
            "ls\ntouch x",
            "ls {a,b}",
            "ls (a)",
            "! ls",
            "cat 'a",
            "ls ;; ls",
            "| ls",
            "ls |",
            "env touch x",
            "echo a\u{a0}b",
        ] {
            let harmless = script == "cat";
            assert_eq!(only_reads(&in_bash(script)), harmless, "{script:?}");
        }
    }

    #[test]
    fn only_a_real_shell_is_believed() {
        for command in [
            "ls",
            "./bash -lc ls",
            "/tmp/bash -lc ls",
            "/bin/bash -ic ls",
            "/bin/bash -lc ls x",
            "/bin/bash -lc 'ls",
        ] {
            assert!(!only_reads(command), "{command}");
        }
    }
}
