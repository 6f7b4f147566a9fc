//! What every provider does, with the real binary: one list of cases, each harness a column.
//!
//! The fakes speak the protocol without a model, in milliseconds. The real ones come from `scripts/harnesses` and
//! talk to a scripted model on the loopback; where they are not installed their column is empty, in CI that fails.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acp_agents;
mod attachments;
mod background;
mod bench;
mod codex_acp;
mod commands;
mod conversation;
mod cycles;
mod failures;
mod guarded;
mod guarded_terminals;
mod keys;
mod lacks;
mod opencode;
mod own_turns;
mod permissions;
mod personalities;
mod pi;
mod retries;
mod servers;
mod skills;
mod steering;
mod structured;
mod survival;
mod table;
mod threads;
mod together;
mod withheld;
mod workers;

/// Makes a test of every case in every column.
macro_rules! columns {
    ($($module:ident::$case:ident),* $(,)?) => {
        mod fake_claude { $(#[test] fn $case() { crate::$module::$case(&mut crate::bench::Bench::fake(crate::bench::CLAUDE)); })* }
        mod fake_acp { $(#[test] fn $case() { crate::$module::$case(&mut crate::bench::Bench::fake(crate::bench::OPENCODE)); })* }
        mod fake_pi { $(#[test] fn $case() { crate::$module::$case(&mut crate::bench::Bench::fake(crate::bench::PI)); })* }
        mod fake_pi_recent { $(#[test] fn $case() { crate::$module::$case(&mut crate::bench::Bench::fake_recent_pi()); })* }
        mod real_pi { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::PI).as_mut().map(crate::$module::$case); })* }
        mod fake_codex { $(#[test] fn $case() { crate::$module::$case(&mut crate::bench::Bench::fake(crate::bench::CODEX)); })* }
        mod real_claude { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::CLAUDE).as_mut().map(crate::$module::$case); })* }
        mod real_openai { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::OPENAI).as_mut().map(crate::$module::$case); })* }
        mod real_codex { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::CODEX).as_mut().map(crate::$module::$case); })* }
    };
}

columns! {
    conversation::an_answer_streams_and_is_stored_once,
    conversation::thoughts_and_tools_become_items,
    conversation::a_changed_file_comes_with_its_diff,
    conversation::many_turns_share_one_process,
    conversation::a_model_and_an_effort_can_be_chosen,
    conversation::usage_adds_up,
    keys::a_model_is_paid_with_its_key,
    conversation::a_message_that_interrupts_is_told_apart_from_a_stop,
    servers::an_agent_in_the_app_has_two_tools_and_the_text,
    servers::a_background_agent_has_neither,
    servers::a_label_counts_from_the_next_turn,
    servers::agents_talk_by_their_handles,
    servers::a_tool_that_is_taken_away_is_refused_in_words_and_the_turn_goes_on,
    together::an_agent_starts_another_and_gets_its_answer,
    together::an_agent_in_the_background_is_retrieved,
    together::an_agent_asks_another_by_its_definition,
    together::a_list_of_what_is_to_be_done_is_kept,
    together::an_agent_starts_one_for_the_person,
    together::an_agent_is_told_when_another_is_idle,
    together::an_answer_that_nobody_waits_for_comes_as_news,
    steering::a_stop_ends_the_command_and_the_next_message_works,
    steering::a_steered_message_reaches_the_running_turn,
    survival::a_restart_goes_on_with_the_same_conversation,
    survival::a_killed_daemon_loses_nothing,
    survival::a_killed_harness_loses_nothing,
    survival::an_idle_process_sleeps_and_wakes,
    survival::a_cleared_agent_starts_afresh,
    permissions::what_is_allowed_happens_and_what_is_denied_does_not,
    permissions::always_covers_the_same_again,
    permissions::a_standing_deny_holds_in_every_mode,
    permissions::a_file_that_is_denied_is_denied_to_every_tool_and_below,
    permissions::words_along_with_an_answer_reach_the_model,
    permissions::read_only_changes_nothing,
    permissions::a_pending_ask_is_withdrawn_by_a_restart,
    guarded::a_guarded_agent_without_a_task_changes_nothing_and_is_told_why,
    guarded::a_guarded_agent_changes_what_its_task_covers_until_it_ends,
    guarded::a_guarded_agent_claims_works_and_completes_by_itself,
    guarded::a_guarded_agent_is_led_nowhere_by_links_and_dots,
    skills::a_skill_is_taught_and_works_in_the_agents_shell,
    skills::mixed_gives_both,
    skills::agents_work_together_by_skills,
    skills::agents_look_at_each_other_by_skills,
    withheld::without_a_shell_no_command_runs_and_the_model_is_told,
    withheld::who_only_reads_does_not_write,
    withheld::who_may_do_nothing_does_not_even_read,
    withheld::who_may_do_everything_does,
    failures::wrong_credentials_are_told,
    failures::a_limit_parks_the_agent_and_says_until_when,
    failures::after_a_limit_the_agent_goes_on_by_itself,
    failures::a_server_error_is_told_and_the_next_message_works,
    failures::a_broken_stream_is_told_and_the_next_message_works,
    failures::a_stream_that_breaks_once_is_read_again,
    failures::a_retry_is_shown,
    structured::an_answer_is_corrected_until_it_satisfies_its_schema,
    attachments::an_image_reaches_the_model,
    attachments::a_text_file_reaches_the_model,
    attachments::a_message_that_waits_keeps_its_image,
    attachments::a_steered_image_reaches_the_running_turn,
    attachments::a_document_is_taken_or_refused,
}

