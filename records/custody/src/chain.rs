//! A log in which every record holds on to the one before: JSON lines, each with the SHA-256 of
//! everything so far.
//!
//! A line is an object whose last-made member `chain` is SHA-256 over the previous line's chain (32
//! bytes; zeros before the first) and the line's own text without that member. The last record is
//! of the kind `end`; with a key it is followed by one of the kind `signature`, an Ed25519
//! signature (RFC 8032) over the chain of `end`. A finished log may be continued by a record of the
//! kind `reopened`; it then has another `end`, and only a signature behind that one counts. A
//! flipped bit, a line put in, left out or moved breaks the chain; lines missing behind leave no
//! `end`. Who can write the file can make a new chain: against that helps the signature, or a copy
//! of the last chain value kept elsewhere.

use pfh_digest::{Algorithm, hex};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, BufRead};

/// The kind of the record that continues a finished log.
pub const REOPENED: &str = "reopened";
/// Most bytes of a line: a record has a few thousand.
const MOST: u64 = 64 << 20;
/// Signed data begins with this, so that no signature made for something else fits.
const CONTEXT: &[u8] = b"pfh custody log 1\0";

/// Lower case only: a record has one form.
fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    data_encoding::HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

fn link(before: &[u8; 32], body: &str) -> io::Result<[u8; 32]> {
    let sha256: Algorithm = "sha256".parse().map_err(io::Error::other)?;
    let mut hasher = sha256.hasher();
    hasher.update(before);
    hasher.update(body.as_bytes());
    hasher.finalize().bytes().try_into().map_err(io::Error::other)
}

/// A chain of records, being written or being checked.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    last: [u8; 32],
    records: u64,
}

impl Chain {
    /// The value that stands for everything so far, in hexadecimal.
    pub fn value(&self) -> String {
        hex::encode(&self.last)
    }

    /// The message that a signature over everything so far signs.
    pub fn signed(&self) -> Vec<u8> {
        [CONTEXT, &self.last[..]].concat()
    }

    /// The line, with its line end, for one more record, which has a member `kind`. `record` and
    /// `chain` are members of its own.
    ///
    /// # Errors
    /// If `record` is not an object.
    pub fn append(&mut self, record: &impl Serialize) -> io::Result<String> {
        let Value::Object(mut members) = serde_json::to_value(record)? else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        members.insert("record".into(), self.records.into());
        members.remove("chain");
        let body = Value::Object(members.clone()).to_string();
        self.last = link(&self.last, &body)?;
        self.records += 1;
        members.insert("chain".into(), self.value().into());
        Ok(format!("{}\n", Value::Object(members)))
    }
}

/// The fault of a log.
#[derive(Debug)]
pub enum ChainFault {
    /// It cannot be read.
    Io(io::Error),
    /// A line is not as it was written.
    Line {
        /// Which, from 1.
        line: u64,
        /// The fault.
        what: &'static str,
    },
    /// It has no end: records are missing, or the run was cut off.
    NoEnd,
}

impl std::fmt::Display for ChainFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChainFault::Io(error) => error.fmt(f),
            ChainFault::Line { line, what } => write!(f, "line {line}: {what}"),
            ChainFault::NoEnd => write!(f, "there is no last record: records are missing, or the run was cut off"),
        }
    }
}

impl std::error::Error for ChainFault {}

/// A log whose chain holds.
#[derive(Debug, Clone)]
pub struct Sound {
    /// Its records, without the signature.
    pub records: Vec<Map<String, Value>>,
    /// The chain's value at `end`.
    pub chain: Chain,
    /// The signature, if there is one. It has not been checked: that takes the key.
    pub signature: Option<[u8; 64]>,
    /// Records behind that end, of a run that continued the log and did not end.
    pub behind: u64,
}

impl Sound {
    /// How many lines the log has up to its last end, with its signature: behind them stands what
    /// [`behind`](Self::behind) counts.
    pub fn lines(&self) -> u64 {
        self.chain.records + u64::from(self.signature.is_some())
    }
}

