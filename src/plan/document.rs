//! A plan as its directory holds it: `plan.json`, `units/NUMBER` with the names of each unit, and
//! `parts/` with their results.

use super::problem::{damaged, unread, unwritten};
use crate::hash::Head;
use crate::job::Error;
use pfh_digest::{Algorithm, hex};
use pfh_manifest::row::{Hex, Is};
use pfh_manifest::{End, Format, Layout, Marker, constants};
use pfh_source::Output;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file as it was planned, by which another machine knows the tree again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landmark {
    /// Its name.
    pub name: Vec<u8>,
    /// Its size in bytes.
    pub size: u64,
}

/// The settings that units and the merge must agree on.
pub struct Document {
    /// The directory of the plan.
    pub directory: PathBuf,
    /// The algorithms, in the order of every record's digests.
    pub algorithms: Vec<Algorithm>,
    /// The format of the manifest.
    pub format: Format,
    /// How its lines look.
    pub layout: Layout,
    /// Bytes of the windows that have digests of their own.
    pub piecewise: Option<u64>,
    /// Bytes of the ranges that larger files are read in.
    pub split: Option<u64>,
    /// The command line that the manifest records, if any.
    pub command_line: Option<Vec<u8>>,
    /// The directory in which the plan was made.
    pub working_directory: Vec<u8>,
    /// Whether names start there.
    pub relative: bool,
    /// The directory in which all files lie, if it was named.
    pub base: Option<Vec<u8>>,
    /// Some of the files, by which another machine knows the tree again.
    pub landmarks: Vec<Landmark>,
    /// Whether FIFOs and devices among the names are read.
    pub special: bool,
    /// The operands.
    pub paths: Vec<Vec<u8>>,
    /// All inputs, including those that are not read.
    pub entries: u64,
    /// The SHA-256 of each unit's list; the first is that of entries that need no reading.
    pub lists: Vec<String>,
}

/// The file that makes a directory a plan.
pub const NAME: &str = "plan.json";

/// Bytes as JSON has them: text, or hexadecimal digits of bytes that are not UTF-8.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Bytes<'a> {
    Text(&'a str),
    Digits { hex: Hex<'a> },
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(text: &'a [u8]) -> Bytes<'a> {
        str::from_utf8(text).map_or_else(|_| Bytes::Digits { hex: Hex(text) }, Bytes::Text)
    }
}

/// Bytes as JSON has them.
pub fn bytes(text: &[u8]) -> Value {
    json!(Bytes::from(text))
}

/// Reads these again.
pub fn unbytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.as_bytes().to_vec()),
        other => hex::decode(other.get("hex")?.as_str()?.as_bytes()),
    }
}

/// A file as `landmarks` has it.
fn landmark(value: &Value) -> Option<Landmark> {
    let [name, size] = value.as_array()?.as_slice() else { return None };
    Some(Landmark { name: unbytes(name)?, size: size.as_u64()? })
}

/// Whether a path of a plan is that of a file: a pipe would never begin, and a device has no end.
///
/// # Errors
/// When it is not, or cannot be looked at.
pub fn check_file(path: &Path) -> Result<(), Error> {
    if std::fs::metadata(path).map_err(unread(path))?.is_file() { Ok(()) } else { Err(damaged(path, "is not a file")) }
}

/// The name of a unit's result among the parts of the plan with this digest.
pub fn part_name(unit: u64, digest: &str) -> String {
    format!("{unit:06}.{}", &digest[..16])
}

/// The SHA-256 of bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    crate::sha256(bytes).to_string()
}

constants! { PfhPlan = "pfh-plan" }

/// The only version.
const VERSION: u64 = 1;

/// A plan as `plan.json` has it, its members in the order of their names.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row<'a> {
    #[serde(flatten)]
    plan: PlanDocument<'a>,
    /// The SHA-256 of the object without this member.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
    digest: String,
}

/// All that is planned.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlanDocument<'a> {
    /// The algorithms, in the order of every record's digests.
    algorithms: Vec<String>,
    /// The directory in which all files lie, if it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Bytes<'a>>,
    /// Whether lines have the marker of binary files.
    binary: bool,
    /// The command line that the manifest records.
    command_line: Option<Bytes<'a>>,
    /// All inputs, including those that are not read.
    entries: u64,
    /// The format of the manifest.
    format: &'static str,
    /// Names and sizes of some of the files, by which another machine knows the tree again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    landmarks: Vec<(Bytes<'a>, u64)>,
    /// The operands.
    paths: Vec<Bytes<'a>>,
    /// Bytes of the windows that have digests of their own.
    piecewise: Option<u64>,
    /// Whether names start in the working directory.
    relative: bool,
    /// Whether FIFOs and devices among the names are read.
    special: bool,
    /// Bytes of the ranges that larger files are read in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    split: Option<u64>,
    r#type: Is<PfhPlan>,
    /// The SHA-256 of the list of each unit; the first is that of the inputs that are not read.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[0-9a-f]+$"))))]
    units: &'a [String],
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    version: u64,
    /// The directory in which the plan was made.
    working_directory: Bytes<'a>,
    /// Whether lines end with NUL.
    zero: bool,
}

impl Document {
    /// How many units there are.
    pub fn units(&self) -> u64 {
        self.lists.len() as u64
    }

