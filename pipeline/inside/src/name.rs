//! Names of entries inside containers: `case.E01!/p2/Users/a.zip!/b.doc`.
//!
//! `!/` stands between a container and its entry. Exclamation marks in front of a slash that is
//! part of a name are doubled, so that a printed name reads back: before a slash an even number
//! `2n` of them is `n` of the name, an odd one `2n + 1` is `n` of the name and the separator.

/// A name as it stands in front of `!/`, or behind it.
pub fn escape(name: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(name.len());
    let mut marks = 0;
    for byte in name {
        if *byte == b'/' {
            escaped.extend(std::iter::repeat_n(b'!', marks));
        }
        marks = if *byte == b'!' { marks + 1 } else { 0 };
        escaped.push(*byte);
    }
    escaped
}

/// The start of all names in this container.
pub fn prefix(container: &[u8]) -> Vec<u8> {
    let marks = container.iter().rev().take_while(|byte| **byte == b'!').count();
    let mut prefix = container.to_vec();
    prefix.extend(std::iter::repeat_n(b'!', marks));
    prefix.extend_from_slice(b"!/");
    prefix
}

/// Names of space that no file has, by the path of its node: `OFFSET!unallocated`, `name!slack`,
/// `OFFSET!lost` for blocks that are in use and that no file claims, `OFFSET!bad` for those marked
/// bad.
pub fn unallocated(path: &[u8]) -> Vec<u8> {
    let kinds = [
        (&b"$Slack/"[..], &b"!slack"[..]),
        (b"$Lost/", b"!lost"),
        (b"$Bad/", b"!bad"),
        (b"$Unallocated/", b"!unallocated"),
    ];
    let found = kinds.into_iter().find_map(|(front, end)| Some((path.strip_prefix(front)?, end)));
    let (of, end) = found.unwrap_or((path, b"!unallocated"));
    [&escape(of)[..], end].concat()
}

/// Whether a printed name is one of deleted files, and whether it is one of space that no file has.
pub fn kinds(name: &[u8]) -> (bool, bool) {
    let deleted = name.windows(9).any(|part| part == b"!deleted-");
    let ends = [&b"!unallocated"[..], b"!slack", b"!lost", b"!bad"];
    (deleted, ends.into_iter().any(|end| name.ends_with(end)))
}

/// Whether a printed name is one of a stream in a document: `!/obj-12` or `!/obj-12-image`.
pub fn is_in_document(name: &[u8]) -> bool {
    let is_object = |rest: &[u8]| {
        let after = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        after > 0 && matches!(rest.get(after), None | Some(b'-' | b'/'))
    };
    name.windows(6).enumerate().any(|(at, part)| part == b"!/obj-" && is_object(&name[at + 6..]))
}

/// The outermost container of a printed name, as the file system has it; `None` if there is none.
pub fn container(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let mut marks = 0;
    for byte in name {
        match byte {
            b'!' => marks += 1,
            _ => {
                let kept = if *byte == b'/' { marks / 2 } else { marks };
                plain.extend(std::iter::repeat_n(b'!', kept));
                if *byte == b'/' && marks % 2 == 1 {
                    return (!plain.is_empty()).then_some(plain);
                }
                marks = 0;
                plain.push(*byte);
            }
        }
    }
    None
}

/// The name of several media as one container: the first, then the others, those of its directory
/// without that, with plus signs between them.
pub fn joined(names: &[Vec<u8>]) -> Vec<u8> {
    let end = names.first().and_then(|first| first.iter().rposition(|byte| *byte == b'/')).map_or(0, |at| at + 1);
    let mut joined = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let directory = &names[0][..end];
        let rest = name.strip_prefix(directory).filter(|rest| index > 0 && !rest.contains(&b'/'));
        if index > 0 {
            joined.push(b'+');
        }
        joined.extend_from_slice(rest.unwrap_or(name));
    }
    joined
}

/// The most media in one name.
const MOST_JOINED: usize = 64;

