//! `docs/exit-codes.md`

use paseo_wire::error::Exit;

use crate::args::EXIT_CODES;

/// Every code: what it means, as `--help` says it, and when it comes.
const CODES: [(Exit, &str, &str); 9] = [
    (Exit::Ok, "ok", "the agent answered; `paseo down` when nothing was running"),
    (
        Exit::AgentError,
        "the agent failed, was interrupted or has nothing to say",
        "`paseo run` of a turn that failed; `paseo read` before the first answer and after a turn that \
         failed; `paseo wait` for an agent in status `error` or `interrupted`; `paseo doctor` when something fails; `paseo tool` when \
         the tool does not work",
    ),
    (
        Exit::Usage,
        "the command makes no sense as typed",
        "a label that is not key=value, an empty prompt, an unknown provider, an unknown key in `config.toml`; \
         `paseo open --qr` without a public URL",
    ),
    (
        Exit::NotFound,
        "no such agent, or several",
        "an unknown or ambiguous handle; the candidates are listed on stderr; a tool that does not exist",
    ),
    (
        Exit::WaitingForPermission,
        "the agent waits for a permission",
        "answer with `paseo permit allow` or `paseo permit deny`",
    ),
    (Exit::Timeout, "the time was up; the agent goes on", "`--timeout`"),
    (
        Exit::Refused,
        "refused in the present state",
        "`paseo rm` of an agent that is busy or for which messages wait; a message that is held until a person acts; \
         `paseo tool` of a tool that is not granted, and outside of an agent's shell",
    ),
    (
        Exit::Unreachable,
        "the daemon cannot be reached",
        "not running and not to be started (`--no-start`, inside an agent), could not be started, or went away and did \
         not come back: `paseo run`, `wait` and `logs -f` wait 30 seconds for it",
    ),
    (
        Exit::Interrupted,
        "ctrl-C; the agent goes on",
        "`paseo run` in the foreground, `paseo attach`, `paseo logs -f`, `paseo ls --watch`, `paseo task ls --watch`",
    ),
];

/// Returns the page.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# Exit codes\n\nThe exit code of a command differs by outcome, so that scripts can decide without reading words.\n\n\
         | code | meaning | for example |\n|---|---|---|\n",
    );
    page.extend(CODES.map(|(exit, meaning, when)| format!("| {} | {meaning} | {when} |\n", exit as u8)));
    page.push_str(
        "\nA command with several handles tries all of them and ends with the highest code. `paseo attach` with a \
         pipe on stdin ends with the code of the last outcome.\n",
    );
    page
}

#[test]
fn the_help_says_the_same() {
    for (exit, meaning, _) in CODES {
        let line = format!("{:>5}  {meaning}", exit as u8);
        assert!(EXIT_CODES.lines().any(|said| said == line), "{line}");
    }
}
