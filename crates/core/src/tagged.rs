//! Reads an event from its kind and its data as if they stood in one tagged object, without writing that object.

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Returns the event that `{"kind":…,"data":…}` would be.
pub(crate) fn read<E: DeserializeOwned>(kind: &str, data: &str) -> Result<E, serde_json::Error> {
    E::deserialize(Tagged { kind, data, next: Next::Kind })
}

struct Tagged<'a> {
    kind: &'a str,
    data: &'a str,
    next: Next,
}

/// What comes next.
enum Next {
    Kind,
    Data,
    End,
}

impl<'de> de::Deserializer<'de> for Tagged<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Tagged<'de> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Self::Error> {
        let key: StrDeserializer<'_, Self::Error> = match self.next {
            Next::Kind => "kind",
            Next::Data => "data",
            Next::End => return Ok(None),
        }
        .into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Self::Error> {
        match self.next {
            Next::Kind => {
                self.next = Next::Data;
                seed.deserialize(BorrowedStrDeserializer::new(self.kind))
            }
            Next::Data | Next::End => {
                self.next = Next::End;
                let mut data = serde_json::Deserializer::from_str(self.data);
                let value = seed.deserialize(&mut data)?;
                data.end()?;
                Ok(value)
            }
        }
    }
}
