//! mrsh-v2's fast generator against the plain one, in both builds and with other parameters.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::mrsh_v2::{Ends, MrshV2};
use pfh_similarity::{Hasher, Method, naive};

fuzz_target!(|data: (u8, u8, u16, &[u8])| {
    let (repeats, piece, block, seed) = data;
    let bytes = seed.repeat(1 + usize::from(repeats));
    let block = 8 + u32::from(block) % 400;
    let Some(other) = MrshV2::with_parameters(block, 100, 8, Ends::Kept) else { return };
    for (method, b, max, network) in
        [(MrshV2::PLAIN, 160, 160, false), (MrshV2::NETWORK, 160, 160, true), (other, block, 100, false)]
    {
        let expected = naive::mrsh_v2::print(&naive::mrsh_v2::digest(&bytes, b, max, network), "");
        assert_eq!(method.digest(&bytes).map(|digest| digest.to_string()), Ok(expected.clone()));
        let mut hasher = method.hasher();
        bytes.chunks(1 + usize::from(piece) * 7).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.finalize().map(|digest| digest.to_string()), Ok(expected));
    }
});
