//! The contract of [`crate::Log`] as tests, for any engine.
//!
//! An engine implements [`Engine`] and calls [`conformance!`](crate::conformance!) in a test file of its own;
//! each case becomes a test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // This is test code, though not in a test.

mod appending;
mod erasure;
mod files;
mod heads;
mod keys;
mod pages;
mod searching;
mod subject;
mod tail;
mod texts;

use std::path::PathBuf;
use std::sync::Arc;

pub use appending::*;
pub use erasure::*;
pub use files::*;
pub use heads::*;
pub use keys::*;
pub use pages::*;
pub use searching::*;
pub use tail::*;
pub use texts::*;

pub use subject::SuiteFold;

use crate::{Clock, Fold, Log};

/// What is tested: makes places for logs, and opens logs there.
pub trait Engine: Send + Sync {
    /// Where one log is. Whatever it needs goes with it.
    type Place: Send + Sync;

    /// Makes an empty place.
    fn place(&self) -> Self::Place;

    /// Opens the log of a place. It may have been opened, and closed, before.
    fn open(&self, place: &Self::Place, clock: Clock, fold: Arc<dyn Fold>) -> Arc<dyn Log>;

    /// Returns all files in which text could be found. None, when they are out of reach.
    fn files(&self, place: &Self::Place) -> Vec<PathBuf>;
}

/// Makes a test of every case of the suite.
#[macro_export]
macro_rules! conformance {
    ($engine:expr) => {
        $crate::conformance!(@cases $engine;
            a_batch_without_events_returns_the_head,
            a_fence_stops_a_former_owner,
            a_refused_batch_leaves_its_neighbours_alone,
            a_stream_may_be_named_twice,
            events_come_back_in_order_and_whole,
            expected_versions_are_kept,
            invalid_batches_are_refused,
            several_streams_are_all_or_nothing,
            the_fold_can_refuse,
            time_never_goes_backwards_within_a_stream,
            unknown_kinds_are_kept,
            a_key_is_answered_once_per_scope,
            a_key_survives_reopening_and_erasure,
            a_refused_batch_does_not_use_its_key,
            keys_expire,
            heads_can_be_read_for_a_prefix,
            heads_equal_a_replay,
            heads_survive_reopening,
            live_heads_are_a_choice,
            eight_writers_and_a_reader_without_gap_or_duplicate,
            the_head_is_told_at_once_and_after_each_commit,
            events_are_read_in_pages,
            items_are_read_in_pages_both_ways,
            items_of_one_kind_are_read_in_pages_both_ways,
            names_are_read_by_prefix,
            a_content_id_is_used_once,
            difficult_characters_come_back,
            large_text_is_kept_with_head_and_tail,
            small_text_is_inline,
            too_long_text_is_cut_with_a_mark,
            a_blob_stays_while_another_content_has_the_same_text,
            clearing_keeps_what_the_batch_brings,
            clearing_removes_text_and_keeps_rows,
            deleting_removes_text_and_data,
            erasing_twice_or_nothing_is_harmless,
            interleaved_streams_leave_nothing_behind,
            a_file_comes_back_in_pieces,
            a_file_is_claimed_once,
            erased_files_are_gone,
            files_without_an_owner_are_forgotten,
            a_closed_log_says_so,
            a_name_is_found_until_there_is_another,
            a_text_is_found_once,
            erased_words_are_gone,
            large_texts_are_found_by_their_start,
            no_words_are_a_language,
            the_index_says_how_far_it_has_come,
            what_cannot_be_read_is_not_found,
            what_is_found_is_narrowed_and_paged,
            words_are_found,
        );
    };
    (@cases $engine:expr; $($case:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                $crate::conformance::$case(&$engine).await;
            }
        )*
    };
}
