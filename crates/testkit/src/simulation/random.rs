//! A small generator of its own, so that a seed means the same run for ever.

use super::Seed;

/// Splitmix64.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: Seed) -> Self {
        Self(seed.0)
    }

    /// Returns a number below `bound`, which is not zero.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Says yes that many times in a hundred.
    pub(super) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// Picks one of several things.
    pub(super) fn pick<T: Copy>(&mut self, things: &[T]) -> Option<T> {
        if things.is_empty() { None } else { Some(things[self.below(things.len())]) }
    }

    /// Fills an array.
    pub(super) fn bytes<const LENGTH: usize>(&mut self) -> [u8; LENGTH] {
        std::array::from_fn(|_| self.next() as u8)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