/// Makes a test of the cases about streams that break with everything that has a model behind it.
macro_rules! with_a_model {
    ($($module:ident::$case:ident),* $(,)?) => {
        mod retried_claude { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::CLAUDE).as_mut().map(crate::$module::$case); })* }
        mod retried_codex { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::CODEX).as_mut().map(crate::$module::$case); })* }
        mod retried_pi { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::PI).as_mut().map(crate::$module::$case); })* }
        mod retried_openai { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::OPENAI).as_mut().map(crate::$module::$case); })* }
        mod retried_opencode { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::OPENCODE).as_mut().map(crate::$module::$case); })* }
    };
}

with_a_model! {
    retries::a_text_that_breaks_off_is_no_answer,
    retries::a_call_that_breaks_off_is_no_answer,
    retries::several_attempts_that_break_off_are_no_answer,
    retries::a_text_that_breaks_off_twice_is_no_answer,
    retries::an_answer_that_always_breaks_off_is_a_failure,
    retries::those_who_wait_get_what_the_last_attempt_said,
    retries::those_who_are_told_later_get_what_the_last_attempt_said,
}

/// Makes a test of some cases with the real opencode: it takes seconds to start, and its fake plays them all.
macro_rules! with_opencode {
    ($($module:ident::$case:ident),* $(,)?) => {
        mod real_opencode { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::OPENCODE).as_mut().map(crate::$module::$case); })* }
    };
}

/// The same with codex behind the Agent Client Protocol: a program of its own around the one that is a column already.
macro_rules! with_codex_acp {
    ($($module:ident::$case:ident),* $(,)?) => {
        mod real_codex_acp { $(#[test] fn $case() { crate::bench::Bench::real(crate::bench::CODEX_ACP).as_mut().map(crate::$module::$case); })* }
    };
}

with_codex_acp! {
    retries::what_else_an_agent_says_stays,
    conversation::thoughts_and_tools_become_items,
    conversation::a_changed_file_comes_with_its_diff,
    servers::an_agent_in_the_app_has_two_tools_and_the_text,
    together::an_agent_starts_another_and_gets_its_answer,
}

with_opencode! {
    conversation::thoughts_and_tools_become_items,
    conversation::a_changed_file_comes_with_its_diff,
    servers::an_agent_in_the_app_has_two_tools_and_the_text,
    together::an_agent_starts_another_and_gets_its_answer,
    steering::a_stop_ends_the_command_and_the_next_message_works,
    survival::a_restart_goes_on_with_the_same_conversation,
    permissions::what_is_allowed_happens_and_what_is_denied_does_not,
    permissions::read_only_changes_nothing,
    guarded::a_guarded_agent_without_a_task_changes_nothing_and_is_told_why,
    guarded::a_guarded_agent_changes_what_its_task_covers_until_it_ends,
    guarded::a_guarded_agent_claims_works_and_completes_by_itself,
    withheld::who_may_do_nothing_does_not_even_read,
    structured::an_answer_is_corrected_until_it_satisfies_its_schema,
    attachments::an_image_reaches_the_model,
    attachments::a_text_file_reaches_the_model,
}