    /// The list of a unit, from 1.
    pub fn list(&self, unit: u64) -> PathBuf {
        self.directory.join("units").join(format!("{unit:06}"))
    }

    /// The directory of the units' results.
    pub fn parts(&self) -> PathBuf {
        self.directory.join("parts")
    }

    /// The result of a unit, by its number and the plan's digest; 0 is that of entries that need no
    /// reading.
    pub fn part(&self, unit: u64) -> PathBuf {
        self.parts().join(part_name(unit, &self.digest()))
    }

    /// The digest of all that is planned.
    pub fn digest(&self) -> String {
        sha256(json!(self.row()).to_string().as_bytes())
    }

    fn row(&self) -> PlanDocument<'_> {
        PlanDocument {
            algorithms: self.algorithms.iter().map(ToString::to_string).collect(),
            base: self.base.as_deref().map(Bytes::from),
            binary: self.layout.marker == Marker::Binary,
            command_line: self.command_line.as_deref().map(Bytes::from),
            entries: self.entries,
            format: self.format.name(),
            landmarks: self.landmarks.iter().map(|one| (Bytes::from(&one.name[..]), one.size)).collect(),
            paths: self.paths.iter().map(|path| Bytes::from(&path[..])).collect(),
            piecewise: self.piecewise,
            relative: self.relative,
            special: self.special,
            split: self.split,
            r#type: Is(PfhPlan),
            units: &self.lists,
            version: VERSION,
            working_directory: Bytes::from(&self.working_directory[..]),
            zero: self.layout.end == End::Nul,
        }
    }

    /// Writes `plan.json`, whole or not at all: from then on the directory is a plan.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self) -> Result<(), Error> {
        let path = self.directory.join(NAME);
        let plan = json!(Row { plan: self.row(), digest: self.digest() });
        let put = || {
            let mut output = Output::file(&path)?;
            output.write_all(format!("{plan}\n").as_bytes())?;
            output.commit()
        };
        put().map_err(unwritten(&path))
    }

    /// Whether the directory is a plan.
    pub fn is_saved(&self) -> bool {
        self.directory.join(NAME).symlink_metadata().is_ok()
    }

    /// The result of a unit, below the directory of the plan.
    pub fn part_within(&self, unit: u64) -> PathBuf {
        Path::new("parts").join(self.part(unit).file_name().unwrap_or_default())
    }

    /// Reads the plan of a directory.
    ///
    /// # Errors
    /// When there is none, or not the one that was made.
    pub fn load(directory: &Path) -> Result<Document, Error> {
        let path = directory.join(NAME);
        check_file(&path)?;
        let text = pfh_source::Document::read_text(&path, pfh_source::Document::LONGEST).map_err(unread(&path))?;
        let value: Value = serde_json::from_str(&text).map_err(|_| damaged(&path, "holds no plan"))?;
        let document = Document::read(directory, &value).ok_or_else(|| damaged(&path, "holds no plan"))?;
        if value["digest"].as_str() != Some(&document.digest()) {
            return Err(damaged(&path, "is not the plan that was made: its digest is another"));
        }
        Ok(document)
    }

    fn read(directory: &Path, value: &Value) -> Option<Document> {
        if value["type"] != "pfh-plan" || value["version"] != VERSION {
            return None;
        }
        let texts = |name: &str| value[name].as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>();
        let algorithm = |name: &&str| name.parse::<crate::Algorithm>().ok().map(Algorithm::from);
        let end = if value["zero"].as_bool()? { End::Nul } else { End::Line };
        let marker = if value["binary"].as_bool()? { Marker::Binary } else { Marker::Text };
        Some(Document {
            directory: directory.to_owned(),
            algorithms: texts("algorithms")?.iter().map(algorithm).collect::<Option<_>>()?,
            format: value["format"].as_str()?.parse().ok()?,
            layout: Layout { end, marker },
            piecewise: value["piecewise"].as_u64(),
            split: value["split"].as_u64(),
            command_line: match &value["command_line"] {
                Value::Null => None,
                line => Some(unbytes(line)?),
            },
            working_directory: unbytes(&value["working_directory"])?,
            relative: value["relative"].as_bool()?,
            base: match &value["base"] {
                Value::Null => None,
                base => Some(unbytes(base)?),
            },
            landmarks: value["landmarks"]
                .as_array()
                .map_or(Some(Vec::new()), |all| all.iter().map(landmark).collect())?,
            special: value["special"].as_bool()?,
            paths: value["paths"].as_array()?.iter().map(unbytes).collect::<Option<_>>()?,
            entries: value["entries"].as_u64()?,
            lists: texts("units")?.into_iter().map(str::to_owned).collect(),
        })
    }

    /// The directory in which all files lie, as the machine has it on which the plan was made: the
    /// one where names start, or the root.
    pub fn base(&self) -> &[u8] {
        match &self.base {
            Some(base) => base,
            None if self.relative => &self.working_directory,
            None => b"/",
        }
    }

    /// The head of the manifest; `base` is recorded where names need it.
    pub fn about(&self, base: Option<Vec<u8>>) -> Head {
        Head {
            algorithms: self.algorithms.clone(),
            command_line: self.command_line.clone(),
            working_directory: Some(self.working_directory.clone()),
            base,
            version: env!("CARGO_PKG_VERSION").into(),
            volumes: None,
        }
    }
}
