//! Messages and mbox.

use super::{faults, files};

const MESSAGE: &str = "Return-Path: <a@example.org>\r\nFrom: a@example.org\r\nTo: b@example.org\r\nSubject: three\r\n\
    MIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n\tboundary=\"=_outer\"\r\n\r\nA preamble.\r\n--=_outer\r\n\
    Content-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\nContent-Type: text/plain; charset=utf-8\r\n\
    Content-Transfer-Encoding: quoted-printable\r\n\r\na =C3=A4 =\r\nb\r\n--in\r\nContent-Type: text/html\r\n\r\n\
    <p>a</p>\r\n--in--\r\n\r\n--=_outer\r\nContent-Type: application/octet-stream; name=\"x\"\r\n\
    Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment;\r\n filename*=utf-8''gr%C3%BC%C3%9Fe.bin\r\n\r\n\
    AAECAwQF\r\nBgc=\r\n--=_outer\r\nContent-Disposition: attachment; filename=\"a.txt\"\r\n\r\none\r\n--=_outer\r\n\
    Content-Disposition: attachment; filename=\"a.txt\"\r\n\r\ntwo\r\n--=_outer\r\nContent-Type: message/rfc822\r\n\r\n\
    From: c@example.org\r\nSubject: inner\r\nMIME-Version: 1.0\r\n\r\nhello\r\n--=_outer--\r\nan epilogue\r\n";

pub fn sample() -> Vec<u8> {
    MESSAGE.as_bytes().to_vec()
}

#[test]
fn parts_of_a_message() {
    let found = files(&[sample()]);
    let expected: [(&str, &[u8]); 6] = [
        ("a (part 5).txt", b"two"),
        ("a.txt", b"one"),
        ("grüße.bin", &[0, 1, 2, 3, 4, 5, 6, 7]),
        ("part 1.txt", "a ä b".as_bytes()),
        ("part 2.html", b"<p>a</p>"),
        ("part 6.eml", b"From: c@example.org\r\nSubject: inner\r\nMIME-Version: 1.0\r\n\r\nhello"),
    ];
    let found: Vec<(&str, &[u8])> = found.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    assert_eq!(found, expected);
    // With line feeds alone the same parts come.
    let unix = MESSAGE.replace("\r\n", "\n").into_bytes();
    assert_eq!(files(&[unix])["grüße.bin"], [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_message_of_apple_mail() {
    let list = b"<?xml version=\"1.0\"?>\n<plist><dict><key>flags</key></dict></plist>\n";
    let whole = [format!("{:<10}\n", MESSAGE.len()).as_bytes(), MESSAGE.as_bytes(), list].concat();
    let found = files(std::slice::from_ref(&whole));
    let mut expected = files(&[sample()]);
    expected.insert("emlx.plist".to_owned(), list.to_vec());
    assert_eq!(found, expected);
    let cut = whole[..whole.len() - list.len() - 20].to_vec();
    assert!(faults(&[cut]).contains("cut off"));
}

/// Longer than a sentence for old programs they are parts: bytes that programs for mail hide.
#[test]
fn long_text_in_front_of_the_parts_and_behind_them() {
    let long = "hidden line\r\n".repeat(50);
    let message = MESSAGE.replace("A preamble.\r\n", &long).replace("an epilogue\r\n", &long);
    let found = files(&[message.into_bytes()]);
    let mut expected = files(&[sample()]);
    expected.extend(["preamble.txt", "epilogue.txt"].map(|name| (name.to_owned(), long.clone().into_bytes())));
    assert_eq!(found, expected);
}

#[test]
fn a_text_with_files_in_it() {
    let message =
        "From: a\nTo: b\nMessage-ID: <1@x>\n\nSee:\nbegin 644 cat.txt\n#8V%T\n`\nend\nbegin 644 dog\nas it was\n";
    let found = files(&[message.as_bytes().to_vec()]);
    assert_eq!(found["cat.txt"], b"cat");
    assert!(found["part 2.txt"].starts_with(b"See:\nbegin 644 cat.txt") && found.len() == 2, "{found:?}");
}

#[test]
fn what_contradicts_itself_is_named() {
    let bad = MESSAGE.replace("AAEC", "AA*C");
    let found = faults(&[bad.clone().into_bytes()]);
    let offset = bad.rfind('*').expect("the letter");
    assert_eq!(found, format!("grüße.bin: offset {offset}: a character that base64 does not have here\n"));
    let cut = MESSAGE.as_bytes()[..MESSAGE.find("two").expect("a part")].to_vec();
    assert!(faults(&[cut]).contains("a multipart does not end"));
    let other = MESSAGE.replace("quoted-printable", "x-own").into_bytes();
    assert!(faults(&[other]).contains("part 1.txt: offset"));
    let odd = MESSAGE.replace("Subject: three", "Subject: three\r\nno field");
    let place = odd.find("no field").expect("the line");
    let found = faults(&[odd.into_bytes()]);
    assert!(found.contains(&format!("offset {place}: a line in a header")) && found.lines().count() == 1, "{found}");
    let deep = "Content-Type: multipart/mixed; boundary=a\n\n--a\n".repeat(200);
    let odd = MESSAGE.replace("Subject: three", "Subject: three\r\nno field");
    let place = odd.find("no field").expect("the line");
    let found = faults(&[odd.into_bytes()]);
    assert!(found.contains(&format!("offset {place}: a line in a header")) && found.lines().count() == 1, "{found}");
    let deep = format!("From: a\nTo: b\nMIME-Version: 1.0\n{deep}");
    assert!(faults(&[deep.into_bytes()]).contains("does not end"));
}

#[test]
fn messages_of_a_store() {
    let line = "From a@example.org Thu Nov 26 20:00:00 2026\n";
    let second =
        "From: x\nTo: y\nMessage-ID: <2@x>\n\nFrom here on nothing divides.\n>From x Thu Nov 26 20:00:00 2026\n";
    let unix = MESSAGE.replace("\r\n", "\n");
    let store = format!("{line}{unix}\n{line}{second}\n");
    let found = files(&[store.clone().into_bytes()]);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["message 1.eml", "message 2.eml"]);
    assert_eq!(found["message 1.eml"], unix.as_bytes());
    assert_eq!(found["message 2.eml"], format!("{second}\n").as_bytes());
}
