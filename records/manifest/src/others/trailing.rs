//! Lines with the name first: `name  digest  digest`, as `rhash --simple` writes several digests of
//! a file, each behind two spaces.

/// Lengths of digests in hexadecimal: CRC-32, MD5, SHA-1, SHA-2.
const LENGTHS: [usize; 7] = [8, 32, 40, 56, 64, 96, 128];

/// The name of a line and the digests behind it, in their order; `None` if it ends with none, or
/// with nothing but a CRC, which SFV has.
pub(crate) fn split(line: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let mut rest = line.trim_ascii_end();
    let mut digests = Vec::new();
    while let Some(at) = rest.windows(2).rposition(|two| two == b"  ") {
        let last = &rest[at + 2..];
        if !LENGTHS.contains(&last.len()) || !last.iter().all(u8::is_ascii_hexdigit) {
            break;
        }
        digests.push(last);
        rest = &rest[..at];
    }
    digests.reverse();
    let has_more_than_crc = digests.iter().any(|digest| digest.len() > 8);
    (has_more_than_crc && !rest.is_empty()).then_some((rest, digests))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_stand_behind_the_name() {
        let md5 = "d41d8cd98f00b204e9800998ecf8427e";
        let of = |line: &str| split(line.as_bytes()).map(|(name, digests)| (name.to_vec(), digests.len()));
        assert_eq!(of(&format!("a  b  {md5}")), Some((b"a  b".to_vec(), 1)));
        assert_eq!(of(&format!("a  00000000  {md5}\r")), Some((b"a".to_vec(), 2)));
        // A name that is itself a digest of a length.
        assert_eq!(of(&format!("{md5}  {md5}")), Some((md5.as_bytes().to_vec(), 1)));
        for none in ["a  00000000", "a b", "", "  ", &format!("a {md5}"), &format!("  {md5}"), &format!("a  {md5} x")] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }
}
