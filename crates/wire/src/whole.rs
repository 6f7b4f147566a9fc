//! Whole numbers in bodies: JSON knows one kind of number, so `2.0` is as good as `2`.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Number;

/// Beyond this, not every whole number has a floating-point form of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads a whole number that is not negative.
pub fn natural<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = integer(&Number::deserialize(deserializer)?);
    number
        .and_then(|number| u64::try_from(number).ok())
        .ok_or_else(|| D::Error::custom("expected a whole number from 0 on"))
}

/// Reads a whole number that is not negative, or null.
pub fn optional_natural<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(deserializer)? else { return Ok(None) };
    let number = integer(&number).and_then(|number| u64::try_from(number).ok());
    number.map(Some).ok_or_else(|| D::Error::custom("expected a whole number from 0 on"))
}

/// Reads positions in a list.
pub fn positions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let numbers = Vec::<Number>::deserialize(deserializer)?;
    let position = |number: &Number| integer(number).and_then(|number| usize::try_from(number).ok());
    let read: Option<Vec<usize>> = numbers.iter().map(position).collect();
    read.ok_or_else(|| D::Error::custom("expected whole numbers from 0 on"))
}

/// Reads a whole number, or null.
pub fn optional_signed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(deserializer)? else { return Ok(None) };
    let number = integer(&number).and_then(|number| i64::try_from(number).ok());
    number.map(Some).ok_or_else(|| D::Error::custom("expected a whole number"))
}

fn integer(number: &Number) -> Option<i128> {
    let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    whole.or_else(|| {
        let float = number.as_f64()?;
        let exact = float.fract() == 0.0 && float.abs() <= EXACT;
        exact.then(|| format!("{float:.0}").parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<u64> {
        natural(&mut serde_json::Deserializer::from_str(text)).ok()
    }

    #[test]
    fn a_fraction_of_nothing_is_whole() {
        assert_eq!((read("2"), read("2.0"), read("2e1")), (Some(2), Some(2), Some(20)));
        assert_eq!(read("18446744073709551615"), Some(u64::MAX));
        for wrong in ["2.5", "-1", "-1.0", "1e300", "\"2\"", "null", "18446744073709551616"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let signed = |text: &str| optional_signed(&mut serde_json::Deserializer::from_str(text)).ok();
        assert_eq!((signed("-3.0"), signed("null"), signed("0.1")), (Some(Some(-3)), Some(None), None));
    }
}
