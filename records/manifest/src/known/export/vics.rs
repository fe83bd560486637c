//! Project VIC's JSON, data model 2.0. A category is stated only where the set states one: classes
//! of known sets say nothing about what a picture shows.

use super::Item;
use crate::jsonl;

pub fn head(out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"{\"@odata.context\":\"http://github.com/VICSDATAMODEL/ProjectVic/DataModels/2.0.xml/US/$metadata#Media\",\"value\":[",
    );
}

pub fn item(out: &mut Vec<u8>, item: &Item<'_>, number: u64) -> bool {
    let (md5, sha1) = (item.digits("md5"), item.digits("sha1"));
    if md5.is_none() && sha1.is_none() {
        return false;
    }
    out.extend_from_slice(if number == 0 { b"\n{\"MediaID\":" } else { b",\n{\"MediaID\":" });
    out.extend_from_slice((number + 1).to_string().as_bytes());
    let category = item.tag.and_then(|tag| tag.strip_prefix("category ")).and_then(|number| number.parse().ok());
    jsonl::number(out, "Category", category.unwrap_or(0));
    md5.iter().for_each(|md5| jsonl::field(out, "MD5", md5));
    sha1.iter().for_each(|sha1| jsonl::field(out, "SHA1", sha1));
    item.size.iter().for_each(|size| jsonl::number(out, "MediaSize", *size));
    if let Some(name) = item.name {
        let text = String::from_utf8_lossy(name);
        let (folder, file) = text.rsplit_once('/').unwrap_or(("", &text));
        out.extend_from_slice(b",\"MediaFiles\":[{\"MD5\":");
        jsonl::string(out, md5.as_deref().unwrap_or_default());
        jsonl::field(out, "FileName", file);
        jsonl::field(out, "FilePath", folder);
        out.extend_from_slice(b"}]");
    }
    out.push(b'}');
    true
}

pub fn tail(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\n]}\n");
}
