//! The `header2` and `header` sections: who acquired what, and when.

use super::EwfFault;
use crate::Time;
use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

/// Case data, and the medium's model and serial number. Fields hold no tab and no line feed: these
/// separate the fields in the format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseData {
    /// Case number.
    pub case_number: String,
    /// Evidence number.
    pub evidence_number: String,
    /// The acquired medium.
    pub description: String,
    /// Who acquired it.
    pub examiner: String,
    /// Free text.
    pub notes: String,
    /// Model of the medium.
    pub model: String,
    /// Serial number of the medium.
    pub serial: String,
    /// Program and version; EnCase shows 11 characters.
    pub software: String,
    /// Operating system; EnCase shows 23 characters.
    pub platform: String,
    /// When it was acquired, in seconds since 1970 (UTC).
    pub acquired: i64,
}

/// Most bytes that a header may inflate to.
const MOST: usize = 4 << 20;

impl CaseData {
    /// The fields with their letters in `header2`.
    fn fields(&self) -> [(&'static str, &str); 9] {
        [
            ("a", &self.description),
            ("c", &self.case_number),
            ("n", &self.evidence_number),
            ("e", &self.examiner),
            ("t", &self.notes),
            ("md", &self.model),
            ("sn", &self.serial),
            ("av", &self.software),
            ("ov", &self.platform),
        ]
    }

    /// The first field that cannot be written: it holds a control character.
    pub fn unwritable(&self) -> Option<&'static str> {
        const WORDS: [&str; 9] = [
            "description",
            "case number",
            "evidence number",
            "examiner",
            "notes",
            "model",
            "serial number",
            "software",
            "platform",
        ];
        self.fields().iter().position(|(_, text)| text.chars().any(char::is_control)).map(|at| WORDS[at])
    }

    /// The payload of `header2`: zlib over UTF-16 (EnCase 6's 17 lines, three categories).
    pub fn encode_header2(&self) -> Vec<u8> {
        let (names, values): (Vec<_>, Vec<_>) = self.fields().into_iter().unzip();
        let text = format!(
            "3\nmain\n{}\tm\tu\tp\tdc\n{}\t{time}\t{time}\t0\t\n\nsrce\n0\t1\np\tn\tid\tev\ttb\tlo\tpo\tah\tgu\taq\n0\t0\n\
             \t\t\t\t\t-1\t-1\t\t\t\n\nsub\n0\t1\np\tn\tid\tnu\tco\tgu\n0\t0\n\t\t\t\t1\t\n\n",
            names.join("\t"),
            values.join("\t"),
            time = self.acquired,
        );
        let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        deflate(&utf16)
    }

    /// The payload of `header`: zlib over one-byte text, in which each character that is not ASCII
    /// becomes `?` (`header2` keeps it).
    pub fn encode_header(&self) -> Vec<u8> {
        let at = Time { seconds: self.acquired, nanoseconds: 0 }.to_string();
        let number = |range| at.get(range).and_then(|digits: &str| digits.parse::<u32>().ok()).unwrap_or(0);
        let parts = [0..4, 5..7, 8..10, 11..13, 14..16, 17..19].map(|range| number(range).to_string());
        let time = parts.join(" ");
        let text = format!(
            "1\r\nmain\r\nc\tn\ta\te\tt\tav\tov\tm\tu\tp\r\n{}\t{time}\t{time}\t0\r\n\r\n",
            [
                &self.case_number,
                &self.evidence_number,
                &self.description,
                &self.examiner,
                &self.notes,
                &self.software,
                &self.platform
            ]
            .map(|field| field.replace(|c: char| !c.is_ascii(), "?"))
            .join("\t"),
        );
        deflate(text.as_bytes())
    }

    /// Reads a `header2` payload.
    ///
    /// # Errors
    /// When it does not inflate, is not UTF-16 or has no fields.
    pub fn decode_header2(payload: &[u8]) -> Result<Self, EwfFault> {
        let bytes = inflate(payload)?;
        let units: Vec<u16> = bytes.chunks_exact(2).map(|u| u16::from_le_bytes([u[0], u[1]])).collect();
        let text = match units.split_first() {
            Some((0xfeff, rest)) => String::from_utf16(rest).ok(),
            Some((0xfffe, rest)) => String::from_utf16(&rest.iter().map(|u| u.swap_bytes()).collect::<Vec<_>>()).ok(),
            _ => None,
        };
        Self::parse(&text.ok_or(EwfFault::new("header2 is not UTF-16 text"))?)
    }

