//! A seal as its file has it: a line of JSON.

use super::tree::Hash;
use super::{List, Making, Seal, SealError};
use data_encoding::BASE64;
use pfh_digest::hex;
use pfh_manifest::row::{self, Hex, Is, NameField};
use serde::Serialize;
use serde_json::{Map, Value};

mod word {
    pfh_manifest::constants! { Seal = "seal", Sha256 = "sha256", Base = "base", Name = "name", Place = "place" }
}

// In the order of the names of its members.
/// The seal of a manifest, as its file has it. Version 1 has none of `after`, `algorithms`, `base`,
/// `name`, `order`, `origin`, `place`, `serial` and `time`, and they are not covered.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row<'a> {
    /// The root of the manifest that this one replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Hex<'a>>,
    /// The algorithms of the digests.
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithms: Option<&'a [String]>,
    /// The directory in which names start, where the manifest records it.
    #[serde(flatten)]
    base: Option<NameField<'a, word::Base>>,
    /// The options that had defaults when the manifest was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    defaults: Option<&'a str>,
    /// The function of the tree.
    hash: Is<word::Sha256>,
    /// The file name of the manifest.
    #[serde(flatten)]
    name: Option<NameField<'a, word::Name>>,
    /// SHA-256 of the leaves in the order of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Hex<'a>>,
    /// SHA-256 of the first seal's message, in those that follow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Hex<'a>>,
    /// The directory of the manifest.
    #[serde(flatten)]
    place: Option<NameField<'a, word::Place>>,
    /// The Ed25519 key that it is signed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<Hex<'a>>,
    /// How many records the manifest has.
    records: u64,
    /// The root of the tree over the records (RFC 6962).
    root: Hex<'a>,
    /// Which seal of this manifest it is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    serial: Option<u64>,
    /// The Ed25519 signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Hex<'a>>,
    /// When it was made, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    r#type: Is<word::Seal>,
    /// 2, or 1 for what earlier versions of pfh wrote.
    version: u64,
}

impl Seal {
    /// The seal as its file has it.
    pub fn encode(&self) -> String {
        let (public_key, signature) = self.signature.as_ref().map(|(key, value)| (Hex(key), Hex(value))).unzip();
        // One is made with both, or read with neither.
        let facts = self.list.as_ref().zip(self.making.as_ref());
        let (list, making) = facts.unzip();
        row::line(&Row {
            after: making.and_then(|making| making.after.as_ref()).map(|root| Hex(root)),
            algorithms: list.map(|list| &list.algorithms[..]),
            base: list.and_then(|list| list.base.as_deref()).map(|base| NameField(base, word::Base)),
            defaults: self.defaults.as_deref(),
            hash: Is(word::Sha256),
            name: making.map(|making| NameField(&making.name[..], word::Name)),
            order: list.map(|list| Hex(&list.order)),
            origin: making.and_then(|making| making.origin.as_ref()).map(|hash| Hex(hash)),
            place: making.map(|making| NameField(&making.place[..], word::Place)),
            public_key,
            records: self.records,
            root: Hex(&self.root),
            serial: making.map(|making| making.serial),
            signature,
            time: making.map(|making| &*making.time),
            r#type: Is(word::Seal),
            version: if making.is_some() { 2 } else { 1 },
        })
    }

    /// Reads a seal's file.
    ///
    /// # Errors
    /// [`SealError::Malformed`] for anything that is none, [`SealError::Twice`] for one that says
    /// something twice.
    pub fn decode(text: &str) -> Result<Seal, SealError> {
        let value = match pfh_manifest::strict::parse(text.as_bytes()) {
            Ok(Value::Object(value)) => value,
            Err(pfh_manifest::strict::Wrong::Twice(member)) => return Err(SealError::Twice(member)),
            _ => return Err(SealError::Malformed),
        };
        decoded(&value).ok_or(SealError::Malformed)
    }
}

/// The seal of an object; `None` if it is none.
fn decoded(value: &Map<String, Value>) -> Option<Seal> {
    let is = |key: &str, expected: &str| value.get(key).and_then(Value::as_str) == Some(expected);
    let version = value.get("version").and_then(Value::as_u64)?;
    if !is("type", "seal") || !is("hash", "sha256") || !matches!(version, 1 | 2) {
        return None;
    }
    let text = |key: &str| value.get(key).map_or(Some(None), |text| text.as_str().map(Some));
    let bytes = |key: &str| match text(key)? {
        None => Some(None),
        Some(digits) => hex::decode(digits.as_bytes()).map(Some),
    };
    let digest = |key: &str| -> Option<Option<Hash>> {
        bytes(key)?.map_or(Some(None), |bytes| Hash::try_from(bytes).ok().map(Some))
    };
    let name = |key: &str| -> Option<Option<Vec<u8>>> {
        match (text(&format!("{key}_b64"))?, text(key)?) {
            (Some(exact), Some(shown)) => {
                let exact = BASE64.decode(exact.as_bytes()).ok()?;
                // The two say the same.
                (String::from_utf8_lossy(&exact) == shown).then_some(Some(exact))
            }
            (Some(_), None) => None,
            (None, plain) => Some(plain.map(|plain| plain.as_bytes().to_vec())),
        }
    };
    let signature = match (bytes("public_key")?, bytes("signature")?) {
        (None, None) => None,
        (public, signature) => Some((public?.try_into().ok()?, signature?.try_into().ok()?)),
    };
    let (mut list, mut making) = (None, None);
    if version == 2 {
        let names = value.get("algorithms")?.as_array()?.iter();
        let algorithms = names.map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
        list = Some(List { order: digest("order")??, base: name("base")?, algorithms });
        making = Some(Making {
            name: name("name")??,
            place: name("place")??,
            time: text("time")??.to_owned(),
            serial: value.get("serial")?.as_u64()?,
            after: digest("after")?,
            origin: digest("origin")?,
        });
    }
    Some(Seal {
        records: value.get("records")?.as_u64()?,
        root: digest("root")??,
        defaults: text("defaults")?.map(str::to_owned),
        list,
        making,
        signature,
    })
}
