//! The purposes of streams: by their own dictionaries, and by the objects that refer to them.

use super::object::{Dictionary, Object};
use pfh_bytes::text::utf16;
use std::collections::HashMap;

/// The purpose of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Other,
    Image,
    Form,
    Contents,
    Font,
    Cmap,
    Objects,
    Metadata,
    Profile,
    Function,
    Pattern,
    Script,
    Xfa,
    File,
    /// A table of objects, which is read as that and is not a member.
    Table,
}

impl Role {
    /// The text behind the number in the name of a member.
    pub fn name(self) -> &'static str {
        match self {
            Role::Other | Role::Table => "",
            Role::Image => "-image",
            Role::Form => "-form",
            Role::Contents => "-contents",
            Role::Font => "-font",
            Role::Cmap => "-cmap",
            Role::Objects => "-objects",
            Role::Metadata => "-metadata",
            Role::Profile => "-profile",
            Role::Function => "-function",
            Role::Pattern => "-pattern",
            Role::Script => "-script",
            Role::Xfa => "-xfa",
            Role::File => "-file",
        }
    }

    /// By the dictionary of the stream.
    pub fn of(dictionary: &Dictionary) -> Role {
        match dictionary.name("Type") {
            Some(b"ObjStm") => return Role::Objects,
            Some(b"XRef") => return Role::Table,
            Some(b"Metadata") => return Role::Metadata,
            Some(b"EmbeddedFile") => return Role::File,
            Some(b"CMap") => return Role::Cmap,
            _ => {}
        }
        match dictionary.name("Subtype") {
            Some(b"Image") => Role::Image,
            Some(b"Form") => Role::Form,
            Some(b"Type1C" | b"CIDFontType0C" | b"OpenType") => Role::Font,
            Some(b"XML") => Role::Metadata,
            _ if dictionary.get("PatternType").is_some() || dictionary.get("ShadingType").is_some() => Role::Pattern,
            _ if dictionary.get("FunctionType").is_some() => Role::Function,
            _ => Role::Other,
        }
    }
}

/// The uses of streams, by the objects that refer to them.
#[derive(Debug, Default)]
pub struct Roles {
    roles: HashMap<u32, Role>,
    /// The names of embedded files.
    names: HashMap<u32, Vec<u8>>,
    /// Objects that are arrays of references, which may stand for the contents of a page.
    arrays: HashMap<u32, Vec<u32>>,
}

/// The longest array of parts of one page.
const PARTS: usize = 4096;

impl Roles {
    /// Takes the roles that an object gives to others.
    pub fn take(&mut self, number: u32, object: &Object) {
        if let Object::Array(parts) = object
            && parts.len() <= PARTS
            && let Some(references) = parts.iter().map(Object::reference).collect::<Option<Vec<u32>>>()
        {
            self.arrays.insert(number, references);
        }
        self.walk(object);
    }

    fn walk(&mut self, object: &Object) {
        match object {
            Object::Dictionary(dictionary) => {
                self.dictionary(dictionary);
                dictionary.0.iter().for_each(|(_, value)| self.walk(value));
            }
            Object::Array(parts) => {
                if let [Object::Name(name), Object::Reference(number)] = &parts[..]
                    && name == b"ICCBased"
                {
                    self.roles.insert(*number, Role::Profile);
                }
                parts.iter().for_each(|part| self.walk(part));
            }
            _ => {}
        }
    }

    fn dictionary(&mut self, dictionary: &Dictionary) {
        for (key, role) in [
            ("FontFile", Role::Font),
            ("FontFile2", Role::Font),
            ("FontFile3", Role::Font),
            ("ToUnicode", Role::Cmap),
            ("JS", Role::Script),
            ("DestOutputProfile", Role::Profile),
            ("XFA", Role::Xfa),
            ("Contents", Role::Contents),
            ("CharProcs", Role::Contents),
        ] {
            match dictionary.get(key) {
                Some(Object::Reference(number)) => {
                    self.roles.insert(*number, role);
                }
                Some(Object::Array(parts)) => {
                    self.roles.extend(parts.iter().filter_map(Object::reference).map(|number| (number, role)));
                }
                Some(Object::Dictionary(parts)) if role == Role::Contents => {
                    let numbers = parts.0.iter().filter_map(|(_, part)| part.reference());
                    self.roles.extend(numbers.map(|number| (number, role)));
                }
                _ => {}
            }
        }
        let Some(Object::Dictionary(files)) = dictionary.get("EF") else { return };
        let text = |key: &&str| if let Some(Object::Text(text)) = dictionary.get(key) { Some(text) } else { None };
        let name = ["UF", "F", "Unix", "DOS", "Mac"].iter().find_map(text).map(|text| plain(text));
        for number in files.0.iter().filter_map(|(_, file)| file.reference()) {
            self.roles.insert(number, Role::File);
            if let Some(name) = name.as_ref().filter(|name| !name.is_empty()) {
                self.names.insert(number, name.clone());
            }
        }
    }

    /// Gives the roles of arrays of parts to their parts.
    pub fn end(&mut self) {
        for (number, parts) in std::mem::take(&mut self.arrays) {
            if let Some(role @ (Role::Contents | Role::Xfa)) = self.roles.get(&number).copied() {
                self.roles.extend(parts.into_iter().map(|part| (part, role)));
            }
        }
    }

    /// The purpose of the stream of this number, where its own dictionary does not state it.
    pub fn get(&self, number: u32) -> Option<Role> {
        self.roles.get(&number).copied()
    }

    /// The name of the file in it.
    pub fn name(&self, number: u32) -> Option<&[u8]> {
        self.names.get(&number).map(Vec::as_slice)
    }
}

/// The letters of PDFDocEncoding that Latin-1 does not have (ISO 32000-1, annex D), from 0x80 on.
const LETTERS: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ',
    'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{9f}', '€',
];

/// A text string as UTF-8.
fn plain(text: &[u8]) -> Vec<u8> {
    let units = |text: &[u8], unit: fn([u8; 2]) -> u16| {
        utf16(&text.chunks_exact(2).map(|two| unit([two[0], two[1]])).collect::<Vec<u16>>())
    };
    match text {
        [0xFE, 0xFF, text @ ..] => units(text, u16::from_be_bytes),
        [0xFF, 0xFE, text @ ..] => units(text, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, text @ ..] => text.to_vec(),
        // Programs write UTF-8 without saying so.
        _ if std::str::from_utf8(text).is_ok() => text.to_vec(),
        _ => {
            let letter = |byte: &u8| match byte {
                0x80..=0xA0 => LETTERS[usize::from(byte - 0x80)],
                _ => char::from(*byte),
            };
            text.iter().map(letter).collect::<String>().into_bytes()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_utf_8() {
        assert_eq!(plain(b"\xfe\xff\0a\x20\xac"), "a€".as_bytes());
        assert_eq!(plain(b"\xff\xfea\0"), b"a");
        assert_eq!(plain(b"caf\xe9 \x80\xa0"), "café •€".as_bytes());
        assert_eq!(plain("ü".as_bytes()), "ü".as_bytes());
    }
}
