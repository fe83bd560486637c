//! The property list: of its XML only the tables below `blkx` are looked for.

use crate::disk::Failure;

/// More tables than partitions.
const MOST: usize = 4096;

/// The tables of runs, each with its name.
pub fn tables(list: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let text = String::from_utf8_lossy(list);
    let wrong = |what: &str| Failure::malformed(format!("the property list {what}"));
    let (_, rest) = text.split_once("<key>blkx</key>").ok_or_else(|| wrong("has no tables of runs (blkx)"))?;
    let (_, rest) = rest.split_once("<array>").ok_or_else(|| wrong("has no array of tables"))?;
    let (array, _) = rest.split_once("</array>").ok_or_else(|| wrong("ends within its tables"))?;
    let mut found = Vec::new();
    for entry in array.split("</dict>") {
        let Some((_, data)) = entry.split_once("<key>Data</key>") else { continue };
        let (_, data) = data.split_once("<data>").ok_or_else(|| wrong("has a table without data"))?;
        let (data, _) = data.split_once("</data>").ok_or_else(|| wrong("has a table that does not end"))?;
        let name = entry.split_once("<key>Name</key>").or_else(|| entry.split_once("<key>CFName</key>"));
        let name = name.and_then(|(_, rest)| rest.split_once("<string>")).and_then(|(_, rest)| rest.split_once('<'));
        let bytes = decode(data).ok_or_else(|| wrong("has a table that is not Base64"))?;
        found.push((name.map_or_else(String::new, |(name, _)| name.to_owned()), bytes));
        if found.len() > MOST {
            return Err(wrong("has too many tables"));
        }
    }
    Ok(found)
}

/// Base64 with white space.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_with_their_names() {
        let list = "<plist><dict><key>resource-fork</key><dict><key>blkx</key><array><dict><key>Attributes</key>\
                    <string>0x0050</string><key>Data</key><data>\n\tbWlz\n\taA==\n</data><key>ID</key><string>0</string>\
                    <key>Name</key><string>whole disk</string></dict></array></dict></dict></plist>";
        assert_eq!(tables(list.as_bytes()).unwrap(), [("whole disk".to_owned(), b"mish".to_vec())]);
        for wrong in [&list[..150], &list.replace("bWlz", "b!lz"), &list.replace("blkx", "plst"), ""] {
            assert!(tables(wrong.as_bytes()).is_err());
        }
    }
}
