//! Calling tools from an agent's own shell.

use clap::Args;

use super::Output;

/// List or call your tools (only in an agent's shell)
///
/// Pass arguments as flags (see `paseo tool NAME --help`) or as one JSON object with `--json '{…}'`; `--json -` reads it
/// from stdin. Prints the result on stdout. Exits with 1 when the tool fails, and with 6 when the agent may not use it.
///
/// In the names of tools and arguments, a tab is an open agent, and a tab id is its handle.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
#[command(after_help = "\
Examples:
  paseo tool
  paseo tool send_to_tab --help
  paseo tool send_to_tab --tab-id 3f2a --message \"The build is green\"
  paseo tool todo --json - < plan.json")]
pub(crate) struct ToolArgs {
    /// Name of the tool
    pub(crate) name: Option<String>,
    /// Arguments of the tool: --name value …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<String>,
    /// Print what the tool does and its arguments
    #[arg(short, long)]
    pub(crate) help: bool,
    /// Print only tool names
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl ToolArgs {
    /// Returns how the list is printed.
    pub(crate) fn output(&self) -> Output {
        Output { json: false, quiet: self.quiet }
    }
}
