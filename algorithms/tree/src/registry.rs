//! The tree hashes by name.

use pfh_digest::Output::Stated;
use pfh_digest::Standing::Secure;
use pfh_digest::{Kernels, Output, Row};
use pfh_kernel::{KECCAK12, KECCAK24};

use crate::interleaved::{InterleavedMessage, Interleaving};
use crate::parameters::{Blocks, Leaves};
use crate::{Growing, Mode};

/// 32 bytes unless stated: 128 bits of security need no more.
const SHORT: Output = Stated { default: 32, maximum: 1 << 16 };
/// 64 bytes unless stated, for 256 bits of security.
const LONG: Output = Stated { default: 64, maximum: 1 << 16 };

/// The kernels of TurboSHAKE's permutation.
fn turbo() -> Kernels {
    Kernels::of(&KECCAK12)
}

/// The kernels of Keccak-f.
fn keccak() -> Kernels {
    Kernels::of(&KECCAK24)
}

/// The tree hashes, without customization, for a `pfh_digest::Registry`.
#[rustfmt::skip]
pub static ROWS: [Row; 10] = [
    Row::new("kt128", &["kangarootwelve", "k12"], SHORT, Secure, 168, || Box::new(Growing::new(Mode::KT128, b""))).with_kernels(turbo).with_fact(&Blocks { mode: Mode::KT128, capacity: None }),
    Row::new("kt256", &[], LONG, Secure, 136, || Box::new(Growing::new(Mode::KT256, b""))).with_kernels(turbo).with_fact(&Blocks { mode: Mode::KT256, capacity: None }),
    Row::new("parallelhash128", &[], SHORT, Secure, 168, || Box::new(Growing::new(Mode::PARALLELHASH128, b""))).with_kernels(keccak).with_parameters(&Blocks { mode: Mode::PARALLELHASH128, capacity: None }).with_fact(&Blocks { mode: Mode::PARALLELHASH128, capacity: None }),
    Row::new("parallelhash256", &[], LONG, Secure, 136, || Box::new(Growing::new(Mode::PARALLELHASH256, b""))).with_kernels(keccak).with_parameters(&Blocks { mode: Mode::PARALLELHASH256, capacity: None }).with_fact(&Blocks { mode: Mode::PARALLELHASH256, capacity: None }),
    Row::new("parallelhashxof128", &[], SHORT, Secure, 168, || Box::new(Growing::new(Mode::PARALLELHASHXOF128, b""))).with_kernels(keccak).with_parameters(&Blocks { mode: Mode::PARALLELHASHXOF128, capacity: None }).with_fact(&Blocks { mode: Mode::PARALLELHASHXOF128, capacity: None }),
    Row::new("parallelhashxof256", &[], LONG, Secure, 136, || Box::new(Growing::new(Mode::PARALLELHASHXOF256, b""))).with_kernels(keccak).with_parameters(&Blocks { mode: Mode::PARALLELHASHXOF256, capacity: None }).with_fact(&Blocks { mode: Mode::PARALLELHASHXOF256, capacity: None }),
    Row::new("sakura-fng-128", &[], SHORT, Secure, 168, || Box::new(Growing::new(Mode::SAKURA_FNG_128, b""))).with_kernels(keccak).with_parameters(&Blocks { mode: Mode::SAKURA_FNG_128, capacity: Some(256) }).with_fact(&Blocks { mode: Mode::SAKURA_FNG_128, capacity: Some(256) }),
    Row::new("sakura-fng-256", &[], LONG, Secure, 136, || Box::new(Growing::new(Mode::SAKURA_FNG_256, b""))).with_kernels(keccak).with_parameters(&Blocks { mode: Mode::SAKURA_FNG_256, capacity: Some(512) }).with_fact(&Blocks { mode: Mode::SAKURA_FNG_256, capacity: Some(512) }),
    Row::new("sakura-li-128", &[], SHORT, Secure, 168, || Box::new(InterleavedMessage::new(Interleaving::new(256)))).with_kernels(keccak).with_parameters(&Leaves { capacity: 256 }).with_fact(&Leaves { capacity: 256 }),
    Row::new("sakura-li-256", &[], LONG, Secure, 136, || Box::new(InterleavedMessage::new(Interleaving::new(512)))).with_kernels(keccak).with_parameters(&Leaves { capacity: 512 }).with_fact(&Leaves { capacity: 512 }),
];