/// The media that the name of a container stands for: itself, or several that [`joined`] made it
/// of; none if they are not all there.
pub fn media(container: &[u8], is_there: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let (mut rest, mut found): (&[u8], Vec<Vec<u8>>) = (container, Vec::new());
    let mut directory: &[u8] = b"";
    'parts: while found.len() < MOST_JOINED {
        // A name may have plus signs of its own: the longest that is there counts.
        let signs = rest.iter().enumerate().rev().filter(|(_, byte)| **byte == b'+').map(|(at, _)| at);
        for end in std::iter::once(rest.len()).chain(signs).filter(|end| *end > 0) {
            let names = [[directory, &rest[..end]].concat(), rest[..end].to_vec()];
            let Some(name) = names.into_iter().find(|name| is_there(name)) else { continue };
            found.push(name);
            if end == rest.len() {
                return found;
            }
            if found.len() == 1 {
                directory = &rest[..rest[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)];
            }
            rest = &rest[end + 1..];
            continue 'parts;
        }
        return Vec::new();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_reads_back() {
        for outer in ["a.zip", "odd!/a.zip", "a!", "a!!", "!", "d!!/x!", "a!b"] {
            for inner in ["m", "d/m", "d!/m!", "!!/x", "!"] {
                let whole = [prefix(&escape(outer.as_bytes())), escape(inner.as_bytes())].concat();
                let shown = String::from_utf8_lossy(&whole).into_owned();
                assert_eq!(container(&whole).as_deref(), Some(outer.as_bytes()), "{shown}");
            }
        }
        for plain in ["a.zip", "a!b/c", "dir!!/file", "!/x", ""] {
            assert_eq!(container(plain.as_bytes()), None, "{plain}");
        }
        assert_eq!(prefix(&escape(b"a.zip")), b"a.zip!/");
        assert_eq!(escape(b"a!/b!"), b"a!!/b!");
        assert_eq!(unallocated(b"$Unallocated/4096"), b"4096!unallocated");
        assert_eq!(unallocated(b"$Slack/a!/$Slack/b"), b"a!!/$Slack/b!slack");
        assert_eq!((unallocated(b"$Lost/512"), kinds(b"i!/512!lost")), (b"512!lost".to_vec(), (false, true)));
        assert_eq!((unallocated(b"$Bad/512"), kinds(b"i!/512!bad")), (b"512!bad".to_vec(), (false, true)));
        assert_eq!(kinds(b"i!/p1/a!slack"), (false, true));
        assert_eq!(kinds(b"i!/p1/a!deleted-12"), (true, false));
        assert_eq!(prefix(b"x!"), b"x!!!/");
        let in_document = [&b"a.pdf!/obj-12"[..], b"a!/obj-012-image", b"z!/a.pdf!/obj-7-file/x"].map(is_in_document);
        assert_eq!(in_document, [true; 3]);
        assert_eq!([&b"a!/obj-"[..], b"a!/obj-12.txt", b"obj-12"].map(is_in_document), [false; 3]);
    }

    #[test]
    fn several_media_have_one_name() {
        let there = ["d/a.img", "d/b.img", "e/c.img", "d/x+y.img", "d/x", "/r/1", "/r/2", "a", "b"];
        let names = |names: &[&str]| -> Vec<Vec<u8>> { names.iter().map(|name| name.as_bytes().to_vec()).collect() };
        for (of, expected) in [
            (&["d/a.img", "d/b.img", "e/c.img"][..], "d/a.img+b.img+e/c.img"),
            (&["d/x+y.img", "d/a.img"], "d/x+y.img+a.img"),
            (&["/r/1", "/r/2"], "/r/1+2"),
            (&["a", "b"], "a+b"),
            (&["a", "d/a.img"], "a+d/a.img"),
            (&["d/a.img"], "d/a.img"),
        ] {
            let joined = joined(&names(of));
            assert_eq!(String::from_utf8_lossy(&joined), expected);
            assert_eq!(media(&joined, |name| there.iter().any(|there| there.as_bytes() == name)), names(of));
        }
        assert!(media(b"a+c", |name| name == b"a").is_empty());
        assert!(media(b"", |_| true).is_empty());
    }
}
