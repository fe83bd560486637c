//! Who asks, and whom: keys, profiles, requesters who pay, addresses that are signed, authorities.

use super::store::{Answer, Running, Store};
use super::{pfh_with, trial};
use crate::program::{Room, records, sha256};
use pfh_inject::{Outcome, Trial};
use std::time::{Duration, Instant};

/// A store that answers nobody whose request is not signed by this key.
fn guarded(key: &'static str) -> Running {
    let guard = move |request: &super::store::Request| {
        let header = request.headers.get("authorization").map_or("", String::as_str);
        let is_it = header.starts_with(&format!("AWS4-HMAC-SHA256 Credential={key}/"));
        (!is_it).then(|| Answer::new(403, "<Error><Code>InvalidAccessKeyId</Code><Message>unknown</Message></Error>"))
    };
    Store::of(&["a", "b/c"]).fault(guard).serve()
}

/// The program with the given identity alone.
fn bare(room: &Room, port: u16, more: &[&str], words: &[&str]) -> Outcome {
    let (endpoint, home) =
        (format!("AWS_ENDPOINT_URL=http://127.0.0.1:{port}"), format!("HOME={}", room.path().display()));
    const OWN: [&str; 4] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"];
    let without = OWN.iter().flat_map(|name| ["-u", name]);
    let under = ["env"].into_iter().chain(without).chain([&*endpoint, &home]).chain(more.iter().copied());
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
    trial.under(under).limit(Duration::from_secs(120)).run().unwrap()
}

