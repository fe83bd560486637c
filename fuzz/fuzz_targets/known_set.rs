//! A known-set file with changed bytes: an error or the truth, never another answer.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use pfh_digest::{Algorithm, Digest};
use pfh_known::{Build, Class, DEFAULT_RESIDENT, Input, KnownSet};

fn place(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pfh-fuzz-{}-{name}", std::process::id()))
}

fn digest(n: u32) -> Digest {
    let sha1: Algorithm = "sha1".parse().expect("sha1");
    sha1.digest(&n.to_le_bytes())
}

/// A file of 200 digests in two sets.
fn whole() -> &'static [u8] {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let list = |name: &str, from: u32| {
            let path = place(name);
            let text: String = (from..from + 120).map(|n| format!("{}\n", digest(n))).collect();
            std::fs::write(&path, text).expect("written");
            path
        };
        let inputs = vec![Input::new(list("a", 0), Class::Good), Input::new(list("b", 80), Class::Bad)];
        let build = Build {
            inputs,
            output: place("known"),
            work: None,
            memory: 0,
            fault: &mut |_, line, fault| panic!("{line}: {fault}"),
            progress: &mut |_| {},
            cancel: Default::default(),
        };
        build.run().expect("built");
        std::fs::read(place("known")).expect("read")
    })
}

fuzz_target!(|changes: &[u8]| {
    let mut bytes = whole().to_vec();
    for change in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
        bytes[at] ^= change[2];
    }
    let changed = bytes != whole();
    std::fs::write(place("changed"), &bytes).expect("written");
    let Ok(known) = KnownSet::open(&place("changed"), DEFAULT_RESIDENT) else {
        assert!(changed);
        return;
    };
    for n in 0..250 {
        let Ok(hits) = known.find(&digest(n)) else { continue };
        let sets: Vec<usize> = hits.iter().map(|hit| hit.set).collect();
        let truth: &[usize] = match n {
            0..80 => &[0],
            80..120 => &[0, 1],
            120..200 => &[1],
            _ => &[],
        };
        assert_eq!(sets, truth, "{n}");
    }
});
