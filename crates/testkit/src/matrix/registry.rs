//! Which harness and which feature each contract test is about. A test of the contract checks that none is forgotten.

use super::Feature::{
    Attachments, Background, Commands, Continuing, Conversation, Failures, Guard, GuardedTerminal, Keys,
    Limits, Model, Permissions, Retries, Setup, Skills, Steering, Stopping, Terminal, Tools, Withholding,
};
use super::{Feature, Subject};
use crate::real::Program::{
    self, Claude, ClaudeAcp, Codex, CodexAcp, Copilot, Gemini, OpenAi, Opencode, Pi, Qwen,
};

/// Modules in which every case is played with one real harness.
pub const COLUMNS: [(&str, Program); 17] = [
    ("real_claude", Claude),
    ("retried_claude", Claude),
    ("real_codex", Codex),
    ("retried_codex", Codex),
    ("real_pi", Pi),
    ("retried_pi", Pi),
    ("real_openai", OpenAi),
    ("retried_openai", OpenAi),
    ("real_opencode", Opencode),
    ("retried_opencode", Opencode),
    ("acp_agents::opencode", Opencode),
    ("acp_agents::claude_agent_acp", ClaudeAcp),
    ("real_codex_acp", CodexAcp),
    ("acp_agents::codex_acp", CodexAcp),
    ("acp_agents::gemini", Gemini),
    ("acp_agents::qwen", Qwen),
    ("acp_agents::copilot", Copilot),
];

/// The cases of columns.
pub const CASES: [(Feature, &[&str]); 16] = [
    (
        Conversation,
        &[
            "an_answer_streams_and_is_stored_once",
            "thoughts_and_tools_become_items",
            "a_changed_file_comes_with_its_diff",
            "many_turns_share_one_process",
            "usage_adds_up",
            "files_are_made_changed_renamed_and_deleted",
            "an_answer_is_corrected_until_it_satisfies_its_schema",
        ],
    ),
    (
        Attachments,
        &[
            "an_image_reaches_the_model",
            "a_text_file_reaches_the_model",
            "a_message_that_waits_keeps_its_image",
            "a_steered_image_reaches_the_running_turn",
            "a_document_is_taken_or_refused",
        ],
    ),
    (Model, &["a_model_and_an_effort_can_be_chosen"]),
    (Setup, &["wrong_credentials_are_told", "a_missing_login_is_told_as_that"]),
    (Keys, &["a_model_is_paid_with_its_key"]),
    (
        Continuing,
        &[
            "a_restart_goes_on_with_the_same_conversation",
            "a_killed_daemon_loses_nothing",
            "a_killed_harness_loses_nothing",
            "an_idle_process_sleeps_and_wakes",
            "a_cleared_agent_starts_afresh",
            "a_conversation_goes_on_after_a_restart",
        ],
    ),
    (
        Stopping,
        &[
            "a_message_that_interrupts_is_told_apart_from_a_stop",
            "a_stop_ends_the_command_and_the_next_message_works",
            "a_stop_ends_the_command",
        ],
    ),
    (Steering, &["a_steered_message_reaches_the_running_turn"]),
    (
        Tools,
        &[
            "an_agent_in_the_app_has_two_tools_and_the_text",
            "a_background_agent_has_neither",
            "a_label_counts_from_the_next_turn",
            "agents_talk_by_their_handles",
            "a_tool_that_is_taken_away_is_refused_in_words_and_the_turn_goes_on",
            "an_agent_starts_another_and_gets_its_answer",
            "an_agent_in_the_background_is_retrieved",
            "an_agent_asks_another_by_its_definition",
            "a_list_of_what_is_to_be_done_is_kept",
            "an_agent_starts_one_for_the_person",
            "an_agent_is_told_when_another_is_idle",
            "an_answer_that_nobody_waits_for_comes_as_news",
        ],
    ),
    (
        Skills,
        &[
            "a_skill_is_taught_and_works_in_the_agents_shell",
            "mixed_gives_both",
            "agents_work_together_by_skills",
            "agents_look_at_each_other_by_skills",
        ],
    ),
    (
        Permissions,
        &[
            "what_is_allowed_happens_and_what_is_denied_does_not",
            "always_covers_the_same_again",
            "a_standing_deny_holds_in_every_mode",
            "a_file_that_is_denied_is_denied_to_every_tool_and_below",
            "words_along_with_an_answer_reach_the_model",
            "read_only_changes_nothing",
            "a_pending_ask_is_withdrawn_by_a_restart",
            "nothing_is_changed_read_only",
            "what_is_asked_and_allowed_happens",
        ],
    ),
    (
        Withholding,
        &[
            "without_a_shell_no_command_runs_and_the_model_is_told",
            "who_only_reads_does_not_write",
            "who_may_do_nothing_does_not_even_read",
            "who_may_do_everything_does",
        ],
    ),
    (
        Guard,
        &[
            "a_guarded_agent_without_a_task_changes_nothing_and_is_told_why",
            "a_guarded_agent_changes_what_its_task_covers_until_it_ends",
            "a_guarded_agent_claims_works_and_completes_by_itself",
            "a_guarded_agent_is_led_nowhere_by_links_and_dots",
        ],
    ),
    (
        Failures,
        &[
            "a_server_error_is_told_and_the_next_message_works",
            "a_broken_stream_is_told_and_the_next_message_works",
            "what_the_model_server_says_is_told",
        ],
    ),
    (
        Retries,
        &[
            "a_stream_that_breaks_once_is_read_again",
            "a_retry_is_shown",
            "a_text_that_breaks_off_is_no_answer",
            "a_call_that_breaks_off_is_no_answer",
            "several_attempts_that_break_off_are_no_answer",
            "a_text_that_breaks_off_twice_is_no_answer",
            "an_answer_that_always_breaks_off_is_a_failure",
            "those_who_wait_get_what_the_last_attempt_said",
            "those_who_are_told_later_get_what_the_last_attempt_said",
            "what_else_an_agent_says_stays",
        ],
    ),
    (Limits, &["a_limit_parks_the_agent_and_says_until_when", "after_a_limit_the_agent_goes_on_by_itself"]),
];

