//! The tables of ar: of long names and of symbols. Other bytes may call themselves one.

/// Bytes that may fill a table up.
const FILL: usize = 8;

/// Whether these bytes are a table, as the name in the header says.
pub fn holds(name: &[u8], table: &[u8]) -> bool {
    match name {
        b"//" => is_of_names(table),
        b"/" => has_symbols(table, 4) || is_second(table),
        b"/SYM64/" => has_symbols(table, 8),
        // BSD's, and members without a name.
        _ => [4, 8].into_iter().any(|width| [false, true].into_iter().any(|big| is_ranlib(table, width, big))),
    }
}

/// GNU's names end with a slash and a line feed, Microsoft's with a zero.
fn is_of_names(table: &[u8]) -> bool {
    let mut before = b'\n';
    let has_slashes = table.iter().all(|byte| {
        let is_right = *byte != b'\n' || matches!(before, b'/' | b'\n' | 0);
        before = *byte;
        is_right
    });
    has_slashes && (table.is_empty() || table.iter().any(|byte| matches!(byte, b'\n' | 0)))
}

/// A number of that many bytes at `at`.
fn number(table: &[u8], at: usize, width: usize, is_big: bool) -> Option<usize> {
    let bytes = table.get(at..at.checked_add(width)?)?;
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    let number = if is_big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
    usize::try_from(number).ok()
}

/// Whether that many names, each ended by a zero, and little else stand there.
fn ends_with(names: Option<&[u8]>, count: usize) -> bool {
    let Some(names) = names else { return false };
    let end = match count.checked_sub(1) {
        Some(last) => memchr::memchr_iter(0, names).nth(last).map(|at| at + 1),
        None => Some(0),
    };
    end.is_some_and(|end| names.len() - end <= FILL)
}

/// System V's and GNU's table: a count, places, names.
fn has_symbols(table: &[u8], width: usize) -> bool {
    let Some(count) = number(table, 0, width, true) else { return table.is_empty() };
    let names = count.checked_add(1).and_then(|places| table.get(places.checked_mul(width)?..));
    ends_with(names, count)
}

/// Microsoft's second table: places of members, for each symbol the number of one, names.
fn is_second(table: &[u8]) -> bool {
    let names = || {
        let behind = number(table, 0, 4, false)?.checked_add(1)?.checked_mul(4)?;
        let count = number(table, behind, 4, false)?;
        Some((table.get(count.checked_mul(2)?.checked_add(behind)?.checked_add(4)?..)?, count))
    };
    names().is_some_and(|(names, count)| ends_with(Some(names), count))
}

/// BSD's table: the length of pairs, these, the length of names, these.
fn is_ranlib(table: &[u8], width: usize, is_big: bool) -> bool {
    let end = || {
        let pairs = number(table, 0, width, is_big)?;
        let names = pairs.checked_add(width)?;
        let length = number(table, names, width, is_big)?;
        let is_right = pairs.is_multiple_of(2 * width) && (pairs > 0 || length <= FILL);
        names.checked_add(width)?.checked_add(length).filter(|_| is_right)
    };
    table.is_empty() || end().is_some_and(|end| end <= table.len() && table.len() - end <= FILL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_and_texts_are_not() {
        let symbols = b"\0\0\0\x02\0\0\0\x44\0\0\0\x44one\0two\0";
        let second = b"\x01\0\0\0\x44\0\0\0\x02\0\0\0\x01\0\x01\0one\0two\0";
        let long = b"\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x44one\0\0\0\0\0";
        let ranlib = b"\x08\0\0\0\0\0\0\0\x44\0\0\0\x04\0\0\0one\0";
        let tables: [(&[u8], &[u8]); 9] = [
            (b"//", b"a-long-name.o/\nanother-one.o/\n\n"),
            (b"//", b"of Microsoft.obj\0another.obj\0\n"),
            (b"//", b""),
            (b"/", symbols),
            (b"/", second),
            (b"/", b"\0\0\0\0"),
            (b"/SYM64/", long),
            (b"__.SYMDEF", ranlib),
            (b"#1/20", b""),
        ];
        for (name, table) in tables {
            assert!(holds(name, table), "{table:?}");
            let text = [table, b"a text that is hidden\nbehind the table"].concat();
            assert!(!holds(name, &text), "{table:?}");
            assert!(!holds(name, b"nothing but a text that is hidden\n"));
        }
    }
}
