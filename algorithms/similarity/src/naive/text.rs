//! The normal form of a text, slowly: the whole input is decoded, then its words are put together.

/// The characters of an input.
fn decoded(input: &[u8]) -> String {
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|two| unit([two[0], two[1]])).collect();
        let odd = if bytes.len() % 2 == 1 { "\u{fffd}" } else { "" };
        String::from_utf16_lossy(&units) + odd
    };
    match input {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8_or_latin1(rest),
        _ => utf8_or_latin1(input),
    }
}

fn utf8_or_latin1(mut bytes: &[u8]) -> String {
    let mut text = String::new();
    while !bytes.is_empty() {
        let valid = |length: &usize| bytes.get(..*length).and_then(|some| std::str::from_utf8(some).ok());
        let character = (1..5).find(|length| valid(length).is_some());
        match character.and_then(|length| valid(&length)) {
            Some(character) => text.push_str(character),
            None => text.push(char::from(bytes[0])),
        }
        bytes = &bytes[character.unwrap_or(1)..];
    }
    text
}

/// The normal form; none if the input is not text.
pub fn normal(input: &[u8]) -> Option<String> {
    let text = decoded(input);
    let strange = |c: char| c.is_ascii_control() && !matches!(c, '\x07'..='\r' | '\x1b');
    if text.chars().any(strange) {
        return None;
    }
    let words: Vec<&str> = text.split(char::is_whitespace).filter(|word| !word.is_empty()).collect();
    Some(words.join(" ").chars().flat_map(char::to_lowercase).collect())
}
