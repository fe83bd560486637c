//! Files of one content, folders, and files that share chunks.

use pfh_digest::Digest;
use std::collections::HashSet;

/// One copy: an inode.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copy {
    /// Its names, as they were found. More than one are hard links: all of them must go before its
    /// storage is free.
    pub names: Vec<Vec<u8>>,
    /// Whether it shares its storage with a copy before it (a reflink): nothing would be won.
    pub shared: bool,
    /// Whether it stays: it is the copy that is kept, or below a directory that is left alone.
    pub stays: bool,
    /// Whether it is below a directory that is left alone.
    pub left_alone: bool,
    /// Names of it that the search did not meet: while they are there, its storage is not free.
    pub elsewhere: u64,
    /// A symbolic link that leads to it, if the search met one.
    pub linked: Option<Vec<u8>>,
    /// The device that holds it.
    pub device: u64,
    /// Mode and owner: a link to another file has that one's.
    pub(super) rights: Rights,
    /// Where its first byte lies on the device, if that is known.
    pub(super) place: Option<u64>,
}

/// Mode bits of a file, and whose it is where the system says so.
pub(super) type Rights = (u32, Option<(u32, u32)>);

/// Files of one content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The size of each, in bytes.
    pub size: u64,
    /// The digest that all of them have.
    pub digest: Digest,
    /// The copies: the one that is kept, others that stay, then the rest, each in the order in
    /// which they were found.
    pub copies: Vec<Copy>,
}

impl Group {
    /// Puts this copy first, which is kept then; those that are left alone stay as well.
    pub(super) fn arrange(&mut self, kept: usize) {
        let mut copies: Vec<(usize, Copy)> = std::mem::take(&mut self.copies).into_iter().enumerate().collect();
        for (at, copy) in &mut copies {
            copy.stays = *at == kept || copy.left_alone;
        }
        copies.sort_by_key(|(at, copy)| (*at != kept, !copy.stays, *at));
        let mut places = HashSet::new();
        self.copies = copies.into_iter().map(|(_, copy)| copy).collect();
        for copy in &mut self.copies {
            copy.shared = copy.place.is_some_and(|place| !places.insert((copy.device, place)));
        }
    }

    /// The same group with another copy kept, by its place among them. The one that was kept before
    /// goes, unless it is below a directory that is left alone.
    #[must_use]
    pub fn keeping(&self, at: usize) -> Group {
        let mut group = self.clone();
        group.arrange(at.min(self.copies.len().saturating_sub(1)));
        group
    }

    /// Copies that could go: those that do not stay.
    pub fn redundant(&self) -> u64 {
        self.copies.iter().filter(|copy| !copy.stays).count() as u64
    }

    /// Bytes that would be free without them. A copy that shares storage already, or has names
    /// elsewhere, frees none.
    pub fn reclaimable(&self) -> u64 {
        let frees = |copy: &&Copy| !copy.stays && !copy.shared && copy.elsewhere == 0;
        self.copies.iter().filter(frees).count() as u64 * self.size
    }

    /// Copies that would go and are on another device than the one that is kept: no link leads
    /// there.
    pub fn apart(&self) -> u64 {
        let kept = self.copies.first().map(|copy| copy.device);
        self.copies.iter().filter(|copy| !copy.stays && Some(copy.device) != kept).count() as u64
    }
}

/// Folders of one content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folders {
    /// The folders, by name.
    pub names: Vec<Vec<u8>>,
    /// Files in each of them, all the way down.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
}

/// Two files that hold some of the same chunks, and are not equal. Of a group of equal files the
/// one that is kept stands for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedPair<'a> {
    /// Their names, in the order in which they were found.
    pub names: [&'a [u8]; 2],
    /// Their sizes in bytes.
    pub sizes: [u64; 2],
    /// The chunks that both hold. One that a file holds several times counts as often as in the
    /// file with fewer of it.
    pub chunks: u64,
    /// Bytes of these chunks.
    pub bytes: u64,
}

impl SharedPair<'_> {
    /// How much of each file the other one holds, in percent.
    pub fn percent(&self) -> [f64; 2] {
        self.sizes.map(|size| if size == 0 { 0.0 } else { self.bytes as f64 * 100.0 / size as f64 })
    }
}
