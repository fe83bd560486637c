//! AFF4-L, after B. Schatz, "AFF4-L: A scalable open logical evidence container".

use super::{hex, noise, sum};
use pfh_archive::{Format, Limits, open};
use pfh_container::disk::{END, START};
use pfh_container::logical::Logical;
use std::io::Read;
use std::sync::Arc;

#[path = "../../../../container/tests/container/kit/zip.rs"]
mod zip;

const VOLUME: &str = "aff4://11111111-1111-4111-8111-111111111111";

/// A volume of two files: a member of the zip, and a stream in chunks.
pub fn write(small: &[u8], large: &[u8]) -> Vec<u8> {
    let stream = format!("{VOLUME}/large");
    let mut members = vec![("container.description".to_owned(), VOLUME.as_bytes().to_vec())];
    members.push(("version.txt".into(), b"major=1\nminor=1\ntool=kit\n".to_vec()));
    members.push(("/C:/dir/small.txt".into(), small.to_vec()));
    let (mut data, mut index) = (Vec::new(), Vec::new());
    for chunk in large.chunks(4096) {
        index.extend((data.len() as u64).to_le_bytes());
        index.extend((chunk.len() as u32).to_le_bytes());
        data.extend(chunk);
    }
    members.push(("large/00000000".into(), data));
    members.push(("large/00000000.index".into(), index));
    let digests = |bytes: &[u8]| {
        let [md5, sha1] = ["md5", "sha1"].map(|algorithm| hex(&sum(algorithm, bytes)));
        format!("aff4:hash \"{md5}\"^^aff4:MD5 , \"{sha1}\"^^aff4:SHA1")
    };
    let text = format!(
        "@prefix aff4: <http://aff4.org/Schema#> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n\n\
         <{VOLUME}//C:/dir/small.txt> a aff4:FileImage , aff4:Image , aff4:zip_segment ;\n \
         aff4:originalFileName \"C:\\\\dir\\\\small.txt\"^^xsd:string ; aff4:size {} ; {} ;\n \
         aff4:lastWritten \"2018-09-17T13:42:20+10:00\"^^xsd:datetime .\n\
         <{VOLUME}/dir> a aff4:FolderImage ; aff4:originalFileName \"C:\\\\dir\" .\n\
         <{stream}> a aff4:FileImage , aff4:Image , aff4:ImageStream ; aff4:originalFileName \"./large.bin\" ;\n \
         aff4:chunkSize 4096 ; aff4:chunksInSegment 1024 ; aff4:size {} ; {} .\n",
        small.len(),
        digests(small),
        large.len(),
        digests(large),
    );
    members.push(("information.turtle".into(), text.into_bytes()));
    zip::write(&members, VOLUME)
}

fn outcomes(bytes: &[u8]) -> Vec<(String, Result<Vec<u8>, String>)> {
    let file: Arc<dyn pfh_archive::Bytes> = Arc::new(bytes.to_vec());
    let end = &bytes[bytes.len() - bytes.len().min(END)..];
    let format = Logical::of(&bytes[..bytes.len().min(START)], end, &file).expect("a logical image");
    let nodes = open(Format::Logical(format), file, b"name", &Limits::default()).expect("a volume");
    let outcome = |node: pfh_archive::Node| {
        let mut all = Vec::new();
        let read = node
            .content?
            .open()
            .map_err(|failure| failure.to_string())
            .and_then(|mut reader| reader.read_to_end(&mut all).map_err(|error| error.to_string()));
        Some((String::from_utf8_lossy(&node.path).into_owned(), read.map(|_| all)))
    };
    nodes.filter_map(|node| outcome(node.expect("a name"))).collect()
}

#[test]
fn files_with_their_digests() {
    let (small, large) = (b"a few words".to_vec(), noise(10_000));
    let image = write(&small, &large);
    let expected = [("C:/dir/small.txt".to_owned(), Ok(small.clone())), ("large.bin".to_owned(), Ok(large.clone()))];
    assert_eq!(outcomes(&image), expected);
    // A member that differs from its CRC-32 gives nothing.
    let at = image.windows(small.len()).position(|window| window == small).expect("the file");
    let mut bad = image.clone();
    bad[at] ^= 1;
    let found = outcomes(&bad);
    assert!(found[0].1.as_ref().is_err_and(|error| error.contains("CRC-32")) && found[1].1.is_ok(), "{found:?}");
    // A digest that is another file's; with a CRC-32 of the description that holds.
    let wrong = write(&small, &large);
    let stated = hex(&sum("md5", &small));
    let at = wrong.windows(32).position(|window| window == stated.as_bytes()).expect("the digest");
    let mut bad = wrong;
    bad[at] = if bad[at] == b'0' { b'1' } else { b'0' };
    let file: Arc<dyn pfh_archive::Bytes> = Arc::new(bad);
    let opened = open(Format::Logical(Logical::Aff4), file, b"name", &Limits::default());
    assert!(opened.err().is_some_and(|failure| failure.to_string().contains("CRC-32")));
}
