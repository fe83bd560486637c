//! Sectors that cannot be read, as an image with bad sectors has them (E01 error2, a map).

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use pfh_inject::{Need, lacks};
use pfh_volume::{Bytes, Failure, Node, Options};

use crate::image::{Bench, open, run, text};
use crate::listing::{nodes, volume, volume_of};
use crate::tree;

/// A medium with an unreadable range.
struct Damaged {
    whole: Arc<dyn Bytes>,
    bad: Range<u64>,
}

impl Bytes for Damaged {
    fn size(&self) -> u64 {
        self.whole.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bad.contains(&offset) {
            return Err(io::Error::from_raw_os_error(5));
        }
        // Bytes before the bad range are returned; the next read reports the error.
        let before = self.bad.start.checked_sub(offset).map_or(usize::MAX, |before| before as usize);
        let room = buffer.len().min(before);
        self.whole.read_at(offset, &mut buffer[..room])
    }
}

fn damaged(image: &Path, bad: Range<u64>) -> Arc<dyn Bytes> {
    Arc::new(Damaged { whole: open(image), bad })
}

#[test]
fn a_file_across_a_bad_sector_is_a_failure_and_the_others_are_read() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    tree::plain(&root);
    let image = bench.blank("image", 40 << 20);
    run("mke2fs", &["-q", "-F", "-t", "ext4", "-d", text(&root), text(&image)]);
    let whole = nodes(&volume(&image), Options::default()).0;
    let of = |name: &[u8]| whole.iter().find(|node| node.path == name).unwrap();
    let place = of(b"large.dat").content.as_ref().unwrap().runs().unwrap()[0].medium_offset.unwrap() + 10_240;

    let medium = damaged(&image, place..place + 512);
    let (found, failures) = nodes(&volume_of(medium), Options::default());
    assert_eq!((failures, found.len()), (vec![], whole.len()));
    for node in &found {
        let Some(content) = &node.content else { continue };
        let mut bytes = Vec::new();
        let read = content.open().unwrap().read_to_end(&mut bytes);
        if node.path != b"large.dat" {
            assert_eq!(read.unwrap() as u64, node.size.unwrap());
            continue;
        }
        let error = read.unwrap_err();
        assert_eq!((error.kind(), bytes.len()), (io::ErrorKind::InvalidData, 10_240));
        let inner = error.into_inner().unwrap();
        let failed = inner.downcast_ref::<Failure>().unwrap();
        assert_eq!((&failed.path[..], failed.offset), (&b"large.dat"[..], Some(place)));
        assert!(failed.cause.contains("Input/output error"), "{failed:?}");
    }

    // A directory's block: its names are missing, and that is said with the place. The files are
    // still in use, and come without their names.
    let block = run("debugfs", &["-R", "blocks /Many/deep", text(&image)]).trim().parse::<u64>().unwrap();
    let size = u64::from(volume(&image).block_size);
    let medium = damaged(&image, block * size..block * size + 512);
    let (found, failures) = nodes(&volume_of(medium), Options::default());
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!((&failures[0].path[..], failures[0].offset), (&b"Many/deep"[..], Some(block * size)));
    let below = |nodes: &[Node], start: &[u8]| nodes.iter().filter(|node| node.path.starts_with(start)).count();
    let lost = below(&whole, b"Many/deep/");
    assert!(lost > 0 && below(&found, b"Many/deep/") == 0 && found.iter().any(|node| node.path == b"large.dat"));
    assert_eq!(below(&found, b"$OrphanFiles/"), lost);
}
