//! NSRL's RDSv2, the file `NSRLFile.txt`: quoted columns. The product is 0 and the system `0`,
//! which no table describes; CRC-32 is not known and stands as zeros.

use super::Item;

pub fn head(out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n",
    );
}

pub fn item(out: &mut Vec<u8>, item: &Item<'_>) -> bool {
    let (Some(name), Some(size)) = (item.name, item.size) else { return false };
    let (Some(sha1), Some(md5)) = (item.digits("sha1"), item.digits("md5")) else { return false };
    // The last part, as NSRL has it. Its readers know no quotes and no lines in a name.
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let last: String =
        String::from_utf8_lossy(last).chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect();
    let code = match item.class {
        "bad" => "M",
        "notable" => "S",
        _ => "",
    };
    out.extend_from_slice(
        format!("\"{sha1}\",\"{md5}\",\"00000000\",\"{last}\",{size},0,\"0\",\"{code}\"\r\n").as_bytes(),
    );
    true
}
