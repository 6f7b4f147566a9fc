//! Calling tools from an agent's own shell.

use clap::Args;

use super::Output;

/// List the tools of the agent whose shell this is, or call one as that agent
///
/// What a tool takes is given by flags, which `paseo tool NAME --help` lists, or all at once with --json '{…}' (--json -
/// reads it from stdin). The answer goes to stdout. Exits with 1 when the tool fails and with 6 when it is not granted.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
#[command(after_help = "\
Examples:
  paseo tool
  paseo tool send_to_tab --help
  paseo tool send_to_tab --tab-id 3f2a --message \"The build is green\"
  paseo tool todo --json - < plan.json")]
pub(crate) struct ToolArgs {
    /// Which tool
    pub(crate) name: Option<String>,
    /// What it gets: --name value …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<String>,
    /// Say what the tool is for and what it takes
    #[arg(short, long)]
    pub(crate) help: bool,
    /// Print only the names of the tools
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl ToolArgs {
    /// Returns how the list is printed.
    pub(crate) fn output(&self) -> Output {
        Output { json: false, quiet: self.quiet }
    }
}
