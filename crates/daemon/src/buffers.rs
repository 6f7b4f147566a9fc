//! Memory that the readers of streams take, in sum.
//!
//! Counted are encoded frames, as long as anything refers to them, and the bytes that wait in the write buffers of
//! connections. A connection that takes more checks the sum, and has the slowest readers dropped when it is too high.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// The sum. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Buffers(Arc<AtomicUsize>);

/// Bytes that are counted until the last reference to them is dropped.
struct Counted {
    bytes: Vec<u8>,
    sum: Buffers,
}

impl Buffers {
    /// Counts a frame for as long as anything refers to it.
    pub(crate) fn count(&self, bytes: Vec<u8>) -> Bytes {
        self.add(bytes.len());
        Bytes::from_owner(Counted { bytes, sum: self.clone() })
    }

    /// Returns how many bytes are held.
    pub(crate) fn sum(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Takes back what was added.
    pub(crate) fn release(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.sum.release(self.bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_counts_once_and_until_its_last_slice_is_gone() {
        let buffers = Buffers::default();
        let frame = buffers.count(vec![b'x'; 100]);
        let slice = frame.slice(90..);
        assert_eq!(buffers.sum(), 100);
        drop(frame);
        assert_eq!((buffers.sum(), slice.len()), (100, 10));
        drop(slice);
        assert_eq!(buffers.sum(), 0);
    }
}
