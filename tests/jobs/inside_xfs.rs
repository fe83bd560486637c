//! XFS in an image, on a partition and in an archive: listed, hashed and read.

use crate::cat::{bytes, request};
use crate::inside::{found, input, listed, rows};
use crate::room::Room;
use pfh_inject::{Need, digest_by, lacks, random};

#[test]
fn files_of_xfs_are_listed_hashed_and_read() {
    if lacks(&[Need::Program("mkfs.xfs"), Need::Program("sfdisk")]) {
        return;
    }
    let room = Room::new();
    let (one, two) = (random(1, 5000), random(2, 300_001));
    room.file("one", &one);
    room.file("two", &two);
    let at = |name: &str| room.at(name).display().to_string();
    let list = format!(
        "/boot\n0 0\nd--755 0 0\none ---644 0 0 {}\nsub d--755 0 0\ntwo ---644 0 0 {}\n$\n$\n",
        at("one"),
        at("two")
    );
    room.file("list", list.as_bytes());
    // Without these it makes no volume of less than 300 MB.
    room.sh("QA_CHECK_FS=1 TEST_DEV=1 TEST_DIR=1 mkfs.xfs -q -d file,name=xfs,size=16m -p list");
    room.sh("truncate -s 18M disk && printf '2048,32768,83\\n' | sfdisk -q disk");
    room.sh("dd if=xfs of=disk bs=1M seek=1 conv=notrunc status=none && gzip -k xfs");
    for (image, before) in [("xfs", ""), ("disk", "p1/"), ("xfs.gz", "xfs!/")] {
        let found = found(&room, image);
        for (name, content) in [("one", &one), ("sub/two", &two)] {
            assert_eq!(found.get(&format!("{before}{name}")), Some(&digest_by("sha256sum", content)), "{found:?}");
        }
    }
    let (names, _) = listed(&room, &pfh::list::Request::new(input(&room, &["xfs"], |_| {})));
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"xfs!/one") && names.contains(&"xfs!/sub/two"), "{names:?}");
    assert!(bytes(&request(&room, "xfs!/sub/two")) == two);
    // A volume that is cut off is a problem, and no answer.
    room.sh("head -c 40000 xfs >cut");
    assert!(rows(&room, &["cut"]).1.failed > 0);
}
