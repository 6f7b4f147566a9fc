//! The core's rules in the form that the log asks for, as the daemon has them.

use paseo_core::fold;
use paseo_core::time::Timestamp;
use paseo_store as store;

/// Folds streams with `paseo-core`.
pub(crate) struct Rules;

impl store::Fold for Rules {
    fn fold(
        &self,
        stream: &str,
        prior: Option<&[u8]>,
        events: &[store::Record],
    ) -> Result<store::Folded, String> {
        let events: Vec<fold::Stored<'_>> = events
            .iter()
            .map(|record| fold::Stored {
                kind: &record.kind,
                v: record.v,
                ts: Timestamp::from_millis(record.ts),
                data: record.data.as_deref(),
            })
            .collect();
        let folded = fold::fold(stream, prior, &events).map_err(|error| error.to_string())?;
        Ok(store::Folded { state: folded.state, live: folded.live, epoch: folded.epoch })
    }
}
