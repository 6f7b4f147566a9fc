//! A filter in front of the index of keys: it says at once that a key is new, which nearly all are.
//!
//! It is filled from the index a little at a time, while the writer is idle. Until it is complete it says nothing.

use rusqlite::{Connection, params};

/// Bits at first, and at most: enough for 128 thousand and for 8 million keys.
const LEAST: usize = 1 << 20;
const MOST: usize = 1 << 26;
/// Bits for each key, below which it is rebuilt with twice as many. One in a few hundred keys is then looked up in
/// vain.
const SHARE: usize = 8;
/// How many keys are read from the index at a time.
const PIECE: usize = 4096;

/// Hashes that were indexed, or are taken for one that was.
pub(super) struct Filter {
    words: Vec<u64>,
    count: usize,
    /// The last entry of the index that was read; `None` once all were.
    reading: Option<(i64, i64)>,
}

impl Default for Filter {
    fn default() -> Self {
        Self::sized(LEAST)
    }
}

impl Filter {
    fn sized(bits: usize) -> Self {
        Self { words: vec![0; bits / 64], count: 0, reading: Some((i64::MIN, i64::MIN)) }
    }

    /// Says that a hash is not in the index. That it is there is never certain.
    pub(super) fn excludes(&self, hash: i64) -> bool {
        self.reading.is_none()
            && !self.places(hash).into_iter().all(|(word, bit)| self.words[word] & bit != 0)
    }

    /// Notes a hash that is in the index from now on.
    pub(super) fn add(&mut self, hash: i64) {
        for (word, bit) in self.places(hash) {
            self.words[word] |= bit;
        }
        self.count += 1;
    }

    /// Reads on in the index, if there is more to read.
    pub(super) fn read_on(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let bits = self.words.len() * 64;
        if self.count > bits / SHARE && bits < MOST {
            *self = Self::sized(bits * 2);
        }
        let Some(after) = self.reading else { return Ok(()) };
        let piece: Vec<(i64, i64)> = connection
            .prepare_cached(
                "SELECT hash, row FROM idempotency_hash WHERE (hash, row) > (?1, ?2) ORDER BY hash, row LIMIT ?3",
            )?
            .query_map(params![after.0, after.1, PIECE as i64], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        piece.iter().for_each(|(hash, _)| self.add(*hash));
        self.reading = piece.last().copied().filter(|_| piece.len() == PIECE);
        Ok(())
    }

    /// Returns the bits of a hash. It is random in all its bits, so that parts of it will do.
    fn places(&self, hash: i64) -> [(usize, u64); 3] {
        let hash = hash.cast_unsigned();
        let mask = self.words.len() as u64 * 64 - 1;
        [hash, hash >> 19, hash >> 38].map(|part| {
            let bit = part & mask;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(hashes: impl Iterator<Item = i64>) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        let table = "CREATE TABLE idempotency_hash (hash, row, PRIMARY KEY (hash, row)) WITHOUT ROWID";
        connection.execute_batch(table).unwrap();
        for (row, hash) in hashes.enumerate() {
            connection.execute("INSERT INTO idempotency_hash VALUES (?1, ?2)", [hash, row as i64]).unwrap();
        }
        connection
    }

    fn hash(n: usize) -> i64 {
        super::super::keys::hash("test", &n.to_string())
    }

    #[test]
    fn nothing_is_excluded_before_the_index_was_read() {
        let connection = index((0..=PIECE).map(hash));
        let mut filter = Filter::default();
        filter.read_on(&connection).unwrap();
        assert!(!filter.excludes(hash(0)) && !filter.excludes(hash(PIECE + 1)));
        filter.read_on(&connection).unwrap();
        assert!((0..=PIECE).all(|n| !filter.excludes(hash(n))));
        let excluded = (PIECE + 1..3 * PIECE).filter(|n| filter.excludes(hash(*n))).count();
        assert!(excluded > PIECE, "{excluded}");
    }

    #[test]
    fn it_grows_and_forgets_nothing() {
        let many = LEAST / SHARE + 1;
        let connection = index((0..10).map(hash));
        let mut filter = Filter::default();
        filter.read_on(&connection).unwrap();
        (0..many).for_each(|n| filter.add(hash(n)));
        filter.read_on(&connection).unwrap();
        assert_eq!(filter.words.len() * 64, 2 * LEAST);
        assert!((0..10).all(|n| !filter.excludes(hash(n))));
        assert!(filter.excludes(hash(many)));
    }
}
