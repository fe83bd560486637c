//! Names, lengths, printed forms.

use std::collections::HashSet;

use pfh_digest::{Algorithm, Digest, Output, ROWS, Registry, Row, Standing, State, Value};

#[test]
fn every_name_and_alias_finds_its_algorithm_in_any_spelling() {
    let mut seen = HashSet::new();
    for algorithm in Algorithm::all() {
        for name in [algorithm.name()].iter().chain(algorithm.aliases()) {
            assert!(seen.insert(*name), "{name} occurs twice");
            assert!(name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-')), "{name}");
            for spelling in [name.to_string(), name.to_uppercase(), name.replace('-', "_"), name.replace('-', "/")] {
                assert_eq!(spelling.parse::<Algorithm>().as_ref(), Ok(&algorithm), "{spelling}");
            }
        }
    }
    assert_eq!(Algorithm::all().count(), 38);
}

#[test]
fn a_stated_length_is_kept_and_prints_back() {
    for algorithm in Algorithm::all() {
        assert_eq!(algorithm.to_string(), algorithm.name());
        match algorithm.output() {
            Output::Stated { maximum, .. } => {
                for length in [1, 17, 63, 64, 65, maximum].into_iter().filter(|length| *length <= maximum) {
                    let stated: Algorithm = format!("{algorithm}:{length}").parse().unwrap();
                    assert_eq!((stated.name(), stated.length()), (algorithm.name(), length));
                    assert_eq!(stated.to_string().parse(), Ok(stated));
                    assert_eq!(format!("{algorithm}-{}", 8 * length).parse(), Ok(stated), "bits");
                    assert_eq!(stated.digest(b"pfh").bytes().len(), length);
                    assert_eq!(stated == algorithm, length == algorithm.length());
                }
                assert!(format!("{algorithm}:{}", maximum + 1).parse::<Algorithm>().is_err());
            }
            _ => {
                let own = format!("{algorithm}:{}", algorithm.length());
                assert_eq!(own.parse(), Ok(algorithm));
                assert!(format!("{algorithm}:{}", algorithm.length() + 1).parse::<Algorithm>().is_err());
            }
        }
        for bad in ["", "0", "-1", "+32", "032", "32 ", "32:32", "x", "99999999999999999999999"] {
            assert!(format!("{algorithm}:{bad}").parse::<Algorithm>().is_err(), "{algorithm}:{bad}");
        }
    }
}

#[test]
fn what_is_no_algorithm_is_named_in_the_error() {
    for bad in ["blake2b-513", "blake2b-520", "blake2b-0", "blake2b-0256", "sha256-128"] {
        assert!(bad.parse::<Algorithm>().is_err(), "{bad}");
    }
    for bad in ["", ":", "sha", "sha257", " sha256", "sha256 ", "sha256\0", "ſha256"] {
        let error = bad.parse::<Algorithm>().unwrap_err();
        assert!(error.to_string().contains(&format!("{bad:?}")), "{error}");
    }
    let error = "shake128:0".parse::<Algorithm>().unwrap_err().to_string();
    assert_eq!(error, r#""shake128:0": shake128 gives 1 to 65536 bytes"#);
}

#[test]
fn a_digest_prints_and_reads_back() {
    for algorithm in Algorithm::all().chain(["shake128:200".parse().unwrap(), "blake3:65".parse().unwrap()]) {
        let digest = algorithm.digest(b"message");
        let hex = digest.to_string();
        assert_eq!(hex.len(), 2 * algorithm.length());
        assert_eq!(Digest::from_hex(algorithm, &hex).as_ref(), Ok(&digest));
        assert_eq!(Digest::from_hex(algorithm, &hex.to_uppercase()).as_ref(), Ok(&digest));
        assert_eq!(Digest::parse(algorithm, &hex).as_ref(), Ok(&digest));
        assert_eq!(Digest::from_bytes(algorithm, digest.bytes()).as_ref(), Ok(&digest));
        assert!(Digest::from_bytes(algorithm, &digest.bytes()[1..]).is_err());
        let mut spoiled = hex.clone();
        spoiled.replace_range(0..1, "g");
        for bad in [&hex[1..], &hex[2..], &format!("{hex}00"), &spoiled, &format!("é{}", &hex[2..]), ""] {
            assert!(Digest::from_hex(algorithm, bad).is_err(), "{bad}");
        }
    }
}

/// A row from outside: its digest is text.
#[derive(Clone, Default)]
struct Letters(usize);

impl State for Letters {
    fn update(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }
    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_text("x".repeat(self.0))
    }
    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

static MORE: &[Row] =
    &[Row::new("letters", &["abc"], Output::Text, Standing::NonCryptographic, 1, || Box::new(Letters::default()))];
static BOTH: Registry = Registry::new(&[&ROWS, MORE]);

#[test]
fn rows_from_outside_join_the_registry() {
    let letters = BOTH.find("ABC").unwrap();
    assert_eq!(BOTH.all().last(), Some(letters));
    assert_eq!(BOTH.find("sha256"), "sha256".parse());
    assert!("letters".parse::<Algorithm>().is_err());
    assert!(BOTH.find("letters:4").is_err());
    let digest = letters.digest(&[0; 300]);
    assert_eq!(digest.text().map(str::len), Some(300));
    assert_eq!(Digest::parse(letters, &digest.to_string()).as_ref(), Ok(&digest));
    assert!(Digest::from_hex(letters, "").is_err());
    assert!(Digest::from_bytes(letters, b"").is_err());
}