#[test]
fn profiles_of_amazons_files_are_read() {
    let (room, store) = (Room::new(), guarded("KEY"));
    std::fs::create_dir_all(room.path().join(".aws")).unwrap();
    room.file(
        ".aws/config",
        b"[profile sso]\nsso_session = corp\n[profile role]\nrole_arn = arn:aws:iam::1:role/x\n\
        source_profile = dev\n[profile other]\nregion = eu-west-7\ncredential_process = false\n",
    );
    room.file(
        ".aws/credentials",
        b"[default]\naws_access_key_id = NOBODY\naws_secret_access_key = s\n[dev]\n\
        aws_access_key_id = KEY\naws_secret_access_key = s\naws_session_token = t\nregion = eu-west-9\n",
    );
    let words = ["hash", "-q", "s3://bucket"];
    let seen = bare(&room, store.port, &["AWS_PROFILE=dev"], &words);
    assert_eq!((seen.code, seen.stdout.iter().filter(|byte| **byte == b'\n').count()), (Some(0), 2), "{}", seen.stderr);
    let last = store.requests().pop().unwrap().headers;
    assert!(last["authorization"].contains("/eu-west-9/s3/") && last["x-amz-security-token"] == "t", "{last:?}");
    for (more, named) in [
        (&[][..], "InvalidAccessKeyId"),
        (&["AWS_PROFILE=sso"], "export-credentials --profile sso"),
        (&["AWS_PROFILE=role"], "arn:aws:iam::1:role/x"),
        (&["AWS_PROFILE=other"], "credential_process"),
        (&["AWS_PROFILE=nobody"], "the profile nobody"),
        (&["AWS_PROFILE=dev", "AWS_ACCESS_KEY_ID=X", "AWS_SECRET_ACCESS_KEY=y"], "InvalidAccessKeyId"),
        (&["AWS_ACCESS_KEY_ID=X"], "SecretAccessKey"),
    ] {
        let seen = bare(&room, store.port, more, &["hash", "-q", "-f", "jsonl", "s3://bucket"]);
        assert!(seen.code == Some(3) && seen.stderr.contains(named), "{more:?} {:?} {}", seen.code, seen.stderr);
        assert_eq!(records(&seen)[0].code(), "denied", "{more:?}");
    }
    let files = ["AWS_SHARED_CREDENTIALS_FILE=keys", "AWS_CONFIG_FILE=none", "AWS_DEFAULT_PROFILE=there"];
    room.file("keys", b"[there]\naws_access_key_id=KEY\naws_secret_access_key=s\n");
    let seen = bare(&room, store.port, &files, &words);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

#[test]
fn missing_credentials_are_named_and_a_public_bucket_needs_none() {
    let (room, store) = (Room::new(), guarded("KEY"));
    let began = Instant::now();
    // Nobody is at the address that a machine of Amazon's has its role from.
    for more in [&["AWS_EC2_METADATA_DISABLED=true"][..], &["AWS_METADATA_ENDPOINT=http://127.0.0.1:9"]] {
        let seen = bare(&room, store.port, more, &["hash", "-q", "s3://bucket"]);
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        for named in ["there are no credentials", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_SKIP_SIGNATURE"] {
            assert!(seen.stderr.contains(named), "{more:?} {}", seen.stderr);
        }
        assert!(!seen.stderr.contains("http://"), "{}", seen.stderr);
    }
    assert!(began.elapsed() < Duration::from_secs(60));
    assert!(store.requests().is_empty());
    let public =
        Store::of(&["a"]).fault(|request| request.headers.get("authorization").map(|_| Answer::new(403, ""))).serve();
    let seen =
        bare(&room, public.port, &["AWS_SKIP_SIGNATURE=true", "AWS_PROFILE=none"], &["hash", "-q", "s3://bucket"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

#[test]
fn who_pays_says_so_in_every_request() {
    let guard = |request: &super::store::Request| {
        let pays = request.headers.get("x-amz-request-payer").map(String::as_str);
        let signed = request.headers["authorization"].contains("x-amz-request-payer");
        (pays != Some("requester") || !signed).then(|| Answer::new(403, "<Error><Code>AccessDenied</Code></Error>"))
    };
    let (room, store) = (Room::new(), Store::of(&["a", "b"]).fault(guard).serve());
    for (more, code) in [(&[][..], 3), (&["AWS_REQUEST_PAYER=true"], 0), (&["AWS_REQUEST_PAYER=requester"], 0)] {
        let seen = pfh_with(&room, store.port, more, &["hash", "-q", "s3://bucket", "s3://bucket/a"]);
        assert_eq!(seen.code, Some(code), "{more:?} {}", seen.stderr);
    }
}

/// An address that holds a signature is one object, and is asked for as it was signed.
#[test]
fn signed_addresses_are_read() {
    let query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2Fb&X-Amz-Signature=5ab";
    let target = format!("/bucket/a%20b?{query}");
    let azure = "/bucket/a%20b?sp=r&sv=2022-11-02&sr=b&sig=x%2By%3D";
    let allowed = [target.clone(), azure.to_owned()];
    // The signature is of GET.
    let guard = move |request: &super::store::Request| {
        let is_it = request.method == "GET" && allowed.contains(&request.target);
        (!is_it).then(|| Answer::new(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>"))
    };
    let mut store = Store::of(&["a b"]).fault(guard);
    store.objects[0].bytes = crate::program::random(4, 9 << 20);
    let digest = sha256(&store.objects[0].bytes);
    let (room, store) = (Room::new(), store.serve());
    for target in [&*target, azure] {
        let address = format!("http://127.0.0.1:{}{target}", store.port);
        let seen = pfh_with(&room, store.port, &[], &["hash", "-q", &address, "-o", "list"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let list = std::fs::read_to_string(room.path().join("list")).unwrap();
        assert!(list.contains(&format!("{digest}  {address}\n")), "{list}");
        let seen = pfh_with(&room, store.port, &[], &["check", "--allow-outside", "list"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        std::fs::remove_file(room.path().join("list")).unwrap();
    }
    // One that has run out.
    let address = format!("http://127.0.0.1:{}/bucket/a%20b?X-Amz-Signature=old", store.port);
    let seen = pfh_with(&room, store.port, &[], &["hash", "-q", &address]);
    assert!(seen.code == Some(3) && seen.stderr.contains("SignatureDoesNotMatch"), "{:?} {}", seen.code, seen.stderr);
}

/// Servers that describe nothing, and give what they have.
#[test]
fn a_page_that_is_not_described_is_read() {
    for (status, key) in [(405, "page"), (501, "page"), (403, "page"), (404, "page"), (405, "empty")] {
        let guard = move |request: &super::store::Request| (request.method == "HEAD").then(|| Answer::new(status, ""));
        let mut store = Store::of(&["page", "empty"]).fault(guard);
        store.objects.iter_mut().filter(|object| object.key == "empty").for_each(|object| object.bytes.clear());
        let (room, store) = (Room::new(), store.serve());
        let address = format!("http://127.0.0.1:{}/{key}", store.port);
        let seen = pfh_with(&room, store.port, &[], &["hash", "-q", &address]);
        let digest = if key == "empty" { sha256(b"") } else { sha256(b"page") };
        assert_eq!(
            String::from_utf8_lossy(&seen.stdout),
            format!("{digest}  {address}\n"),
            "{status}: {}",
            seen.stderr
        );
        let none = format!("http://127.0.0.1:{}/none", store.port);
        let seen = pfh_with(&room, store.port, &[], &["hash", "-q", &none]);
        assert!(seen.code == Some(3) && seen.stderr.contains("no such object"), "{:?} {}", seen.code, seen.stderr);
    }
}

#[test]
fn a_region_that_is_wrong_is_named() {
    let guard = |_: &super::store::Request| Some(Answer::new(301, "").with("x-amz-bucket-region", "eu-south-2"));
    let (room, store) = (Room::new(), Store::of(&["a"]).fault(guard).serve());
    let seen = trial(&room, store.port, &[], &["hash", "-q", "s3://bucket"]).run().unwrap();
    assert!(seen.code == Some(3) && seen.stderr.contains("set AWS_REGION"), "{:?} {}", seen.code, seen.stderr);
    assert!(seen.stderr.contains("eu-south-2"), "{}", seen.stderr);
}

/// A directory bucket gives keys for minutes, which sign all that follows.
#[test]
fn a_directory_bucket_is_read_in_a_session() {
    let guard = |request: &super::store::Request| {
        let signed = &request.headers["authorization"];
        let is_express = signed.contains("/s3express/aws4_request");
        if request.query.contains_key("session") {
            let is_own = signed.contains("Credential=someone/") && is_express;
            let keys = "<CreateSessionResult><Credentials><SessionToken>T</SessionToken><SecretAccessKey>S</SecretAccessKey>\
                <AccessKeyId>SESSION</AccessKeyId></Credentials></CreateSessionResult>";
            return Some(if is_own { Answer::new(200, keys) } else { Answer::new(403, "") });
        }
        let token = request.headers.get("x-amz-s3session-token").map(String::as_str);
        let is_it = token == Some("T") && signed.contains("Credential=SESSION/") && is_express;
        (!is_it).then(|| Answer::new(403, "<Error><Code>AccessDenied</Code></Error>"))
    };
    let (room, store) = (Room::new(), Store::of(&["a", "b"]).fault(guard).serve());
    // The small store leaves out the beginning of a bucket's name.
    let seen = pfh_with(&room, store.port, &[], &["hash", "-q", "s3://bucket--use1-az4--x-s3"]);
    assert_eq!((seen.code, seen.stdout.iter().filter(|byte| **byte == b'\n').count()), (Some(0), 2), "{}", seen.stderr);
    let sessions = store.requests().iter().filter(|request| request.query.contains_key("session")).count();
    assert_eq!(sessions, 1);
}
