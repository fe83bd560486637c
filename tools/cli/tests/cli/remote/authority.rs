//! Stores whose certificate is of an authority of their own.

use super::store::Store;
use crate::program::Room;
use pfh_inject::{Need, Trial, lacks};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// An encrypted way to the store at a port; its authority is `ca.pem` of the room.
fn encrypted(room: &Room, store: u16) -> u16 {
    room.file("names", b"subjectAltName=DNS:localhost\n");
    let curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    for words in [
        format!("req -x509 {curve} -days 2 -subj /CN=own -keyout ca.key -out ca.pem"),
        format!("req {curve} -subj /CN=localhost -keyout key.pem -out asked.pem"),
        "x509 -req -in asked.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out cert.pem".into(),
    ] {
        let made = Command::new("openssl").args(words.split(' ')).current_dir(room.path()).output().expect("openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    let chain = vec![CertificateDer::from_pem_file(room.path().join("cert.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(room.path().join("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let config = config.clone();
            std::thread::spawn(move || {
                let connection = rustls::ServerConnection::new(config).unwrap();
                let mut client = rustls::StreamOwned::new(connection, client);
                let (mut request, mut byte) = (Vec::new(), [0]);
                while !request.ends_with(b"\r\n\r\n") && client.read(&mut byte).is_ok_and(|read| read > 0) {
                    request.push(byte[0]);
                }
                let mut answer = Vec::new();
                let mut plain = TcpStream::connect(("127.0.0.1", store)).unwrap();
                let _ = plain.write_all(&request);
                let _ = plain.read_to_end(&mut answer);
                let _ = client.write_all(&answer);
                client.conn.send_close_notify();
                let _ = client.flush();
            });
        }
    });
    port
}

#[test]
fn an_authority_of_the_stores_own_is_trusted_where_it_is_named() {
    if lacks(&[Need::Program("openssl")]) {
        return;
    }
    let room = Room::new();
    let port = encrypted(&room, Store::of(&["a", "b"]).serve().port);
    let run = |more: &[&str]| {
        let endpoint = format!("AWS_ENDPOINT_URL=https://localhost:{port}");
        let under =
            ["env", "-u", "AWS_CA_BUNDLE", &endpoint, "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"].into_iter();
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-q", "s3://bucket"]).directory(room.path());
        trial.under(under.chain(more.iter().copied())).limit(Duration::from_secs(60)).run().unwrap()
    };
    let seen = run(&["AWS_CA_BUNDLE=ca.pem"]);
    assert_eq!((seen.code, seen.stdout.iter().filter(|byte| **byte == b'\n').count()), (Some(0), 2), "{}", seen.stderr);
    // At once, and with the cause.
    let seen = run(&[]);
    assert!(seen.code == Some(3) && seen.stderr.contains("certificate"), "{:?} {}", seen.code, seen.stderr);
    assert!(seen.wall < Duration::from_secs(20), "{:?}", seen.wall);
    room.file("empty.pem", b"");
    for wrong in ["none.pem", "empty.pem"] {
        let seen = run(&[&format!("AWS_CA_BUNDLE={wrong}")]);
        assert!(seen.code == Some(3) && seen.stderr.contains(wrong), "{:?} {}", seen.code, seen.stderr);
    }
    room.file("config", b"[default]\nca_bundle = ca.pem\n");
    let seen = run(&["AWS_CONFIG_FILE=config"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}
