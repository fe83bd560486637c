//! `bagit.txt`: that a folder is a bag, its version, and how its tag files are encoded.

use super::event::{Finding, Severity};
use super::text::{Encoding, lines};

/// The file.
pub const NAME: &[u8] = b"bagit.txt";

/// The declared facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration {
    /// The version, major and minor.
    pub version: (u32, u32),
    /// How tag files are encoded; `None` if that is not known here.
    pub encoding: Option<Encoding>,
}

impl Declaration {
    /// Whether the rules of RFC 8493 hold in full: of drafts some are wider.
    pub fn is_final(self) -> bool {
        self.version >= (1, 0)
    }

    /// The files of a new bag.
    pub const WRITTEN: &'static [u8] = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

    /// Reads it: two lines with one space behind the colon (RFC 8493, section 2.1.1).
    ///
    /// # Errors
    /// The fault.
    pub fn read(bytes: &[u8], findings: &mut Vec<Finding>) -> Option<Declaration> {
        let mut wrong = |what: &str| findings.push(Finding::error(NAME, what));
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            wrong("begins with a byte order mark");
            return None;
        }
        let lines = lines(bytes);
        let value = |at: usize, label: &str| {
            let rest = lines.get(at)?.strip_prefix(label.as_bytes())?.strip_prefix(b": ")?;
            str::from_utf8(rest).ok().map(str::trim_end)
        };
        let Some(version) = value(0, "BagIt-Version") else {
            wrong("its first line is not `BagIt-Version: M.N`");
            return None;
        };
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let Some(version) = version.split_once('.').and_then(|(major, minor)| Some((number(major)?, number(minor)?)))
        else {
            wrong("the version is not a number of the form M.N");
            return None;
        };
        let Some(name) = value(1, "Tag-File-Character-Encoding") else {
            wrong("its second line is not `Tag-File-Character-Encoding: ENCODING`");
            return None;
        };
        if lines.len() > 2 {
            wrong("has more than two lines");
        }
        let encoding = Encoding::named(name);
        if encoding.is_none() {
            let what = format!("the encoding {name} is not known here: tag files are read as UTF-8");
            findings.push(Finding::new(Severity::Incomplete, NAME, what));
        }
        if version > (1, 0) {
            let what = format!("version {}.{} is later than 1.0, by whose rules it is read", version.0, version.1);
            findings.push(Finding::new(Severity::Incomplete, NAME, what));
        }
        Some(Declaration { version, encoding })
    }
}
