//! The streams of a PDF document (ISO 32000-1 and 32000-2) as members: pictures, contents of pages,
//! fonts, files that are embedded. Each is decoded by its filters, so that a document whose streams
//! were packed again has the same members.
//!
//! The newest state counts: an object that an update replaced is not a member.

mod ascii;
mod cursor;
mod document;
mod filter;
mod lzw;
mod object;
mod place;
mod placed;
mod predictor;
mod role;
mod stream;
mod table;

use super::limits::Limits;
use super::member::failure;
use cursor::Cursor;
use document::Document;
use object::Object;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Failure, Nodes};
use placed::{PlacedObject, fault, placed};
use role::{Role, Roles};
use std::io;
use std::sync::Arc;
use stream::Stream;
use table::{Table, scan};

/// Bytes in which the header stands.
const HEADER: usize = 1024;
/// Objects that are named as unreadable, of one document.
const FAILURES: usize = 100;

/// Where the header of a document begins in the first bytes of a file: at the start of a line.
pub fn header(start: &[u8]) -> Option<u64> {
    let start = &start[..start.len().min(HEADER)];
    let is_header = |at: usize| {
        let is_version = matches!(&start[at + 5..], [b'0'..=b'9', b'.', b'0'..=b'9', ..]);
        is_version && (at == 0 || object::is_space(start[at - 1]) || start[..at] == *b"\xEF\xBB\xBF")
    };
    let mut found = start.windows(5).enumerate().filter(|(_, word)| *word == b"%PDF-").map(|(at, _)| at);
    found.find(|at| is_header(*at)).map(|at| at as u64)
}

/// Whether a file is a document: its header comes first, or its end is that of one as well.
pub fn is_document(start: &[u8], bytes: &dyn Bytes) -> bool {
    let ends = || {
        let mut end = vec![0; bytes.size().min(HEADER as u64) as usize];
        let read = bytes.read_exact_at(bytes.size() - end.len() as u64, &mut end);
        read.is_ok() && end.windows(9).any(|word| word == b"startxref")
    };
    header(start).is_some_and(|at| at == 0 || ends())
}

/// The streams, sorted by the numbers of their objects.
///
/// # Errors
/// When the document is encrypted, or no object is found.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Result<Nodes, Failure> {
    let mut start = vec![0; bytes.size().min(HEADER as u64) as usize];
    bytes.read_exact_at(0, &mut start).map_err(|error| fault(0, error))?;
    let mut document = Document::new(bytes, limits, header(&start).unwrap_or(0));
    let mut listing = Err(failure(b"", ""));
    match Table::read(&document) {
        Ok(table) => {
            document.fill(table.entries);
            encrypted(&document, table.encryption)?;
            listing = Listing::of(&document);
        }
        Err(why) => listing = listing.map_err(|_| why),
    }
    let listing = match listing {
        Ok(listing) => listing,
        Err(why) => {
            let table = scan(&document).map_err(|error| fault(0, error))?;
            let count = table.entries.len();
            document.fill(table.entries);
            encrypted(&document, table.encryption)?;
            if count == 0 {
                let cause = format!("its table of objects does not hold, and no object is found ({})", why.cause);
                return Err(Failure { cause, ..why });
            }
            let mut listing = Listing::of(&document)?;
            let cause =
                format!("its table of objects does not hold ({}): {count} were found by their words", why.cause);
            listing.failures.insert(0, Failure { cause, ..why });
            listing
        }
    };
    Ok(listing.nodes(Arc::new(document)))
}

/// Refuses a document that is encrypted.
fn encrypted(document: &Document, encryption: Option<Object>) -> Result<(), Failure> {
    let Some(encryption) = encryption else { return Ok(()) };
    let method = match document.resolve(&encryption) {
        Ok(Object::Dictionary(found)) => match found.integer("V") {
            Some(1 | 2) => "RC4",
            Some(4) => match found.get("CF") {
                Some(Object::Dictionary(filters)) if filters.0.iter().any(|(_, it)| is_aes(it)) => "AES-128",
                _ => "RC4",
            },
            Some(5) => "AES-256",
            _ => "a method of its own",
        },
        _ => "a method that is not stated",
    };
    Err(failure(b"", format!("is encrypted ({method}): not read")))
}

