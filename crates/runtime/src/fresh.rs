//! New ids: time and randomness enter here.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use paseo_core::id::{ItemId, SessionId, TurnId};
use paseo_core::time::Timestamp;
use rustix::rand::{GetRandomFlags, getrandom};
use sha2::{Digest, Sha256};

/// Makes the id of a new item.
pub(crate) fn item_id() -> io::Result<ItemId> {
    let mut random = [0; 10];
    // The kernel never cuts a request this small short.
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(ItemId::from_parts(now(), random))
}

/// Returns the time.
pub(crate) fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

/// Returns a random number for [`paseo_core::backoff::Schedule::wait`].
pub(crate) fn jitter() -> io::Result<u32> {
    let mut bytes = [0; 4];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(u32::from_be_bytes(bytes))
}

/// A source of ids that needs the world once: the same seed gives the same ids.
#[derive(Debug)]
pub(crate) struct Ids {
    seed: [u8; 32],
    made: u64,
}

impl Ids {
    /// Makes a source that is like no other.
    pub(crate) fn fresh() -> io::Result<Self> {
        let mut seed = [0; 32];
        getrandom(&mut seed, GetRandomFlags::empty())?;
        Ok(Self::from_seed(seed))
    }

    /// Makes a source from a given name: the same name makes the same ids.
    pub(crate) fn derived(names: &[&str]) -> Self {
        let mut digest = Sha256::new();
        for name in names {
            // With its length, so that no two lists read alike.
            digest.update(name.len().to_be_bytes());
            digest.update(name);
        }
        Self::from_seed(digest.finalize().into())
    }

    pub(crate) fn from_seed(seed: [u8; 32]) -> Self {
        Self { seed, made: 0 }
    }

    /// Makes the id of a new item.
    pub(crate) fn item(&mut self, now: Timestamp) -> ItemId {
        ItemId::from_parts(now, self.random())
    }

    /// Makes the id of a turn that a harness began by itself.
    pub(crate) fn turn(&mut self, now: Timestamp) -> TurnId {
        TurnId::from_parts(now, self.random())
    }

    /// Makes a random UUID for someone else's use.
    pub(crate) fn uuid(&mut self) -> String {
        SessionId::from_random(self.random()).to_string()
    }

    pub(crate) fn random<const N: usize>(&mut self) -> [u8; N] {
        self.made += 1;
        let digest: [u8; 32] =
            Sha256::new().chain_update(self.seed).chain_update(self.made.to_be_bytes()).finalize().into();
        std::array::from_fn(|index| digest[index % digest.len()])
    }
}
