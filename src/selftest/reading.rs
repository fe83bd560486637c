//! Questions on reads: sizes, short reads, offsets, reads past the cache, io-uring.

use super::ask::{Answer, Question};
use super::vectors::random;
use pfh_engine::Control;
use pfh_source::os::handles::AsFd;
use pfh_source::os::{self, Ring};
use std::fs::{self, File};
use std::io;
use std::path::Path;

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        name: "sizes",
        try_it: sizes,
        but: Some((
            "files here get no digest, or one of other bytes than their size promises",
            "copy the files to another file system before they are hashed",
        )),
    },
    Question {
        name: "reads are whole",
        try_it: whole,
        but: Some((
            "programs that take a short read for the end of a file lose data without a word; pfh reads on",
            "mount it with a page cache (FUSE: without direct_io), or trust pfh alone here",
        )),
    },
    Question {
        name: "reads at offsets",
        try_it: offsets,
        but: Some(("digests here may be of other bytes than the files hold", "do not hash files here")),
    },
    Question {
        name: "reads past the cache",
        try_it: direct,
        but: Some((
            "reads with O_DIRECT give other bytes than the page cache: pfh acquire and second reads use them",
            "read images from another file system",
        )),
    },
    Question {
        name: "io-uring at offsets",
        try_it: ring,
        but: Some(("digests of many small files may be wrong here", "give --io plain to pfh hash here")),
    },
    Question {
        name: "io-uring at the file position",
        try_it: ring_on,
        but: Some((
            "programs that read so get bytes twice; pfh reads at offsets",
            "do not read here with other programs of io-uring; mount without direct I/O",
        )),
    },
];

/// A megabyte.
const MIB: usize = 1 << 20;

fn sizes(room: &Path, control: &Control<'_>) -> io::Result<Answer> {
    let sizes = [0, 1, 511, 512, 4095, 4096, 4097, 65_537, MIB + 3];
    for (number, size) in sizes.into_iter().enumerate() {
        let (path, bytes) = (room.join(number.to_string()), random(number as u64, size));
        fs::write(&path, &bytes)?;
        // The bytes that others see, and not those of this process's cache.
        let file = File::open(&path)?;
        let _ = os::sync(&file);
        let _ = os::evict_range(&file, 0, 0);
        let stated = fs::metadata(&path)?.len();
        let read = fs::read(&path)?;
        if stated != size as u64 || read != bytes {
            let same = if read == bytes { "as" } else { "not as" };
            let found = read.len();
            return Ok(Answer::Not(format!(
                "{size} bytes were written, {stated} are stated, and {found} came, {same} they were written"
            )));
        }
        if control.is_cancelled() {
            break;
        }
    }
    Ok(Answer::Holds("files of 0 bytes to 1 MiB, written, synced and read".into()))
}

fn whole(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let bytes = random(7, 4 * MIB);
    let path = room.join("whole");
    fs::write(&path, &bytes)?;
    let (file, mut buffer) = (File::open(&path)?, vec![0; MIB]);
    for at in (0..bytes.len()).step_by(MIB) {
        let got = os::read_at(file.as_fd(), &mut buffer, at as u64)?;
        if got < MIB {
            return Ok(Answer::Not(format!("a read of {MIB} bytes at offset {at} gave {got}")));
        }
    }
    Ok(Answer::Holds(format!("reads of {MIB} bytes give as many")))
}

fn offsets(room: &Path, control: &Control<'_>) -> io::Result<Answer> {
    let bytes = random(8, 3 * MIB + 77);
    let path = room.join("offsets");
    fs::write(&path, &bytes)?;
    let (file, mut buffer) = (File::open(&path)?, vec![0; 70_000]);
    let places = random(9, 8 * 300);
    for place in places.chunks_exact(8) {
        let number = |at: usize| u32::from_le_bytes([place[at], place[at + 1], place[at + 2], place[at + 3]]) as usize;
        let (at, length) = (number(0) % (bytes.len() + 5000), 1 + number(4) % buffer.len());
        let got = os::read_at(file.as_fd(), &mut buffer[..length], at as u64)?;
        let expected = &bytes[at.min(bytes.len())..(at + got).min(bytes.len())];
        if buffer[..got] != *expected || (got == 0 && at < bytes.len()) {
            return Ok(Answer::Not(format!("a read of {length} bytes at offset {at} gave others")));
        }
        if control.is_cancelled() {
            break;
        }
    }
    Ok(Answer::Holds("300 reads at any offset".into()))
}

