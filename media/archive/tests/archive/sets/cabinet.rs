//! A writer of sets of cabinets, by Microsoft's [MS-CAB].

use pfh_inject::random;

/// A file: its name and its bytes.
pub type File = (&'static str, Vec<u8>);

/// Files with contents that do not repeat, and some that do.
pub fn files() -> Vec<File> {
    let rows: String = (0..30_000).map(|number| format!("{number}\n")).collect();
    vec![
        ("first", random(1, 20_000)),
        (r"d\long", random(2, 130_000)),
        ("none", Vec::new()),
        ("rows", rows.into_bytes()),
        ("small", b"small".to_vec()),
        ("last", random(3, 50_000)),
    ]
}

/// The checksum of a block.
fn sum(bytes: &[u8]) -> [u8; 4] {
    let mut sum = [0; 4];
    let whole = bytes.len() / 4 * 4;
    (0..whole).for_each(|at| sum[at % 4] ^= bytes[at]);
    bytes[whole..].iter().rev().enumerate().for_each(|(at, byte)| sum[at] ^= byte);
    sum
}

/// Packs a block behind the one before.
pub type Pack = fn(&[u8], &[u8]) -> Vec<u8>;

/// The blocks of a folder, each with the number of its bytes before packing.
fn blocks(all: &[u8], pack: Option<Pack>) -> Vec<(Vec<u8>, u16)> {
    let chunks: Vec<&[u8]> = all.chunks(32768).collect();
    let before = std::iter::once(&[][..]).chain(chunks.iter().copied());
    let packed = chunks.iter().zip(before).map(|(block, before)| {
        let packed = pack.map_or_else(|| block.to_vec(), |pack| pack(before, block));
        (packed, block.len() as u16)
    });
    packed.collect()
}

/// A set of cabinets `1.cab`, `2.cab` … with one folder in all, each with this many bytes of blocks
/// at most: blocks that do not fit are divided.
pub fn set(files: &[File], room: usize, pack: Option<Pack>) -> Vec<Vec<u8>> {
    let all: Vec<u8> = files.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    // The pieces of each cabinet, and the cabinets that each block is in.
    let (mut pieces, mut places) = (vec![Vec::new()], Vec::new());
    let mut left = room;
    for (packed, length) in blocks(&all, pack) {
        let begins = pieces.len() - 1;
        let mut rest = &packed[..];
        while rest.len() + 8 > left {
            let (front, behind) = rest.split_at(left.saturating_sub(8));
            if !front.is_empty() {
                pieces.last_mut().unwrap().push((front.to_vec(), 0));
            }
            pieces.push(Vec::new());
            (rest, left) = (behind, room);
        }
        pieces.last_mut().unwrap().push((rest.to_vec(), length));
        left -= rest.len() + 8;
        let begins =
            if pieces[begins].last().is_some_and(|(_, of)| *of == 0) { begins } else { begins.max(pieces.len() - 1) };
        places.push((begins, pieces.len() - 1));
    }
    let mut at = 0;
    let mut lists: Vec<Vec<u8>> = vec![Vec::new(); pieces.len()];
    let mut counts = vec![0_u16; pieces.len()];
    for (name, bytes) in files {
        let end = (at + bytes.len()).max(at + 1);
        let block = |at: usize| places[(at / 32768).min(places.len() - 1)];
        let (from, to) = (block(at).0, block(end - 1).1);
        for cabinet in from..=to {
            let folder: u16 = match (cabinet > from, cabinet < to) {
                (false, false) => 0,
                (false, true) => 0xfffe,
                (true, false) => 0xfffd,
                (true, true) => 0xffff,
            };
            let list = &mut lists[cabinet];
            list.extend([(bytes.len() as u32).to_le_bytes(), (at as u32).to_le_bytes()].concat());
            list.extend([&folder.to_le_bytes()[..], &[0x21, 0x50, 0, 0, 0x20, 0], name.as_bytes(), &[0]].concat());
            counts[cabinet] += 1;
        }
        at += bytes.len();
    }
    let one = |(number, blocks): (usize, &Vec<(Vec<u8>, u16)>)| {
        let (has_previous, has_next) = (number > 0, number + 1 < pieces.len());
        let named = |number: usize, is: bool| if is { format!("{number}.cab\0disk\0") } else { String::new() };
        let around = [named(number, has_previous), named(number + 2, has_next)].concat();
        let list = &lists[number];
        let files = 36 + around.len() + 8;
        let start = files + list.len();
        let data: Vec<u8> = blocks
            .iter()
            .flat_map(|(block, length)| {
                let head = [(block.len() as u16).to_le_bytes(), length.to_le_bytes()].concat();
                let (one, other) = (sum(block), sum(&head));
                [(0..4).map(|at| one[at] ^ other[at]).collect(), head, block.clone()].concat()
            })
            .collect();
        let mut all = [b"MSCF\0\0\0\0".as_slice(), &((start + data.len()) as u32).to_le_bytes(), &[0; 4]].concat();
        all.extend([(files as u32).to_le_bytes(), [0; 4], [3, 1, 1, 0]].concat());
        let flags = u16::from(has_previous) + 2 * u16::from(has_next);
        all.extend([counts[number], flags, 77, number as u16].map(u16::to_le_bytes).concat());
        all.extend(around.as_bytes());
        all.extend((start as u32).to_le_bytes());
        all.extend([blocks.len() as u16, u16::from(pack.is_some())].map(u16::to_le_bytes).concat());
        [all, list.clone(), data].concat()
    };
    pieces.iter().enumerate().map(one).collect()
}