/// The record of a signature.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Signature {
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
    ed25519: String,
    #[cfg_attr(feature = "schema", schemars(extend("const" = "signature")))]
    kind: &'static str,
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
    public_key: String,
}

impl Signature {
    /// A signature with the key that checks it.
    pub fn new(signature: &[u8; 64], key: &[u8; 32]) -> Self {
        Signature { ed25519: hex::encode(signature), kind: "signature", public_key: hex::encode(key) }
    }
}

/// The members that the chain adds to each record.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "it is a schema")]
pub struct Link {
    /// SHA-256 of all that was written up to here.
    #[schemars(regex(pattern = "^[0-9a-f]+$"))]
    chain: String,
    /// Which record, from 0.
    record: u64,
}

/// The findings of a pass over the lines.
#[derive(Default)]
struct Pass {
    chain: Chain,
    records: Vec<Map<String, Value>>,
    ended: Option<Chain>,
    signed: Option<[u8; 64]>,
    /// The end before the record that continued the log last: records, chain and signature.
    before: Option<(usize, Chain, Option<[u8; 64]>)>,
    /// Bytes of whole lines.
    bytes: u64,
    /// Whether the last line has no end.
    is_torn: bool,
}

impl Pass {
    fn read(mut log: impl BufRead) -> Result<Self, ChainFault> {
        let mut pass = Pass::default();
        let mut text = Vec::new();
        for line in 1.. {
            let bad = |what| ChainFault::Line { line, what };
            text.clear();
            let got = io::Read::take(&mut log, MOST).read_until(b'\n', &mut text).map_err(ChainFault::Io)?;
            if got == 0 {
                break;
            }
            let Some(body) = text.strip_suffix(b"\n") else {
                pass.is_torn = true;
                break;
            };
            pass.line(line, std::str::from_utf8(body).map_err(|_| bad("no UTF-8"))?).map_err(bad)?;
            pass.bytes += got as u64;
        }
        Ok(pass)
    }

    fn line(&mut self, line: u64, body: &str) -> Result<(), &'static str> {
        let text_of = |members: &Map<String, Value>| serde_json::to_string(members).unwrap_or_default();
        let Ok(Value::Object(mut members)) = serde_json::from_str(body) else { return Err("no JSON object") };
        // One text for one record: otherwise spaces or doubled members could be changed unseen.
        if text_of(&members) != body {
            return Err("not written as pfh writes it");
        }
        let stated = members.remove("chain").and_then(|c| bytes_of::<32>(c.as_str()?)).ok_or("no chain value")?;
        let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        if members.get("record").and_then(Value::as_u64) != Some(line - 1) {
            return Err("another record's number: records are missing, or moved");
        }
        if link(&self.chain.last, &text_of(&members)).map_err(|_| "no SHA-256")? != stated {
            return Err("the chain is broken: this record or one before was changed");
        }
        if kind == REOPENED {
            let Some(ended) = self.ended.take() else { return Err("continues a log that had no end") };
            self.before = Some((self.records.len(), ended, self.signed.take()));
        } else if self.ended.is_some() {
            if self.signed.is_some() {
                return Err("behind the signature");
            }
            if kind != "signature" {
                return Err("behind the last record");
            }
            self.chain = Chain { last: stated, records: line };
            let found = members.get("ed25519").and_then(|s| bytes_of::<64>(s.as_str()?));
            self.signed = Some(found.ok_or("no signature in it")?);
            return Ok(());
        }
        self.chain = Chain { last: stated, records: line };
        if kind == "end" {
            self.ended = Some(self.chain.clone());
        }
        self.records.push(members);
        Ok(())
    }
}

/// Reads a log and checks its chain.
///
/// # Errors
/// The first line that is not as it was written; that there is no end.
pub fn check(log: impl BufRead) -> Result<Sound, ChainFault> {
    let pass = Pass::read(log)?;
    if pass.is_torn {
        return Err(ChainFault::Line { line: pass.records.len() as u64 + 1, what: "cut off" });
    }
    let chain = pass.ended.ok_or(ChainFault::NoEnd)?;
    Ok(Sound { records: pass.records, chain, signature: pass.signed, behind: 0 })
}