/// Tests of their own that are about one harness.
pub const SINGLES: [(&str, Program, Feature); 50] = [
    ("attachments::claude_agent_acp_shows_its_model_an_image", ClaudeAcp, Attachments),
    ("attachments::codex_acp_shows_its_model_an_image", CodexAcp, Attachments),
    ("attachments::copilot_shows_its_model_an_image", Copilot, Attachments),
    ("attachments::gemini_shows_its_model_an_image", Gemini, Attachments),
    ("attachments::our_own_agent_is_shown_the_image_again_by_a_new_process", OpenAi, Attachments),
    ("attachments::pi_refuses_an_image_that_its_model_would_not_see", Pi, Attachments),
    ("commands::claude_names_its_commands", Claude, Commands),
    ("commands::opencode_describes_its_commands", Opencode, Commands),
    ("commands::pi_describes_its_commands", Pi, Commands),
    ("structured::claude_agent_acp_corrects_its_answer", ClaudeAcp, Conversation),
    ("structured::copilot_corrects_its_answer", Copilot, Conversation),
    ("structured::gemini_corrects_its_answer", Gemini, Conversation),
    ("structured::qwen_corrects_its_answer", Qwen, Conversation),
    ("background::of_the_real_one_keep_it_awake", Claude, Background),
    ("own_turns::of_the_real_one_are_shown_and_spend_a_wake", Claude, Background),
    ("cycles::of_claude_leave_nothing", Claude, Continuing),
    ("cycles::of_codex_leave_nothing", Codex, Continuing),
    ("cycles::of_openai_leave_nothing", OpenAi, Continuing),
    ("cycles::of_pi_leave_nothing", Pi, Continuing),
    ("guarded::a_guarded_claude_makes_no_worktree_for_a_subagent", Claude, Guard),
    (
        "guarded_terminals::a_guarded_claude_in_a_terminal_runs_no_hook_of_the_project",
        Claude,
        GuardedTerminal,
    ),
    (
        "guarded_terminals::a_guarded_pi_in_a_terminal_is_given_leave_for_what_it_holds_then",
        Pi,
        GuardedTerminal,
    ),
    ("guarded_terminals::claude_is_guarded_in_a_terminal", Claude, GuardedTerminal),
    ("guarded_terminals::codex_is_guarded_in_a_terminal", Codex, GuardedTerminal),
    ("guarded_terminals::pi_is_guarded_in_a_terminal", Pi, GuardedTerminal),
    ("workers::claude_works_in_a_terminal", Claude, Terminal),
    ("workers::codex_works_in_a_terminal", Codex, Terminal),
    ("workers::pi_works_in_a_terminal", Pi, Terminal),
    ("workers::a_turn_of_claude_goes_on_without_the_daemon", Claude, Terminal),
    ("workers::a_turn_of_codex_goes_on_without_the_daemon", Codex, Terminal),
    ("workers::a_turn_of_pi_goes_on_without_the_daemon", Pi, Terminal),
    ("workers::no_command_line_of_claude_in_a_terminal_tells_its_id", Claude, Terminal),
    ("workers::no_command_line_of_codex_in_a_terminal_tells_its_id", Codex, Terminal),
    ("workers::no_command_line_of_pi_in_a_terminal_tells_its_id", Pi, Terminal),
    ("workers::claude_in_a_terminal_goes_on_after_a_limit", Claude, Limits),
    ("workers::codex_in_a_terminal_goes_on_after_a_limit", Codex, Limits),
    ("workers::pi_in_a_terminal_goes_on_after_a_limit", Pi, Limits),
    (
        "acp_agents::as_root_claude_may_do_everything_that_full_says_and_a_line_says_so",
        ClaudeAcp,
        Permissions,
    ),
    ("codex_acp::what_goes_beyond_the_sandbox_is_asked_about", CodexAcp, Permissions),
    ("codex_acp::who_has_no_shell_runs_no_command_in_the_sandbox_either", CodexAcp, Withholding),
    (
        "codex_acp::a_command_that_it_leaves_running_after_a_stop_is_ended_and_the_conversation_goes_on",
        CodexAcp,
        Stopping,
    ),
    ("opencode::a_project_cannot_give_an_agent_what_it_is_held_back_from", Opencode, Withholding),
    ("opencode::a_project_counts_where_nothing_is_held_back", Opencode, Withholding),
    ("opencode::a_configuration_that_is_no_json_is_told_and_the_daemon_lives", Opencode, Setup),
    ("opencode::what_never_gets_through_is_no_answer_when_a_person_stops_it", Opencode, Retries),
    ("pi::a_conversation_whose_file_is_gone_is_told_and_the_next_message_begins_a_new_one", Pi, Continuing),
    ("pi::one_that_is_not_logged_in_is_told_as_that", Pi, Setup),
    ("pi::an_unknown_model_is_told_in_pis_words_and_others_work", Pi, Model),
    ("pi::the_users_own_directory_is_not_written_to", Pi, Setup),
    ("pi::an_older_one_asks_nobody_what_a_project_makes_it_run", Pi, Withholding),
];

