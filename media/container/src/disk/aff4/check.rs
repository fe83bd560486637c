//! Compares the parts of a volume with its stated digests: members, the map's pieces, streams and
//! their chunks.

use super::statements::{ORDER, Statements, algorithm, digest};
use super::stream::Stream;
use super::zip::Zip;
use crate::disk::{Check, Failure};
use pfh_digest::{Algorithm, Digest, Hasher};

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// The comparison was ended.
struct ComparisonEnd;

/// Why a digest was not computed.
enum Stop {
    Ended,
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

/// The compared sides.
struct Volume<'a> {
    zip: &'a Zip,
    statements: &'a Statements,
    go_on: &'a mut dyn FnMut() -> bool,
    found: Vec<Check>,
}

/// Compares all that is stated of the map and of the streams, as long as `go_on` allows.
pub fn all(
    zip: &Zip,
    statements: &Statements,
    map: Option<&str>,
    streams: &[&Stream],
    go_on: &mut dyn FnMut() -> bool,
) -> Vec<Check> {
    let mut volume = Volume { zip, statements, go_on, found: Vec::new() };
    // The caller ended it.
    let _ = volume.compare(map, streams);
    volume.found
}

impl Volume<'_> {
    fn compare(&mut self, map: Option<&str>, streams: &[&Stream]) -> Result<(), ComparisonEnd> {
        let mut zips = vec![self.zip];
        for stream in streams {
            if !zips.iter().any(|zip| zip.volume == stream.volume.zip.volume) {
                zips.push(&stream.volume.zip);
            }
        }
        for zip in zips {
            self.members(zip)?;
        }
        let mut blocks = Vec::new();
        for stream in streams {
            self.stream(stream, &mut blocks)?;
        }
        if let Some(map) = map {
            self.map(map, &blocks)?;
        }
        Ok(())
    }

    /// Enters the result of a comparison; returns the computed digest.
    fn enter(&mut self, what: String, stated: &Digest, is: Result<Digest, Stop>) -> Result<(), ComparisonEnd> {
        let wrong = match is {
            Ok(is) if is == *stated => None,
            Ok(is) => Some(Failure::malformed(format!("{stated} is stated, and {is} computed"))),
            Err(Stop::Failed(failure)) => Some(failure),
            Err(Stop::Ended) => return Err(ComparisonEnd),
        };
        self.found.push(Check { what, wrong });
        Ok(())
    }

    /// The CRC-32 of each member of a volume.
    fn members(&mut self, zip: &Zip) -> Result<(), ComparisonEnd> {
        let (mut right, mut room) = (0_u64, Vec::new());
        for (name, member) in zip.members() {
            let (mut sum, mut at) = (crc32fast::Hasher::new(), 0);
            let wrong = loop {
                if at == member.size {
                    let is = sum.finalize();
                    let what = || Failure::malformed(format!("{:08x} is stated, and {is:08x} computed", member.crc));
                    break (is != member.crc).then(what);
                }
                if !(self.go_on)() {
                    return Err(ComparisonEnd);
                }
                room.resize((member.size - at).min(PIECE) as usize, 0);
                if let Err(failure) = zip.read_at(&member, at, &mut room) {
                    break Some(failure);
                }
                sum.update(&room);
                at += room.len() as u64;
            };
            match wrong {
                None => right += 1,
                wrong => self.found.push(Check { what: format!("CRC-32 of the member {name}"), wrong }),
            }
        }
        if right > 0 {
            self.found.push(Check { what: format!("CRC-32 of {right} members"), wrong: None });
        }
        Ok(())
    }

    /// The digest of members, one after the other.
    fn joined(&mut self, names: &[String], algorithm: Algorithm, optional: Option<&str>) -> Result<Digest, Stop> {
        let (mut hasher, mut room) = (algorithm.hasher(), Vec::new());
        for name in names {
            let member = match self.zip.member(name) {
                Some(member) => member,
                None if optional == Some(name) => continue,
                None => return Err(Failure::malformed(format!("the member {name} is missing")).into()),
            };
            let mut at = 0;
            while at < member.size {
                if !(self.go_on)() {
                    return Err(Stop::Ended);
                }
                room.resize((member.size - at).min(PIECE) as usize, 0);
                self.zip.read_at(&member, at, &mut room)?;
                hasher.update(&room);
                at += room.len() as u64;
            }
        }
        Ok(hasher.finalize())
    }

    /// The pieces of the map, and the digest over all that the volume states of its data.
    fn map(&mut self, map: &str, blocks: &[Digest]) -> Result<(), ComparisonEnd> {
        let path = format!("{map}/mapPath");
        let pieces: [(&str, &[&str]); 4] = [
            ("mapPointHash", &["map"]),
            ("mapIdxHash", &["idx"]),
            ("mapPathHash", &["mapPath"]),
            ("mapHash", &["map", "idx", "mapPath"]),
        ];
        let mut joined: Vec<u8> = blocks.iter().flat_map(|digest| digest.bytes().to_vec()).collect();
        for (predicate, parts) in pieces {
            let names: Vec<String> = parts.iter().map(|part| format!("{map}/{part}")).collect();
            for stated in self.stated(map, predicate)? {
                if parts.len() == 1 {
                    joined.extend_from_slice(stated.bytes());
                }
                let is = self.joined(&names, stated.algorithm(), Some(&path));
                self.enter(format!("{predicate} ({})", stated.algorithm()), &stated, is)?;
            }
        }
        for stated in self.stated(map, "blockMapHash")? {
            let is = stated.algorithm().digest(&joined);
            self.enter(format!("blockMapHash ({})", stated.algorithm()), &stated, Ok(is))?;
        }
        Ok(())
    }

    /// The stated digests; a text that is not a digest is entered as wrong.
    fn stated(&mut self, subject: &str, predicate: &str) -> Result<Vec<Digest>, ComparisonEnd> {
        self.stated_by(self.statements, subject, predicate)
    }

    /// The digests that another volume states.
    fn stated_by(&mut self, by: &Statements, subject: &str, predicate: &str) -> Result<Vec<Digest>, ComparisonEnd> {
        let mut found = Vec::new();
        let all: Vec<_> = by.of(subject, predicate).filter_map(digest).collect();
        for stated in all {
            match stated {
                Ok(stated) => found.push(stated),
                Err(failure) => self.found.push(Check { what: predicate.to_owned(), wrong: Some(failure) }),
            }
        }
        Ok(found)
    }

    /// A stream: its own digests, those of its chunks, and those of the lists of these. The last
    /// are added to `blocks`.
    fn stream(&mut self, stream: &Stream, blocks: &mut Vec<Digest>) -> Result<(), ComparisonEnd> {
        let own = &stream.volume.statements;
        let whole = self.stated_by(own, &stream.name, "hash")?;
        let mut lists = Vec::new();
        for name in ORDER {
            let Some(algorithm) = algorithm(name) else { continue };
            let subject = format!("{}/blockhash.{}", stream.name, name.to_ascii_lowercase());
            for stated in self.stated_by(own, &subject, "hash")? {
                blocks.push(stated.clone());
                lists.push((algorithm, stated));
            }
        }
        let is = self.chunks(stream, &whole, &lists);
        let (digests, sums, chunks, wrong) = match is {
            Ok(is) => is,
            Err(Stop::Ended) => return Err(ComparisonEnd),
            Err(Stop::Failed(failure)) => {
                let what = format!("the chunks of the stream {}", stream.name);
                self.found.push(Check { what, wrong: Some(failure) });
                return Ok(());
            }
        };
        for (stated, is) in whole.iter().zip(digests) {
            self.enter(format!("{} of the stream {}", stated.algorithm(), stream.name), stated, Ok(is))?;
        }
        for (((algorithm, stated), sum), wrong) in lists.iter().zip(sums).zip(wrong) {
            self.found.push(Check { what: format!("{algorithm} of {chunks} chunks"), wrong });
            let what = format!("{} of the list of these", stated.algorithm());
            self.enter(what, stated, Ok(sum))?;
        }
        Ok(())
    }

    /// Reads a stream once: its digests, those of the lists of its chunks' digests, how many chunks
    /// there are, and for each list the first chunk that differs.
    #[allow(clippy::type_complexity)]
    fn chunks(
        &mut self,
        stream: &Stream,
        whole: &[Digest],
        lists: &[(Algorithm, Digest)],
    ) -> Result<(Vec<Digest>, Vec<Digest>, u64, Vec<Option<Failure>>), Stop> {
        let mut hashers: Vec<Hasher> = whole.iter().map(|digest| digest.algorithm().hasher()).collect();
        let mut sums: Vec<Hasher> = lists.iter().map(|(_, stated)| stated.algorithm().hasher()).collect();
        let mut wrong: Vec<Option<Failure>> = lists.iter().map(|_| None).collect();
        let (mut at, mut number, mut room) = (0, 0, Vec::new());
        while at < stream.size() {
            if !(self.go_on)() {
                return Err(Stop::Ended);
            }
            room.resize((stream.size() - at).min(stream.chunk) as usize, 0);
            stream.read(at, &mut room)?;
            hashers.iter_mut().for_each(|hasher| hasher.update(&room));
            for (place, (algorithm, _)) in lists.iter().enumerate() {
                let is = algorithm.digest(&room);
                sums[place].update(is.bytes());
                let ending = format!(".blockHash.{}", algorithm.name());
                let list = stream.segment(number / stream.each, &ending)?;
                let mut stated = vec![0; algorithm.length()];
                stream.volume.zip.read_at(&list, number % stream.each * stated.len() as u64, &mut stated)?;
                if stated != is.bytes() && wrong[place].is_none() {
                    wrong[place] = Some(Failure::malformed(format!("chunk {number}, from byte {at} on, differs")));
                }
            }
            at += room.len() as u64;
            number += 1;
        }
        let end = |hashers: Vec<Hasher>| hashers.into_iter().map(Hasher::finalize).collect();
        Ok((end(hashers), end(sums), number, wrong))
    }
}