fn is_aes(filter: &Object) -> bool {
    matches!(filter, Object::Dictionary(filter) if filter.name("CFM") == Some(b"AESV2"))
}

/// A stream that is a member.
struct MemberStream {
    number: u32,
    offset: u64,
    role: Role,
}

/// The findings of a pass over all objects.
#[derive(Default)]
struct Listing {
    found: Vec<MemberStream>,
    roles: Roles,
    failures: Vec<Failure>,
}

impl Listing {
    /// Reads all objects in the order of their places.
    ///
    /// # Errors
    /// When an object is not where the table says.
    fn of(document: &Document) -> Result<Listing, Failure> {
        let mut listing = Listing::default();
        let mut cursor = Cursor::new(document.bytes.clone());
        let mut places: Vec<(u64, u32)> =
            document.entries.iter().filter_map(|entry| Some((entry.place.offset()?, entry.number))).collect();
        places.sort_unstable();
        for (offset, number) in places {
            cursor.seek(offset);
            let failed = match placed(&mut cursor) {
                Ok(Some(placed)) if placed.number == number => {
                    listing.take(document, placed, offset);
                    continue;
                }
                Ok(_) => return Err(fault(offset, wrong(format!("the object {number} is not there")))),
                Err(error) => fault(offset, error),
            };
            listing.fail(number, failed);
        }
        listing.roles.end();
        listing.found.sort_by_key(|found| found.number);
        if listing.found.len() as u64 > document.limits.entries {
            listing.found.truncate(document.limits.entries as usize);
            let cause = format!("the PDF has more than {} streams", document.limits.entries);
            listing.failures.push(failure(b"", cause));
        }
        Ok(listing)
    }

    fn fail(&mut self, number: u32, failed: Failure) {
        // A document that is damaged all over is named by its first faults.
        if self.failures.len() < FAILURES {
            self.failures.push(Failure { cause: format!("the object {number}: {}", failed.cause), ..failed });
        }
    }

    fn take(&mut self, document: &Document, placed: PlacedObject, offset: u64) {
        let number = placed.number;
        self.roles.take(number, &placed.object);
        let (Object::Dictionary(dictionary), Some(_)) = (&placed.object, placed.stream) else { return };
        let role = Role::of(dictionary);
        if role != Role::Table {
            self.found.push(MemberStream { number, offset, role });
        }
        if role != Role::Objects {
            return;
        }
        match document.within(number) {
            Ok(within) => {
                for (index, (number, _)) in within.places.iter().enumerate() {
                    match within.object(index) {
                        Ok(object) => self.roles.take(*number, &object),
                        Err(error) => self.fail(*number, fault(offset, error)),
                    }
                }
            }
            Err(error) => self.fail(number, fault(offset, error)),
        }
    }

    /// The members.
    fn nodes(self, document: Arc<Document>) -> Nodes {
        let Listing { found, roles, failures } = self;
        let width = document.entries.last().map_or(1, |entry| entry.number.to_string().len());
        let members = found.into_iter().map(move |found| {
            let MemberStream { number, offset, role } = found;
            let role = if role == Role::Other { roles.get(number).unwrap_or(role) } else { role };
            let mut path = format!("obj-{number:0width$}{}", role.name()).into_bytes();
            if let Some(name) = roles.name(number).map(trimmed).filter(|name| !name.is_empty()) {
                path = [&path[..], b"/", name].concat();
            }
            Stream::node(document.clone(), number, offset, path)
        });
        Box::new(failures.into_iter().map(Err).chain(members))
    }
}

/// A name without slashes at its ends.
fn trimmed(name: &[u8]) -> &[u8] {
    let start = name.iter().take_while(|byte| **byte == b'/').count();
    let end = name.iter().rposition(|byte| *byte != b'/').map_or(start, |at| at + 1);
    &name[start..end.max(start)]
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
