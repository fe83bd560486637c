//! An executable as small as can be.

/// ELF for 64 bits, with these imported names and these bytes in its section `.data`.
pub fn elf(imports: &[String], data: &[u8]) -> Vec<u8> {
    let mut names = vec![0];
    let mut symbols = vec![0u8; 24];
    for import in imports {
        // A function that is undefined here, and global.
        symbols.extend((names.len() as u32).to_le_bytes());
        symbols.extend([0x12, 0]);
        symbols.extend([0; 18]);
        names.extend(import.bytes().chain([0]));
    }
    let own = b"\0.dynsym\0.dynstr\0.data\0.shstrtab\0".to_vec();
    let mut file = vec![0; 64];
    // Name, kind, flags, the section with the names, bytes of an entry.
    let mut headers = vec![[0u64; 8]];
    for (name, kind, link, entry, bytes) in
        [(1, 11, 2, 24, symbols), (9, 3, 0, 0, names), (17, 1, 0, 0, data.to_vec()), (23, 3, 0, 0, own)]
    {
        headers.push([name, kind, link, entry, file.len() as u64, bytes.len() as u64, 0, 0]);
        file.extend(bytes);
        file.resize(file.len().next_multiple_of(8), 0);
    }
    let table = file.len() as u64;
    for [name, kind, link, entry, at, length, ..] in headers {
        file.extend((name as u32).to_le_bytes());
        file.extend((kind as u32).to_le_bytes());
        for field in [0, 0, at, length] {
            file.extend(field.to_le_bytes());
        }
        file.extend((link as u32).to_le_bytes());
        // The first symbol that is global.
        file.extend(u32::from(kind == 11).to_le_bytes());
        file.extend(1u64.to_le_bytes());
        file.extend(entry.to_le_bytes());
    }
    file[..16].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    // A shared object for x86-64.
    file[16..24].copy_from_slice(&[3, 0, 62, 0, 1, 0, 0, 0]);
    file[40..48].copy_from_slice(&table.to_le_bytes());
    file[52..64].copy_from_slice(&[64, 0, 0, 0, 0, 0, 64, 0, 5, 0, 4, 0]);
    file
}
