//! The schemas of the types of members.

use super::{Constant, Counts, Digests, Hex, Is, NameField, Path, TextField, Timestamp, Word, Words};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The schema of a type, where it takes part in a row's own schema.
macro_rules! says {
    ([$($generics:tt)*] $of:ty, $schema:expr) => {
        impl<$($generics)*> JsonSchema for $of {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($of).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

fn named(member: &str) -> Schema {
    let properties = Map::from_iter([
        (member.to_owned(), json!({ "type": "string" })),
        (format!("{member}_b64"), json!({ "type": "string", "contentEncoding": "base64" })),
    ]);
    json_schema!({ "type": "object", "properties": properties, "required": [member] })
}

fn counts<T: Words>() -> Schema {
    let words = T::ALL.iter().map(|value| value.word());
    let required: Vec<&str> = words.clone().collect();
    let properties: Map<String, Value> =
        words.map(|word| (word.to_owned(), json!({ "type": "integer", "minimum": 0 }))).collect();
    json_schema!({ "type": "object", "properties": properties, "required": required })
}

says!(['a] Path<'a>, named("path"));
says!(['a, M: Constant] NameField<'a, M>, named(M::WORD));
says!(['a] Hex<'a>, json_schema!({ "type": "string", "pattern": "^[0-9a-f]+$" }));
says!([] Timestamp, json_schema!({ "type": "string", "pattern": "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$" }));
says!([C: Constant] Is<C>, json_schema!({ "const": C::WORD }));
says!([T: Words] Word<T>, json_schema!({ "enum": T::ALL.iter().map(|value| value.word()).collect::<Vec<_>>() }));
says!([T: Words] Counts<T>, counts::<T>());
says!(['a] Digests<'a>, json_schema!({ "type": "object", "additionalProperties": { "type": "string" } }));
says!([T] TextField<T>, json_schema!({ "type": "string" }));