/// How the names of tests begin that are not about one real harness.
pub const GENERAL: [&str; 11] = [
    "fake_claude::",
    "fake_codex::",
    "fake_pi::",
    "fake_pi_recent::",
    "fake_acp::",
    "personalities::",
    "threads::",
    "table::",
    "background::of_the_fake_keep_it_awake",
    "own_turns::of_the_fake_are_shown_and_spend_a_wake",
    "pi::a_newer_one_with_bad_manners_is_told_apart_too",
];

/// Returns everything that a test is about: one subject, unless the registry is wrong.
pub fn subjects(test: &str) -> Vec<Subject> {
    let column = test
        .rsplit_once("::")
        .and_then(|(module, case)| Some((COLUMNS.iter().find(|(name, _)| *name == module)?.1, case)));
    let cases = column.into_iter().flat_map(|(program, case)| {
        let features = CASES.iter().filter(move |(_, cases)| cases.contains(&case));
        features.map(move |(feature, _)| Subject::Cell(program, *feature))
    });
    let singles = SINGLES.iter().filter(|(name, ..)| *name == test);
    let singles = singles.map(|(_, program, feature)| Subject::Cell(*program, *feature));
    let general = GENERAL.iter().filter(|name| test.starts_with(**name)).map(|_| Subject::General);
    cases.chain(singles).chain(general).collect()
}
