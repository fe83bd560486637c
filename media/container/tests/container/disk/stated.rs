//! Images that state digests of themselves: DMG, AFF4 and Ex01, by writers after their documents.

use super::folder::{disk, kind, same};
use super::{aff4, dmg, ex01, sum};
use pfh_container::Bytes;
use pfh_container::disk::{Alone, Disk, Failure, Kind, Siblings, open};
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Deflates, with zlib's head.
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut out = vec![0; compressor.zlib_compress_bound(bytes.len())];
    let length = compressor.zlib_compress(bytes, &mut out).unwrap();
    out.truncate(length);
    out
}

/// Opens an image in one file.
pub fn alone(bytes: Vec<u8>) -> Result<Box<dyn Disk>, Failure> {
    let file: Arc<dyn Bytes> = Arc::new(bytes);
    open(kind(&*file).expect("a kind"), file, &Alone)
}

/// Whether all that an image states of its parts holds; how many statements there are.
fn checked(disk: &dyn Disk) -> Result<usize, String> {
    let checks = disk.check(&mut || true);
    match checks.iter().find_map(|check| Some((&check.what, check.wrong.as_ref()?))) {
        Some((what, wrong)) => Err(format!("{what}: {wrong}")),
        None => Ok(checks.len()),
    }
}

/// Filters bytes through a program.
fn through(program: &str, words: &[&str], bytes: &[u8]) -> Vec<u8> {
    let mut child =
        Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect(program);
    let mut input = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    output.stdout
}

/// How a run is compressed.
type Pack<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

/// A DMG with runs of 256 KiB in every form.
pub fn every_form(disk: &[u8]) -> Vec<u8> {
    let forms: [(u32, Pack); 5] = [
        (0x8000_0005, &zlib),
        (1, &|bytes| bytes.to_vec()),
        (0x8000_0006, &|bytes| through("bzip2", &["-c"], bytes)),
        (0x8000_0008, &|bytes| through("xz", &["-c"], bytes)),
        (0x8000_0007, &|bytes| [b"bvx-", &(bytes.len() as u32).to_le_bytes()[..], bytes, b"bvx$"].concat()),
    ];
    let split = (2 << 20) + 512;
    let runs = |part: &[u8]| {
        let mut forms = forms.iter().cycle();
        let run = |piece: &[u8]| {
            let sectors = piece.len() as u64 / 512;
            if piece.iter().all(|byte| *byte == 0) {
                let kind = if sectors.is_multiple_of(2) { 0 } else { 2 };
                return dmg::Run { kind, sectors, stored: Vec::new() };
            }
            let (kind, pack) = forms.next().unwrap();
            dmg::Run { kind: *kind, sectors, stored: pack(piece) }
        };
        part.chunks(256 << 10).map(run).collect::<Vec<_>>()
    };
    dmg::write(disk, &[("whole disk (Apple_HFS : 1)", runs(&disk[..split])), ("rest", runs(&disk[split..]))])
}

