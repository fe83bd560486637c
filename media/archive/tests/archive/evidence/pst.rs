//! Outlook's stores: their content, and damage that is named.

use super::pst_store::{Layout, Store, Value, crc};
use super::{Outcomes, faults, files, zlib};

/// Words that pack well, and do not repeat at the length of a block.
fn words(length: usize) -> Vec<u8> {
    (0..).flat_map(|line| format!("line {line}\r\n").into_bytes()).take(length).collect()
}

/// Bytes that do not pack.
pub fn random(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(next).collect()
}

/// A store with nothing but its root.
fn rooted(layout: Layout) -> Store {
    let mut store = Store::new(layout);
    let root = store.properties(&[]);
    store.nodes.push((0x122, root, 0, 0x122));
    store
}

/// A message with attachments; the third is a message itself.
pub fn sample(layout: Layout) -> Vec<u8> {
    let mut store = rooted(layout);
    for (id, name, parent) in [(0x8022, "Top", 0x122), (0x8042, "In/box", 0x8022)] {
        let data = store.properties(&[(0x3001, Value::Text(name))]);
        store.nodes.push((id, data, 0, parent));
    }
    let large = store.data(&random(30_000));
    let below = store.below(&[(0x21, large, 0)]);
    let values = [(0x3701, Value::Node(0x102, 0x21)), (0x3705, Value::Number(1)), (0x3707, Value::Text("noise.bin"))];
    let first = (0x8025, store.properties(&values), below);
    let values = [(0x3701, Value::Bytes(b"small")), (0x3704, Value::Text("noise.bin")), (0x3705, Value::Number(1))];
    let second = (0x8045, store.properties(&values), 0);
    let inner = store.properties(&[(0x1000, Value::Text("inner ä"))]);
    let below = store.below(&[(0x44, inner, 0)]);
    let values = [(0x3001, Value::Text("Fwd: x")), (0x3701, Value::Object(0x44)), (0x3705, Value::Number(5))];
    let third = (0x8065, store.properties(&values), below);
    let values = [(0x3705, Value::Number(7)), (0x3707, Value::Text("link"))];
    let fourth = (0x8085, store.properties(&values), 0);
    let below = store.below(&[first, second, third, fourth]);
    let data = store.properties(&[(0x0037, Value::Text("a subject")), (0x1000, Value::Text("a body"))]);
    store.nodes.push((0x20_0004, data, below, 0x8042));
    store.finish()
}