/// Reads a log and checks its chain, up to its last end: a run that continued a finished log and
/// was cut off takes nothing away from the finished part. [`Sound::behind`] counts its records.
///
/// # Errors
/// The first line that is not as it was written; that there is no end at all.
pub fn check_to_last_end(log: impl BufRead) -> Result<Sound, ChainFault> {
    match so_far(log)? {
        SoFar::Ended(sound) => Ok(sound),
        SoFar::Open(_) => Err(ChainFault::NoEnd),
    }
}

/// A log that may still be written.
#[derive(Debug, Clone)]
pub enum SoFar {
    /// It has an end, and perhaps records behind that: see [`check_to_last_end`].
    Ended(Sound),
    /// It has none yet: the records whose lines are whole.
    Open(Vec<Map<String, Value>>),
}

/// Reads a log that may still be written, and checks its chain as far as it goes.
///
/// # Errors
/// The first line that is not as it was written.
pub fn so_far(log: impl BufRead) -> Result<SoFar, ChainFault> {
    let mut pass = Pass::read(log)?;
    let all = pass.records.len();
    match (pass.ended.take(), pass.before.take()) {
        (Some(_), _) if pass.is_torn => Err(ChainFault::Line { line: all as u64 + 1, what: "cut off" }),
        (Some(chain), _) => Ok(SoFar::Ended(Sound { records: pass.records, chain, signature: pass.signed, behind: 0 })),
        (None, Some((ended, chain, signature))) => {
            pass.records.truncate(ended);
            Ok(SoFar::Ended(Sound { records: pass.records, chain, signature, behind: (all - ended) as u64 }))
        }
        (None, None) => Ok(SoFar::Open(pass.records)),
    }
}

/// Reads the log of a run that was cut off: its chain, to resume, and how many bytes of it are
/// whole lines. `None` when it has an end.
///
/// # Errors
/// The first line that is not as it was written. A last line without its end was being written when
/// the run was cut off.
pub fn unfinished(log: impl BufRead) -> Result<Option<(Chain, u64)>, ChainFault> {
    let pass = Pass::read(log)?;
    Ok(pass.ended.is_none().then_some((pass.chain, pass.bytes)))
}

/// A log that can be continued.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Its chain.
    pub chain: Chain,
    /// Bytes of whole lines.
    pub bytes: u64,
    /// The record `end`, where it has one: only a record of the kind [`REOPENED`] continues it
    /// then.
    pub end: Option<Map<String, Value>>,
    /// The first record, which names the acquisition.
    pub first: Option<Map<String, Value>>,
    /// The last record, without a signature.
    pub last: Option<Map<String, Value>>,
    /// Whether a signature stands behind it.
    pub is_signed: bool,
    /// The chain's value at the last record.
    pub at_last: String,
}

