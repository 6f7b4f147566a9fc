//! New ids: time and randomness enter here.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use paseo_core::id::ItemId;
use paseo_core::time::Timestamp;
use rustix::rand::{GetRandomFlags, getrandom};

/// Makes the id of a new item.
pub(crate) fn item_id() -> io::Result<ItemId> {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
    let mut random = [0; 10];
    // The kernel never cuts a request this small short.
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(ItemId::from_parts(Timestamp::from_millis(millis), random))
}
