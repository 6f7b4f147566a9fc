//! `docs/exit-codes.md`

use paseo_wire::error::Exit;

use crate::args::EXIT_CODES;

/// Every code: what it means, as `--help` says it, and when it comes.
const CODES: [(Exit, &str, &str); 9] = [
    (Exit::Ok, "success", "the agent answered; `paseo down` when nothing was running"),
    (
        Exit::AgentError,
        "the agent failed, was interrupted or has not answered yet",
        "`paseo run` of a turn that failed; `paseo read` before the first answer and after a turn that \
         failed; `paseo wait` for an agent in status `error` or `interrupted`; `paseo doctor` when a check fails; `paseo tool` when \
         the tool fails",
    ),
    (
        Exit::Usage,
        "invalid command line or configuration",
        "a label that is not key=value, an empty prompt, an unknown provider, an unknown key in `config.toml`; \
         `paseo open --qr` without a public URL",
    ),
    (
        Exit::NotFound,
        "not found, or ambiguous",
        "an unknown or ambiguous handle; the candidates are listed on stderr; a tool that does not exist",
    ),
    (
        Exit::WaitingForPermission,
        "the agent is waiting for permission",
        "answer with `paseo permit allow` or `paseo permit deny`",
    ),
    (Exit::Timeout, "timed out; the agent keeps working", "`--timeout`"),
    (
        Exit::Refused,
        "not possible in the current state",
        "`paseo rm` of an agent that is busy or has waiting messages; a message that is held until a person acts; \
         `paseo tool` for a tool that the agent may not use, or outside an agent's shell",
    ),
    (
        Exit::Unreachable,
        "the daemon is unreachable",
        "the daemon is not running and must not be started (`--no-start`, inside an agent), fails to start, or stops and doesn't \
         come back: `paseo run`, `wait` and `logs -f` wait 30 seconds for it",
    ),
    (
        Exit::Interrupted,
        "interrupted with ctrl-C; the agent keeps working",
        "`paseo run` in the foreground, `paseo attach`, `paseo logs -f`, `paseo ls --watch`, `paseo task ls --watch`",
    ),
];

/// Returns the page.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# Exit codes\n\n\
         The exit code of a command tells your script the outcome, so it never has to parse text. This page is generated from\n\
         the program; `paseo --help` lists the same codes.\n\n\
         ```sh run\n\
         paseo run --provider scripted '<<say done>>'                # exit code 0\n\
         paseo run --provider scripted '<<fail no luck>>'            # exit code 1: the agent failed\n\
         paseo run --provider scripted '<<ask May I push?>>'         # exit code 4: the agent needs permission\n\
         paseo run --provider scripted --timeout 1s '<<hang>>'       # exit code 5: the agent keeps working\n\
         ```\n\n\
         | code | meaning | for example |\n|---|---|---|\n",
    );
    page.extend(CODES.map(|(exit, meaning, when)| format!("| {} | {meaning} | {when} |\n", exit as u8)));
    page.push_str(
        "\nA command with several handles tries all of them and exits with the highest code. `paseo attach` with a pipe on\n\
         stdin exits with the exit code of the last turn.\n",
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