/// A message with one attachment, whose data this block is.
fn attached(mut store: Store, data: u64) -> Vec<u8> {
    let below = store.below(&[(0x21, data, 0)]);
    let values = [(0x3701, Value::Node(0x102, 0x21)), (0x3705, Value::Number(1)), (0x3707, Value::Text("a.bin"))];
    let attachment = (0x8025, store.properties(&values), below);
    let below = store.below(&[attachment]);
    let data = store.properties(&[(0x0037, Value::Text("a subject"))]);
    store.nodes.push((0x20_0004, data, below, 0x122));
    store.finish()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn messages_and_attachments() {
    for layout in [Layout::Unicode, Layout::Large] {
        let found = super::outcomes(&[sample(layout)]);
        let names: Vec<&str> =
            found.keys().map(|name| name.strip_prefix("Top/In%2Fbox/message 2097156/").unwrap()).collect();
        let expected = [
            "Fwd: x/body.txt",
            "Fwd: x/properties",
            "body.txt",
            "link",
            "noise (attachment 2).bin",
            "noise.bin",
            "properties",
        ];
        assert_eq!(names, expected);
        let at = |name: &str| found[&format!("Top/In%2Fbox/message 2097156/{name}")].clone();
        assert_eq!(at("noise.bin"), Ok(random(30_000)));
        assert_eq!(at("noise (attachment 2).bin"), Ok(b"small".to_vec()));
        assert_eq!((at("body.txt"), at("Fwd: x/body.txt")), (Ok(utf16("a body")), Ok(utf16("inner ä"))));
        assert!(at("link").is_err_and(|error| error.contains("by reference")));
    }
}

#[test]
fn contents_of_many_blocks() {
    for layout in [Layout::Unicode, Layout::Large] {
        // Compressed blocks and others, in one list, and in lists of lists.
        let content = [words(200_000), random(150_000), words(70_000)].concat();
        let mut store = rooted(layout);
        let data = store.data(&content);
        assert_eq!(files(&[attached(store, data)])["message 2097156/a.bin"], content, "{layout:?}");
        let mut store = rooted(layout);
        let (left, right) = content.split_at(5 * store.layout.block().0);
        let lists = [store.data(left), store.data(right)];
        let data = store.list(2, &lists, content.len());
        assert_eq!(files(&[attached(store, data)])["message 2097156/a.bin"], content, "{layout:?}");
    }
}

#[test]
fn a_heap_of_several_blocks() {
    for layout in [Layout::Unicode, Layout::Large] {
        let mut store = rooted(layout);
        let long = random(3000);
        let mut values: Vec<(u16, Value)> = (0x6000..0x6020).map(|id| (id, Value::Bytes(&long))).collect();
        values.push((0x1000, Value::Text("in the last block")));
        let data = store.properties(&values);
        store.nodes.push((0x20_0004, data, 0, 0x122));
        let found = files(&[store.finish()]);
        assert_eq!(found["message 2097156/body.txt"], utf16("in the last block"));
        assert!(found["message 2097156/properties"].len() > 96_000);
    }
}

#[test]
fn trees_of_several_levels() {
    for layout in [Layout::Unicode, Layout::Large] {
        let mut store = rooted(layout);
        let attachment = |store: &mut Store, number: u32| {
            let text = format!("attachment {number}");
            let values = [(0x3701, Value::Bytes(text.as_bytes())), (0x3705, Value::Number(1))];
            (number << 5 | 5, store.properties(&values), 0)
        };
        let [first, second] = [1, 2].map(|number| attachment(&mut store, number));
        let lists = [first, second].map(|node| (node.0, store.below(&[node])));
        let below = store.below_lists(lists);
        let data = store.properties(&[(0x0037, Value::Text("a subject"))]);
        for number in 1..=400 {
            store.nodes.push((0x20_0000 | number << 5 | 4, data, if number == 400 { below } else { 0 }, 0x122));
        }
        (0..400).for_each(|number| assert_ne!(store.data(&[number as u8]), 0));
        let found = files(&[store.finish()]);
        assert_eq!(found.len(), 402);
        assert_eq!(found["message 2109956/attachment 2"], b"attachment 2");
    }
}

#[test]
fn what_contradicts_itself_is_named() {
    for layout in [Layout::Unicode, Layout::Large] {
        let store = sample(layout);
        // A byte of an attachment: that one alone.
        let part = &random(30_000)[8000..8040];
        let at = store.windows(40).position(|window| window == part).expect("the bytes");
        let mut bad = store.clone();
        bad[at] ^= 1;
        let found = faults(&[bad]);
        assert!(found.contains("/noise.bin: offset") && found.contains("the CRC of block"), "{found}");
        assert_eq!(found.lines().count(), 2, "{found}");
        // A byte, the kind and the number of each page.
        let (size, kinds, number) = if layout == Layout::Unicode { (512, 496, 504) } else { (4096, 4072, 4080) };
        for kind in [0x80, 0x81] {
            let is_it = |page: &[u8]| page.len() == size && page[kinds..kinds + 2] == [kind; 2];
            let page = store.chunks(size).rposition(is_it).expect("a page");
            for (place, what) in [(3, "the CRC of a page"), (kinds, "another page"), (number, "page 0x")] {
                let mut bad = store.clone();
                bad[page * size + place] ^= 1;
                let found = faults(&[bad]);
                assert!(found.contains(&format!("offset {}: {what}", page * size)), "{kind:#x}: {found}");
            }
        }
        for (place, what) in [(12, "the CRC of the header"), (520, "the CRC of the whole header")] {
            let mut bad = store.clone();
            bad[place] ^= 1;
            assert!(faults(&[bad]).contains(what));
        }
        for (version, what) in [(37, "offset 10: version 37, of Windows"), (38, "offset 10: version 38")] {
            let mut bad = store.clone();
            bad[10] = version;
            assert!(faults(&[bad]).contains(what));
        }
    }
}

/// A store with an attachment of one block of these bytes; the trailer and the tree state lengths.
fn with_block(bytes: &[u8], (trailer, tree): (usize, u16)) -> (Outcomes, u64) {
    let mut store = rooted(Layout::Large);
    let data = store.put_stored(bytes, trailer, false);
    let block = store.blocks.last_mut().expect("a block");
    block.3 = tree;
    let at = block.1;
    (super::outcomes(&[attached(store, data)]), at)
}

#[test]
fn compressed_blocks_that_contradict_themselves() {
    let (text, name) = (words(9000), "message 2097156/a.bin");
    let packed = zlib(&text);
    assert_eq!(with_block(&packed, (9000, 9000)).0[name], Ok(text));
    let longer = [&packed[..], b"xyz"].concat();
    let mut other = packed.clone();
    let last = other.len() - 1;
    other[last] ^= 1;
    let cases: [(&[u8], (usize, u16), &str); 8] = [
        (&packed, (9001, 9000), "inflates to 9001 bytes, and the tree of blocks says 9000"),
        (&packed, (9001, 9001), "inflates to 9000 of the 9001 bytes that it states"),
        (&packed, (8999, 8999), "inflates to more than the 8999 bytes that it states"),
        (&packed[..packed.len() / 2], (9000, 9000), "the compressed bytes end too early"),
        (&packed[..packed.len() - 1], (9000, 9000), "the compressed bytes end too early"),
        (&longer, (9000, 9000), "3 bytes follow the compressed ones"),
        (&other, (9000, 9000), "the compressed bytes contradict themselves"),
        (b"no zlib", (9000, 9000), "the compressed bytes contradict themselves"),
    ];
    for (bytes, lengths, what) in cases {
        let (found, at) = with_block(bytes, lengths);
        let error = found[name].clone().expect_err(what);
        assert!(error.contains(&format!("offset {at}: block 0x8")) && error.contains(what), "{what}: {error}");
    }
    // Lengths of none, and longer than a block.
    for length in [0, 65513] {
        let (found, _) = with_block(&packed, (9000, length));
        assert!(found[name].clone().is_err_and(|error| error.contains("which inflate to")), "{found:?}");
    }
    // A CRC of the stored bytes, and not of those that they inflate to.
    let (store, at) = {
        let mut store = rooted(Layout::Large);
        let data = store.put_stored(&packed, 9000, false);
        let at = store.blocks[1].1 as usize;
        (attached(store, data), at)
    };
    let trailer = at + (packed.len() + 24).next_multiple_of(512) - 24;
    assert_eq!(store[trailer + 4..trailer + 8], crc(&packed).to_le_bytes());
    for place in [0, 4, 8] {
        let mut bad = store.clone();
        bad[trailer + place] ^= 2;
        let found = faults(&[bad]);
        assert!(found.contains(&format!("offset {at}: ")), "{place}: {found}");
    }
}

#[test]
fn messages_in_a_circle_end() {
    let mut store = Store::new(Layout::Unicode);
    let message = store.properties(&[(0x0037, Value::Text("a subject"))]);
    let attachment = store.properties(&[(0x3701, Value::Object(0x44)), (0x3705, Value::Number(5))]);
    // Each of eight attachments is the message that has them.
    let next = store.blocks.len() as u64 + 1;
    let (attached, object) = (next * 4 + 2, (next + 1) * 4 + 2);
    let all: Vec<(u32, u64, u64)> = (1..=8).map(|number| (number << 5 | 5, attachment, object)).collect();
    assert_eq!(store.below(&all), attached);
    assert_eq!(store.below(&[(0x44, message, attached)]), object);
    store.nodes.push((0x20_0004, message, attached, 0));
    let found = faults(&[store.finish()]);
    assert!(found.contains("more messages in one another than are read"));
    assert!(found.contains("those from 2 on are not listed"), "{}", found.lines().last().unwrap_or_default());
    assert!(found.lines().count() < 100_000, "{}", found.lines().count());
}

#[test]
fn sound_as_a_whole() {
    // All but the one by reference.
    let mut store = sample(Layout::Large);
    assert_eq!(faults(&[store.clone()]).lines().count(), 1);
    store.truncate(4);
    assert!(!faults(&[store]).is_empty());
    assert_eq!(files(&[b"From: a\nTo: b\nMIME-Version: 1\n\nx".to_vec()])["part 1.txt"], b"x");
}