/// Reads a log that is to be continued.
///
/// # Errors
/// The first line that is not as it was written.
pub fn standing(log: impl BufRead) -> Result<Standing, ChainFault> {
    let pass = Pass::read(log)?;
    let end = pass.ended.as_ref().and_then(|_| pass.records.last().cloned());
    let (first, last) = (pass.records.first().cloned(), pass.records.last().cloned());
    let at_last = pass.ended.as_ref().unwrap_or(&pass.chain).value();
    Ok(Standing { chain: pass.chain, bytes: pass.bytes, end, first, last, is_signed: pass.signed.is_some(), at_last })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn log() -> String {
        let mut chain = Chain::default();
        let member = |kind: &str, n: u64| json!({ "kind": kind, "n": n });
        let mut text = String::new();
        for n in 0..5 {
            text += &chain.append(&member("note", n)).unwrap();
        }
        text += &chain.append(&member("end", 9)).unwrap();
        text + &chain.append(&Signature::new(&[7; 64], &[1; 32])).unwrap()
    }

    #[test]
    fn what_is_written_is_sound() {
        let sound = check(log().as_bytes()).unwrap();
        assert_eq!((sound.records.len(), sound.signature), (6, Some([7; 64])));
    }

    #[test]
    fn lines_left_out_put_in_or_moved_are_found() {
        let text = log();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for at in 0..lines.len() {
            for other in 0..lines.len() {
                let mut moved = lines.clone();
                let line = moved.remove(at);
                if at + 1 < lines.len() {
                    assert!(check(moved.concat().as_bytes()).is_err(), "without {at}");
                }
                moved.insert(other, line);
                assert_eq!(check(moved.concat().as_bytes()).is_ok(), at == other, "{at} to {other}");
            }
            let mut doubled = lines.clone();
            doubled.insert(at, lines[at]);
            assert!(check(doubled.concat().as_bytes()).is_err());
        }
        // Without the signature it is sound, and unsigned: a caller that asks for a signature finds
        // out.
        assert!(check(lines[..6].concat().as_bytes()).unwrap().signature.is_none());
    }

    #[test]
    fn a_finished_log_is_continued_and_ends_again() {
        let text = log();
        let found = standing(text.as_bytes()).unwrap();
        assert_eq!(found.end.as_ref().and_then(|end| end["n"].as_u64()), Some(9));
        let mut chain = found.chain;
        let more = chain.append(&json!({ "kind": REOPENED })).unwrap();
        assert!(matches!(check((text.clone() + &more).as_bytes()), Err(ChainFault::NoEnd)));
        // A finished log stays sound, with its signature, even if the records behind it are torn.
        for torn in ["", "{"] {
            let fallen = check_to_last_end((text.clone() + &more + torn).as_bytes()).unwrap();
            assert_eq!((fallen.records.len(), fallen.signature, fallen.behind), (6, Some([7; 64]), 1));
            assert_eq!(fallen.chain.value(), check(text.as_bytes()).unwrap().chain.value());
        }
        let ended = text.clone() + &more + &chain.append(&json!({ "kind": "end" })).unwrap();
        assert_eq!(check_to_last_end(ended.as_bytes()).unwrap().signature, None, "another end, not signed");
        let sound = check(ended.as_bytes()).unwrap();
        assert_eq!((sound.records.len(), sound.signature), (8, None), "the signature is of the end before");
        assert!(unfinished(ended.as_bytes()).unwrap().is_none());
        // A log without an end is resumed, and not reopened.
        let mut chain = Chain::default();
        let note = chain.append(&json!({ "kind": "note" })).unwrap();
        assert!(check((note + &chain.append(&json!({ "kind": REOPENED })).unwrap()).as_bytes()).is_err());
    }

    #[test]
    fn a_log_without_an_end_has_the_records_of_whole_lines() {
        let text = log();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for torn in ["", "{\"chain\""] {
            let open = so_far((lines[..3].concat() + torn).as_bytes()).unwrap();
            assert!(matches!(open, SoFar::Open(records) if records.len() == 3));
        }
        assert!(matches!(so_far(text.as_bytes()), Ok(SoFar::Ended(sound)) if sound.records.len() == 6));
        assert!(matches!(so_far([lines[0], lines[2]].concat().as_bytes()), Err(ChainFault::Line { line: 2, .. })));
    }

    proptest! {
        #[test]
        fn any_flipped_bit_is_found(at in any::<prop::sample::Index>(), bit in 0..8_u32) {
            let mut bytes = log().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1_u8 << bit;
            let found = check(&bytes[..]);
            // A signature's own bits are found when it is checked against the key.
            let in_signature = found.as_ref().is_ok_and(|sound| sound.signature.is_some_and(|s| s != [7; 64]));
            prop_assert!(found.is_err() || in_signature);
        }

        #[test]
        fn nothing_brings_it_down(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = check(&bytes[..]);
        }
    }
}
