//! Project VIC's JSON, data model 2.0. A category is stated only where the set states one: classes
//! of known sets say nothing about what a picture shows.

use super::Item;
use crate::row;
use serde::Serialize;

pub fn head(out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"{\"@odata.context\":\"http://github.com/VICSDATAMODEL/ProjectVic/DataModels/2.0.xml/US/$metadata#Media\",\"value\":[",
    );
}

/// A picture or film.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Media<'a> {
    #[serde(rename = "MediaID")]
    media_id: u64,
    category: u64,
    #[serde(rename = "MD5", skip_serializing_if = "Option::is_none")]
    md5: Option<&'a str>,
    #[serde(rename = "SHA1", skip_serializing_if = "Option::is_none")]
    sha1: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_files: Option<[File<'a>; 1]>,
}

/// A place where it was found.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct File<'a> {
    #[serde(rename = "MD5")]
    md5: &'a str,
    file_name: &'a str,
    file_path: &'a str,
}

pub fn item(out: &mut Vec<u8>, item: &Item<'_>, number: u64) -> bool {
    let (md5, sha1) = (item.digits("md5"), item.digits("sha1"));
    if md5.is_none() && sha1.is_none() {
        return false;
    }
    let category = item.tag.and_then(|tag| tag.strip_prefix("category ")).and_then(|number| number.parse().ok());
    let text = item.name.map(String::from_utf8_lossy);
    out.extend_from_slice(if number == 0 { b"\n" } else { b",\n" });
    row::append(
        out,
        &Media {
            media_id: number + 1,
            category: category.unwrap_or(0),
            md5: md5.as_deref(),
            sha1: sha1.as_deref(),
            media_size: item.size,
            media_files: text.as_deref().map(|text| {
                let (file_path, file_name) = text.rsplit_once('/').unwrap_or(("", text));
                [File { md5: md5.as_deref().unwrap_or_default(), file_name, file_path }]
            }),
        },
    );
    true
}

pub fn tail(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\n]}\n");
}
