//! B-trees as files of a volume: a header, leaves, and indexes over them.

/// Records of a tree, in order: keys with their lengths in front, and values.
pub type Records = Vec<(Vec<u8>, Vec<u8>)>;

/// A node of these records.
fn node(size: usize, kind: u8, height: u8, records: &[Vec<u8>]) -> Vec<u8> {
    let mut raw = vec![0; 14];
    (raw[8], raw[9]) = (kind, height);
    raw[10..12].copy_from_slice(&(records.len() as u16).to_be_bytes());
    let mut starts = Vec::new();
    for record in records {
        starts.push(raw.len() as u16);
        raw.extend(record);
    }
    starts.push(raw.len() as u16);
    assert!(raw.len() + 2 * starts.len() <= size, "a node that is too full");
    raw.resize(size, 0);
    for (index, start) in starts.iter().enumerate() {
        let at = size - 2 * (index + 1);
        raw[at..at + 2].copy_from_slice(&start.to_be_bytes());
    }
    raw
}

/// Groups of records that fit into nodes.
fn groups(size: usize, records: &[Vec<u8>]) -> Vec<Vec<Vec<u8>>> {
    let mut groups: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut room = 0;
    for record in records {
        let need = record.len() + 2;
        if need > room {
            groups.push(Vec::new());
            room = size - 16;
        }
        room -= need;
        groups.last_mut().unwrap().push(record.clone());
    }
    groups
}

fn join(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut record = [key, value].concat();
    record.resize(record.len().next_multiple_of(2), 0);
    record
}

/// A node that was a leaf, and is not in use.
pub fn stale(size: usize, records: &Records) -> Vec<u8> {
    node(size, 0xff, 1, &records.iter().map(|(key, value)| join(key, value)).collect::<Vec<_>>())
}

/// The file of a tree with nodes of this size.
pub fn tree(size: usize, records: &Records, is_folded: bool) -> Vec<u8> {
    let mut nodes: Vec<Vec<u8>> = vec![Vec::new()];
    let mut level: Vec<Vec<u8>> = records.iter().map(|(key, value)| join(key, value)).collect();
    let (mut height, mut root, mut leaves) = (0_u8, 0_u32, 0_u32);
    while !level.is_empty() {
        height += 1;
        let kind = if height == 1 { 0xff } else { 0 };
        let groups = groups(size, &level);
        if height == 1 {
            leaves = groups.len() as u32;
        }
        level.clear();
        let first = nodes.len() as u32;
        for (index, group) in groups.iter().enumerate() {
            let number = first + index as u32;
            let mut raw = node(size, kind, height, group);
            let next = if index + 1 < groups.len() { number + 1 } else { 0 };
            raw[..4].copy_from_slice(&next.to_be_bytes());
            raw[4..8].copy_from_slice(&(if index > 0 { number - 1 } else { 0 }).to_be_bytes());
            nodes.push(raw);
            let length = 2 + usize::from(u16::from_be_bytes([group[0][0], group[0][1]]));
            level.push(join(&group[0][..length], &number.to_be_bytes()));
        }
        root = first;
        if groups.len() == 1 {
            break;
        }
    }
    let mut head = vec![0; 106];
    head[..2].copy_from_slice(&u16::from(height).to_be_bytes());
    head[2..6].copy_from_slice(&root.to_be_bytes());
    head[6..10].copy_from_slice(&(records.len() as u32).to_be_bytes());
    head[10..14].copy_from_slice(&u32::from(leaves > 0).to_be_bytes());
    head[14..18].copy_from_slice(&leaves.to_be_bytes());
    head[18..20].copy_from_slice(&(size as u16).to_be_bytes());
    head[20..22].copy_from_slice(&516_u16.to_be_bytes());
    head[22..26].copy_from_slice(&(nodes.len() as u32).to_be_bytes());
    head[37] = if is_folded { 0xcf } else { 0xbc };
    head[41] = 6;
    let map = vec![0xff; size - 14 - 106 - 128 - 8];
    nodes[0] = node(size, 1, 0, &[head, vec![0; 128], map]);
    nodes.concat()
}
