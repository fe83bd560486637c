//! Lines of any shape: names first, digests first, tagged, marked, in a clear signature. The first
//! byte chooses the choices of the reader.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_manifest::{Decoder, Format, Item, Options};

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let columns = ["name", "size", "digest"].map(str::to_owned).to_vec();
    let options = Options {
        format: (choice & 1 == 1).then_some(Format::Sums),
        any: choice & 2 == 2,
        bare: choice & 4 == 4,
        columns: if choice & 8 == 8 { columns } else { Vec::new() },
        limit: 4096,
        ..Options::default()
    };
    for item in Decoder::open(bytes, &options).expect("memory") {
        if let Item::Entry(entry) = item.expect("memory").item {
            assert!(!entry.name.contains(&0) && (options.bare || !entry.name.is_empty()));
        }
    }
});