    /// Reads a `header` payload.
    ///
    /// # Errors
    /// When it does not inflate or has no fields.
    pub fn decode_header(payload: &[u8]) -> Result<Self, EwfFault> {
        let bytes = inflate(payload)?;
        // One byte, one character: code pages differ, Latin-1 keeps every byte apart.
        Self::parse(&bytes.iter().map(|b| char::from(*b)).collect::<String>())
    }

    fn parse(text: &str) -> Result<Self, EwfFault> {
        let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
        let (Some(_), Some("main"), Some(names), Some(values)) =
            (lines.next(), lines.next(), lines.next(), lines.next())
        else {
            return Err(EwfFault::new("a header without fields"));
        };
        let mut about = CaseData::default();
        for (name, value) in names.split('\t').zip(values.split('\t')) {
            let field = match name {
                "a" => &mut about.description,
                "c" => &mut about.case_number,
                "n" => &mut about.evidence_number,
                "e" => &mut about.examiner,
                "t" => &mut about.notes,
                "md" => &mut about.model,
                "sn" => &mut about.serial,
                "av" => &mut about.software,
                "ov" => &mut about.platform,
                "m" => {
                    about.acquired = acquired(value);
                    continue;
                }
                _ => continue,
            };
            value.clone_into(field);
        }
        Ok(about)
    }
}

/// Seconds since 1970 in `header2`, `2026 11 21 4 40 19` in `header`.
fn acquired(value: &str) -> i64 {
    let parts: Vec<i64> = value.split(' ').map_while(|part| part.parse().ok()).collect();
    match parts[..] {
        [seconds] => seconds,
        [year, month, day, hour, minute, second] => {
            let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
            Time::parse(&text).map_or(0, |time| time.seconds)
        }
        _ => 0,
    }
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut compressor = Compressor::new(CompressionLvl::default());
    let mut out = vec![0; compressor.zlib_compress_bound(bytes.len())];
    // libdeflate itself states the bound.
    let length = compressor.zlib_compress(bytes, &mut out).unwrap_or(0);
    out.truncate(length);
    out
}

fn inflate(payload: &[u8]) -> Result<Vec<u8>, EwfFault> {
    let mut room = 64 << 10;
    loop {
        let mut out = vec![0; room];
        match Decompressor::new().zlib_decompress(payload, &mut out) {
            Ok(length) => {
                out.truncate(length);
                return Ok(out);
            }
            Err(DecompressionError::InsufficientSpace) if room < MOST => room *= 4,
            Err(DecompressionError::InsufficientSpace) => return Err(EwfFault::new("a header of more than 4 MiB")),
            Err(DecompressionError::BadData) => return Err(EwfFault::new("a header that does not inflate")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_headers_round_trip() {
        let about = CaseData {
            case_number: "2026/17".into(),
            evidence_number: "3".into(),
            description: "Festplatte, groß".into(),
            examiner: "J. Müller".into(),
            notes: "none".into(),
            model: "M".into(),
            serial: "S".into(),
            software: "pfh 0.1.0".into(),
            platform: "Linux".into(),
            acquired: 1_795_236_019,
        };
        assert_eq!(CaseData::decode_header2(&about.encode_header2()).as_ref(), Ok(&about));
        let plain = CaseData::decode_header(&about.encode_header()).unwrap();
        assert_eq!((plain.acquired, plain.examiner.as_str()), (about.acquired, "J. M?ller"));
        assert_eq!(about.unwritable(), None);
        assert_eq!(CaseData { notes: "a\tb".into(), ..about }.unwritable(), Some("notes"));
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = deflate(&vec![0; 8 << 20]);
        assert!(CaseData::decode_header2(&bomb).unwrap_err().what.contains("4 MiB"));
    }
}
