//! Writes AFF4 volumes as the standard 1.0 describes them: zeros and unknown data by the map, the
//! rest in one stream of chunks.

use super::{sum, zip};

/// How a chunk is compressed; `None` if that makes it no shorter.
pub type Pack<'a> = &'a dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// Bytes of a chunk.
pub const CHUNK: usize = 4096;
/// Chunks of a segment.
const EACH: usize = 16;
const VOLUME: &str = "aff4://6b0c2f6e-0000-4000-8000-000000000001";
const STREAM: &str = "aff4://6b0c2f6e-0000-4000-8000-000000000002";
const MAP: &str = "aff4://6b0c2f6e-0000-4000-8000-000000000003";
const IMAGE: &str = "aff4://6b0c2f6e-0000-4000-8000-000000000004";

/// The bytes that stand for data that were not read.
pub fn unknown(length: usize) -> Vec<u8> {
    b"UNKNOWN".iter().copied().cycle().take(length).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The volume of a disk. Chunks of zeros and, from a multiple of 1 MiB on, `unknown` bytes are in
/// no stream.
pub fn write(disk: &[u8], method: &str, pack: Pack) -> Vec<u8> {
    let escaped = |name: &str| name.replace(':', "%3A").replacen("//", "%2F%2F", 1);
    let (mut map, mut stream) = (Vec::new(), Vec::new());
    let unknown = unknown(CHUNK);
    for (number, chunk) in disk.chunks(CHUNK).enumerate() {
        let at = (number * CHUNK) as u64;
        let (target, place) = if chunk.iter().all(|byte| *byte == 0) {
            (1_u32, at)
        } else if chunk == &unknown[..chunk.len()] {
            (2, 0)
        } else {
            stream.push(chunk);
            (0, ((stream.len() - 1) * CHUNK) as u64)
        };
        map.extend([at, chunk.len() as u64, place].map(u64::to_le_bytes).concat());
        map.extend(target.to_le_bytes());
    }
    let index = format!("{STREAM}\nhttp://aff4.org/Schema#Zero\nhttp://aff4.org/Schema#UnknownData\n");
    let mut members = vec![("container.description".to_owned(), VOLUME.as_bytes().to_vec())];
    members.push(("version.txt".into(), b"major=1\nminor=0\ntool=kit\n".to_vec()));
    let mut lists = [Vec::new(), Vec::new()];
    for (number, segment) in stream.chunks(EACH).enumerate() {
        let (mut data, mut entries) = (Vec::new(), Vec::new());
        let mut hashes = [Vec::new(), Vec::new()];
        for chunk in segment {
            let packed = pack(chunk).filter(|packed| packed.len() < CHUNK).unwrap_or_else(|| chunk.to_vec());
            entries.extend((data.len() as u64).to_le_bytes());
            entries.extend((packed.len() as u32).to_le_bytes());
            data.extend(packed);
            hashes[0].extend(sum("md5", chunk));
            hashes[1].extend(sum("sha1", chunk));
        }
        let name = format!("{}/{number:08}", escaped(STREAM));
        for (place, algorithm) in ["md5", "sha1"].iter().enumerate() {
            lists[place].extend(&hashes[place]);
            members.push((format!("{name}.blockHash.{algorithm}"), hashes[place].clone()));
        }
        members.push((name.clone(), data));
        members.push((format!("{name}.index"), entries));
    }
    let of_map = [("map", map.clone()), ("idx", index.clone().into_bytes())];
    for (part, bytes) in &of_map {
        members.push((format!("{}/{part}", escaped(MAP)), bytes.clone()));
    }
    let [blocks_md5, blocks_sha1] = lists.map(|list| sum("sha512", &list));
    let [points, names] = of_map.map(|(_, bytes)| sum("sha512", &bytes));
    let joined = sum("sha512", &[map, index.into_bytes()].concat());
    let all = sum("sha512", &[&blocks_md5[..], &blocks_sha1, &points, &names].concat());
    let whole = stream.concat();
    let (md5, sha1, stream_md5) = (sum("md5", disk), sum("sha1", disk), sum("md5", &whole));
    let [blocks_md5, blocks_sha1, points, names, joined, all, md5, sha1, stream_md5] =
        [blocks_md5, blocks_sha1, points, names, joined, all, md5, sha1, stream_md5].map(|digest| hex(&digest));
    let (size, length) = (disk.len(), whole.len());
    let text = format!(
        "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n\
         @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n@prefix aff4: <http://aff4.org/Schema#> .\n\n\
         <{VOLUME}> a aff4:ZipVolume ; aff4:contains <{IMAGE}> , <{MAP}> .\n\n\
         <{IMAGE}> a aff4:DiskImage , aff4:ContiguousImage , aff4:Image ; aff4:dataStream <{MAP}> ;\n    \
         aff4:blockSize \"512\"^^xsd:int ; aff4:size \"{size}\"^^xsd:long ;\n    \
         aff4:hash \"{md5}\"^^aff4:MD5 , \"{sha1}\"^^aff4:SHA1 , \"{all}\"^^aff4:blockMapHashSHA512 .\n\n\
         <{MAP}> a aff4:Map ; aff4:size {size} ; aff4:mapGapDefaultStream aff4:Zero ; aff4:dependentStream <{STREAM}> ;\n    \
         aff4:mapPointHash \"{points}\"^^aff4:SHA512 ; aff4:mapIdxHash \"{names}\"^^aff4:SHA512 ;\n    \
         aff4:mapHash \"{joined}\"^^aff4:SHA512 ; aff4:blockMapHash \"{all}\"^^aff4:SHA512 .\n\n\
         <{STREAM}> a aff4:ImageStream ; aff4:chunkSize \"{CHUNK}\"^^xsd:int ;\n    \
         aff4:chunksInSegment \"{EACH}\"^^xsd:int ; aff4:compressionMethod <{method}> ;\n    \
         aff4:hash \"{stream_md5}\"^^aff4:MD5 ; aff4:size \"{length}\"^^xsd:long .\n\n\
         <{STREAM}/blockhash.md5> a aff4:BlockHashes ; aff4:hash \"{blocks_md5}\"^^aff4:SHA512 .\n\
         <{STREAM}/blockhash.sha1> a aff4:BlockHashes ; aff4:hash \"{blocks_sha1}\"^^aff4:SHA512 .\n"
    );
    members.push(("information.turtle".into(), text.into_bytes()));
    zip::write(&members, VOLUME)
}
