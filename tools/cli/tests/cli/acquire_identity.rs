//! `pfh acquire` of a stream that is interrupted.
#![cfg(unix)]

use crate::program::Room;
use crate::program::acquisition::acquire;
use pfh_inject::{Need, content, lacks};
use std::fs;
use std::process::Command;

/// A stream has no second try, and nothing says that it had.
#[test]
fn an_interrupted_stream_is_not_said_to_be_resumable() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = Room::new();
    let (image, fifo) = (room.path().join("image"), room.path().join("fifo"));
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // Slowly, until the other side has gone.
    let writer = std::thread::spawn({
        let (fifo, bytes) = (fifo.clone(), content(8, 65_536));
        move || {
            let mut open = fs::OpenOptions::new().write(true).open(fifo).unwrap();
            while std::io::Write::write_all(&mut open, &bytes).is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    });
    let trial = acquire(["--to"]).arg(&image).arg(&fifo);
    let seen = trial.signal_once_caught(std::time::Duration::from_millis(300), 2).run().unwrap();
    writer.join().unwrap();
    assert_eq!(seen.code, Some(130), "{}", seen.stderr);
    let log = fs::read_to_string(room.path().join("image.log")).unwrap();
    assert!(log.contains("stopped after") && !log.contains("resumes here"), "{log}");
    assert!(!seen.stderr.contains("resumes here"), "{}", seen.stderr);
}