#[test]
fn a_dmg_of_every_form_and_its_checksums() {
    if pfh_inject::lacks(&[pfh_inject::Need::Program("bzip2"), pfh_inject::Need::Program("xz")]) {
        return;
    }
    let disk = disk();
    let image = every_form(&disk);
    let found = alone(image.clone()).unwrap();
    same(&*found, &disk, "dmg");
    // The content, two parts, the sum of these.
    assert_eq!(checked(&*found), Ok(4));
    // A raw run that was changed: two checksums say so.
    let at = image.windows(8).position(|bytes| bytes == [0x5a; 8]).expect("a raw run");
    let mut hurt = image.clone();
    hurt[at] = 0x5b;
    let wrong = checked(&*alone(hurt).unwrap()).unwrap_err();
    assert!(wrong.contains("CRC-32"), "{wrong}");
    // Bytes that do not unpack are refused in their place.
    let run = |kind| vec![dmg::Run { kind, sectors: disk.len() as u64 / 512, stored: vec![0; 100] }];
    for (kind, name) in
        [(0x8000_0004, "a compressed unit that does not unpack"), (0x8000_0007, "a compressed unit that does not hold")]
    {
        let found = alone(dmg::write(&disk, &[("x", run(kind))])).unwrap();
        let error = found.read_at(0, &mut [0; 9]).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    assert!(alone(dmg::write(&disk, &[("x", run(9))])).is_err());
}

#[test]
fn an_aff4_of_every_method_and_its_digests() {
    let disk = disk();
    let snappy = |bytes: &[u8]| snap::raw::Encoder::new().compress_vec(bytes).ok();
    let deflate = |bytes: &[u8]| {
        let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
        let mut out = vec![0; compressor.deflate_compress_bound(bytes.len())];
        let length = compressor.deflate_compress(bytes, &mut out).ok()?;
        out.truncate(length);
        Some(out)
    };
    let methods: [(&str, aff4::Pack); 5] = [
        ("http://code.google.com/p/snappy/", &snappy),
        ("https://www.ietf.org/rfc/rfc1950.txt", &|bytes| Some(zlib(bytes))),
        ("https://tools.ietf.org/html/rfc1951", &deflate),
        ("https://code.google.com/p/lz4/", &|bytes| Some(lz4_flex::block::compress(bytes))),
        ("http://aff4.org/Schema#NullCompressor", &|_| None),
    ];
    for (method, pack) in methods {
        let image = aff4::write(&disk, method, pack);
        let found = alone(image.clone()).unwrap_or_else(|failure| panic!("{method}: {failure}"));
        same(&*found, &disk, method);
        let stated: Vec<Vec<u8>> = found.digests().iter().map(|digest| digest.bytes().to_vec()).collect();
        assert_eq!(stated, [sum("md5", &disk), sum("sha1", &disk)], "{method}");
        // Members, the stream, two kinds of chunks with their lists, three of the map, the whole.
        assert_eq!(checked(&*found), Ok(10), "{method}");
        assert!(found.notes()[0].contains("12288 bytes were not read"), "{method}: {:?}", found.notes());
        // A chunk, a digest of a chunk, an entry of the map, in this order in the file.
        let chunk = image.windows(4).position(|bytes| bytes == &disk[2000..2004]);
        let list = image.windows(16).position(|bytes| bytes == sum("md5", &disk[..aff4::CHUNK]));
        for at in chunk.into_iter().chain(list) {
            let mut hurt = image.clone();
            hurt[at] ^= 1;
            let wrong = checked(&*alone(hurt).unwrap());
            assert!(wrong.is_err(), "{method}: {at}");
        }
    }
    let other = alone(aff4::write(&disk, "http://example.org/other", &|_| None));
    assert!(matches!(other, Err(Failure::Refused(_))));
}

/// Segments in memory.
struct Segments(Vec<Vec<u8>>);

impl Siblings for Segments {
    fn open(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        let number = name.strip_prefix("a.Ex").and_then(|number| number.parse::<usize>().ok());
        let found = number.and_then(|number| self.0.get(number - 1));
        Ok(found.map(|bytes| Arc::new(bytes.clone()) as Arc<dyn Bytes>))
    }

    fn first(&self) -> &str {
        "a.Ex01"
    }
}

#[test]
fn an_ex01_in_segments_and_its_digests() {
    let disk = disk();
    for (count, pack) in [(1, ex01::stored as fn(&[u8]) -> Vec<u8>), (1, zlib), (3, zlib)] {
        let segments = ex01::write(&disk, count, &pack);
        let open = |segments: &[Vec<u8>]| {
            let first: Arc<dyn Bytes> = Arc::new(segments[0].clone());
            open(Kind::Ex01, first, &Segments(segments.to_vec()))
        };
        let found = open(&segments).unwrap();
        same(&*found, &disk, "Ex01");
        let stated: Vec<Vec<u8>> = found.digests().iter().map(|digest| digest.bytes().to_vec()).collect();
        assert_eq!(stated, [sum("md5", &disk), sum("sha1", &disk)]);
        assert_eq!(checked(&*found), Ok(1));
        if count > 1 {
            assert!(open(&segments[..2]).is_err(), "a segment that is missing");
            let mut swapped = segments.clone();
            swapped.swap(1, 2);
            assert!(open(&swapped).is_err(), "segments in another order");
        }
        // Chunks of noise are stored, with a checksum; the section has a digest as well.
        let at = segments[0].windows(16).position(|bytes| bytes == &disk[5000..5016]).expect("a stored chunk");
        let mut hurt = segments.clone();
        hurt[0][at] ^= 1;
        let found = open(&hurt).unwrap();
        assert!(found.read_exact_at(0, &mut [0; 8192]).is_err());
        assert!(checked(&*found).is_err());
    }
}

/// No read may serve the bytes that a damaged chunk unpacks to.
#[test]
fn a_damaged_aff4_serves_nothing_of_the_segment() {
    let content: Vec<u8> = (0..150 * 4096_u32).map(|at| (at / 100 % 251) as u8 + 1).collect();
    let whole = aff4::write(&content, "http://code.google.com/p/snappy/", &|_| None);
    let disk = alone(whole.clone()).unwrap();
    same(&*disk, &content, "AFF4");
    // Inside of the first chunk of the first segment, of its index and of the map.
    let at = |part: &[u8]| whole.windows(part.len()).position(|window| window == part).unwrap();
    let chunk = at(&content[..4096]);
    let read = |bytes: Vec<u8>, offset: u64| {
        let disk = alone(bytes)?;
        disk.read_exact_at(offset, &mut [0; 100]).map_err(Failure::from)
    };
    let mut damaged = whole.clone();
    damaged[chunk + 70] ^= 4;
    assert!(read(damaged.clone(), 0).is_err() && read(damaged.clone(), 60_000).is_err());
    assert!(checked(&*alone(damaged.clone()).unwrap()).unwrap_err().contains("CRC-32"));
    // Other segments are sound.
    read(damaged, 500_000).unwrap();
}