fn direct(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let mut bytes = random(10, 2 * MIB);
    let path = room.join("direct");
    fs::write(&path, &bytes)?;
    let file = File::open(&path)?;
    let align = os::direct_alignment(&file).map(|align| align as usize).filter(|align| MIB.is_multiple_of(*align));
    let Some(align) = align.filter(|_| os::set_direct(file.as_fd(), true).is_ok()) else {
        return Ok(Answer::Absent("there are no reads with O_DIRECT".into()));
    };
    let mut buffer = vec![0; MIB + align];
    let start = buffer.as_ptr().align_offset(align);
    // Written and not synced: O_DIRECT must see it all the same.
    for round in 0..2 {
        for at in [0, MIB] {
            let mut done = 0;
            while done < MIB {
                let rest = &mut buffer[start + done..start + MIB];
                match os::read_at(file.as_fd(), rest, (at + done) as u64) {
                    Ok(0) => return Ok(Answer::Not(format!("the file ended at {} of {}", at + done, bytes.len()))),
                    Ok(got) => done += got,
                    Err(os::Errno::INVAL | os::Errno::OPNOTSUPP) if round == 0 => {
                        return Ok(Answer::Absent("reads with O_DIRECT are promised, and refused".into()));
                    }
                    Err(errno) => return Err(errno.into()),
                }
            }
            if buffer[start..start + MIB] != bytes[at..at + MIB] {
                return Ok(Answer::Not(format!("O_DIRECT gave other bytes between {at} and {}", at + MIB)));
            }
        }
        bytes[MIB - 100..MIB + 100].fill(round);
        fs::write(&path, &bytes)?;
    }
    Ok(Answer::Holds(format!("O_DIRECT, aligned to {align} bytes, gives the bytes of the cache")))
}

/// Small files with their bytes, and a large one.
fn several(room: &Path) -> io::Result<Vec<(File, Vec<u8>)>> {
    let sizes = [7, 8, 9, 100, 4095, 4096, 4097, 20_000, 300_000];
    let made = sizes.into_iter().enumerate().map(|(number, size)| {
        let (path, bytes) = (room.join(number.to_string()), random(20 + number as u64, size));
        fs::write(&path, &bytes)?;
        Ok((File::open(&path)?, bytes))
    });
    made.collect()
}

/// The answer where a read in a ring gives nothing that can be judged.
const NO_RING: &str = "there is no io-uring here, or it is forbidden: pfh reads without it";

/// Reads files of a ring from their start to their end, each at the offset that this gives it.
fn by_ring(room: &Path, offset: fn(usize) -> u64) -> io::Result<Answer> {
    let Some(mut ring) = Ring::new() else { return Ok(Answer::Absent(NO_RING.into())) };
    let files = several(room)?;
    for (file, bytes) in &files {
        let (mut found, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
        loop {
            let mut jobs = [(file.as_fd(), offset(found.len()), &mut buffer[..])];
            match ring.read(&mut jobs).pop().flatten() {
                Some(Ok(0)) => break,
                Some(Ok(got)) => found.extend_from_slice(&buffer[..got]),
                Some(Err(errno)) => return Err(errno.into()),
                None => return Ok(Answer::Absent("io-uring reads nothing here: pfh reads without it".into())),
            }
            // Bytes that come again do not end.
            if found.len() > bytes.len() {
                break;
            }
        }
        if found != *bytes {
            let (size, found) = (bytes.len(), found.len());
            return Ok(Answer::Not(format!("of a file of {size} bytes {found} or more came, or others")));
        }
    }
    Ok(Answer::Holds("files of 7 to 300,000 bytes".into()))
}

fn ring(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    by_ring(room, |done| done as u64)
}

/// Offset -1 stands for the file position (io-uring_prep_read(3)).
fn ring_on(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    by_ring(room, |_| u64::MAX)
}
