//! Every mode as its document says, slowly and plainly, over a Keccak that shares nothing with the
//! kernels: the oracle.

/// Keccak-p[1600] (FIPS 202, section 3.4), the last `rounds` of 24 rounds.
pub fn keccak_p(mut a: [u64; 25], rounds: usize) -> [u64; 25] {
    let mut register = 1u32;
    for round in 0..24 {
        let mut constant = 0u64;
        for j in 0..7 {
            if register & 1 == 1 {
                constant |= 1 << ((1 << j) - 1);
            }
            register <<= 1;
            if register & 0x100 != 0 {
                register ^= 0x171;
            }
        }
        if round < 24 - rounds {
            continue;
        }
        let c: [u64; 5] = std::array::from_fn(|x| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
        for i in 0..25 {
            a[i] ^= c[(i + 4) % 5] ^ c[(i + 1) % 5].rotate_left(1);
        }
        let mut b = [0; 25];
        b[0] = a[0];
        let (mut x, mut y) = (1, 0);
        for t in 0..24 {
            b[y + 5 * ((2 * x + 3 * y) % 5)] = a[x + 5 * y].rotate_left((t + 1) * (t + 2) / 2 % 64);
            (x, y) = (y, (2 * x + 3 * y) % 5);
        }
        a = std::array::from_fn(|i| b[i] ^ (!b[i - i % 5 + (i + 1) % 5] & b[i - i % 5 + (i + 2) % 5]));
        a[0] ^= constant;
    }
    a
}

fn sponge(rounds: usize, rate: usize, message: &[u8], domain: u8, length: usize) -> Vec<u8> {
    let mut input = message.to_vec();
    input.push(domain);
    input.resize(input.len().next_multiple_of(rate), 0);
    *input.last_mut().unwrap() |= 0x80;
    let mut state = [0u64; 25];
    for block in input.chunks(rate) {
        for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
            *word ^= u64::from_le_bytes(bytes.try_into().unwrap());
        }
        state = keccak_p(state, rounds);
    }
    let mut output = Vec::new();
    while output.len() < length {
        output.extend(state.iter().flat_map(|word| word.to_le_bytes()).take(rate));
        state = keccak_p(state, rounds);
    }
    output.truncate(length);
    output
}

fn digits(value: usize, least: usize) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    bytes[bytes.len() - least.max((usize::BITS - value.leading_zeros()).div_ceil(8) as usize)..].to_vec()
}

fn right_encode(value: usize) -> Vec<u8> {
    let mut code = digits(value, 1);
    code.push(code.len() as u8);
    code
}

fn left_encode(value: usize) -> Vec<u8> {
    let mut code = digits(value, 1);
    code.insert(0, code.len() as u8);
    code
}

fn length_encode(value: usize) -> Vec<u8> {
    let mut code = digits(value, 0);
    code.push(code.len() as u8);
    code
}

/// The digest of `message` under the mode with this name, parameters stated in it included; `leaf`
/// counts unless the name states a block.
pub fn digest(name: &str, message: &[u8], customization: &[u8], leaf: usize, length: usize) -> Vec<u8> {
    let (name, parameters) = name.split_once(',').unwrap_or((name, ""));
    let stated = |key: &str| {
        let value = parameters.split(',').find_map(|stated| stated.strip_prefix(key)?.strip_prefix('='));
        value.map(|value| value.parse::<usize>().unwrap())
    };
    let capacity = stated("capacity").unwrap_or(if name.ends_with("128") { 256 } else { 512 });
    let (rate, value) = (200 - capacity / 8, capacity / 8);
    let leaf = stated("block").unwrap_or(leaf);
    match name.trim_end_matches(['1', '2', '8', '5', '6']) {
        "kt" => {
            let s = [message, customization, &length_encode(customization.len())].concat();
            if s.len() <= 8192 {
                return sponge(12, rate, &s, 0x07, length);
            }
            let mut node = s[..8192].to_vec();
            node.extend([3, 0, 0, 0, 0, 0, 0, 0]);
            for leaf in s[8192..].chunks(8192) {
                node.extend(sponge(12, rate, leaf, 0x0b, value));
            }
            node.extend(length_encode(s[8192..].chunks(8192).len()));
            node.extend([0xff, 0xff]);
            sponge(12, rate, &node, 0x06, length)
        }
        mode @ ("parallelhash" | "parallelhashxof") => {
            let mut node = left_encode(rate);
            for string in [b"ParallelHash", customization] {
                node.extend(left_encode(8 * string.len()));
                node.extend(string);
            }
            node.resize(node.len().next_multiple_of(rate), 0);
            node.extend(left_encode(leaf));
            for leaf in message.chunks(leaf) {
                node.extend(sponge(24, rate, leaf, 0x1f, value));
            }
            node.extend(right_encode(message.len().div_ceil(leaf)));
            node.extend(right_encode(if mode.ends_with("xof") { 0 } else { 8 * length }));
            sponge(24, rate, &node, 0x04, length)
        }
        "sakura-fng-" => {
            if message.len() <= leaf {
                return sponge(24, rate, message, 0x1f, length);
            }
            let mut node: Vec<u8> = message.chunks(leaf).flat_map(|leaf| sponge(24, rate, leaf, 0x3b, value)).collect();
            node.extend(length_encode(message.len().div_ceil(leaf)));
            node.extend([0xff, 0xff]);
            sponge(24, rate, &node, 0x1e, length)
        }
        "sakura-li-" => {
            let (count, block) = (stated("leaves").unwrap_or(16), stated("block").unwrap_or(64 * rate));
            let mut leaves = vec![Vec::new(); count];
            for (index, block) in message.chunks(block).enumerate() {
                leaves[index % count].extend(block);
            }
            let mut node: Vec<u8> = leaves.iter().flat_map(|leaf| sponge(24, rate, leaf, 0x3b, value)).collect();
            node.extend(length_encode(count));
            let (mut mantissa, mut exponent) = (8 * block, 0);
            while mantissa % 2 == 0 {
                (mantissa, exponent) = (mantissa / 2, exponent + 1);
            }
            node.extend([u8::try_from(mantissa).unwrap(), exponent]);
            sponge(24, rate, &node, 0x1e, length)
        }
        _ => panic!("no mode of name {name}"),
    }
}

/// KMAC256 of SP 800-185, section 4, without a customization string.
pub fn kmac256(key: &[u8], message: &[u8], length: usize) -> Vec<u8> {
    let padded = |mut bytes: Vec<u8>| {
        bytes.splice(0..0, left_encode(136));
        bytes.resize(bytes.len().next_multiple_of(136), 0);
        bytes
    };
    let string = |bytes: &[u8]| [left_encode(8 * bytes.len()), bytes.to_vec()].concat();
    let input = [padded([string(b"KMAC"), string(b"")].concat()), padded(string(key)), message.to_vec()];
    sponge(24, 136, &[input.concat(), right_encode(8 * length)].concat(), 0x04, length)
}
