//! The members of containers, as events.

use crate::room::{Room, cancelled};
use pfh::job::{Error, Kind};
use pfh::list::{self, Event, NameChoice, Request};
use pfh::{Control, Input, InputError};
use std::path::Path;

/// A ustar archive of one file.
pub fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[136..147].copy_from_slice(b"00000000000");
    header[156] = b'0';
    header[257..263].copy_from_slice(b"ustar\0");
    header[263..265].copy_from_slice(b"00");
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut all = header.to_vec();
    all.extend_from_slice(content);
    all.resize(all.len().next_multiple_of(512) + 1024, 0);
    all
}

/// The names and sizes that are listed, and those that failed.
fn listed(request: &Request, control: &Control<'_>) -> Result<(list::Summary, Vec<String>), Error> {
    let mut rows = Vec::new();
    let summary = list::run(
        request,
        &mut |event| {
            rows.push(match event {
                Event::Name { name, size, inside } => {
                    format!("{} {:?} {}", String::from_utf8_lossy(name), size, inside.kind)
                }
                Event::Skipped { name, .. } => format!("skipped {}", String::from_utf8_lossy(name)),
                Event::Failed { name, .. } => format!("failed {}", String::from_utf8_lossy(name)),
                _ => String::new(),
            });
            Ok(())
        },
        control,
    )?;
    Ok((summary, rows))
}

fn of(path: &Path) -> Request {
    Request::new(Input::new([path]))
}

#[test]
fn names_are_rows_with_their_size() {
    let room = Room::new();
    let path = room.at("a.tar");
    std::fs::write(&path, archive("inner", b"abc")).unwrap();
    let (summary, rows) = listed(&of(&path), &Control::new()).unwrap();
    assert_eq!((summary.names, summary.failed, summary.interrupted), (1, 0, false));
    assert_eq!(rows, [format!("{}!/inner Some(3) tar", path.display())]);
    let (summary, rows) = listed(&of(&path).only(NameChoice::Deleted), &Control::new()).unwrap();
    assert_eq!((summary.names, rows.len()), (0, 0));
}

#[test]
fn damage_and_absence_are_rows_and_counted() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("a.tar");
    let whole = archive("inner", &[7; 4000]);
    std::fs::write(&path, &whole[..2000]).unwrap();
    let (summary, rows) = listed(&of(&path), &Control::new()).unwrap();
    assert_eq!(summary.failed, 1, "{rows:?}");
    let (summary, rows) = listed(&of(&room.path().join("none")), &Control::new()).unwrap();
    assert_eq!((summary.failed, rows.len()), (1, 1));
    std::fs::write(&path, "no archive").unwrap();
    assert_eq!(listed(&of(&path), &Control::new()).unwrap().0.files, 1);
}

#[test]
fn a_senseless_request_is_refused_and_a_cancelled_one_says_so() {
    let error = listed(&Request::new(Input::new([""; 0])), &Control::new()).unwrap_err();
    assert_eq!(error.kind(), Kind::Request);
    assert!(matches!(error.find(), Some(InputError::Nothing)));
    assert!(!error.to_string().contains("--"), "{error}");
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("a.tar");
    std::fs::write(&path, archive("inner", b"abc")).unwrap();
    let (summary, rows) = listed(&of(&path), &cancelled()).unwrap();
    assert!(summary.interrupted && rows.is_empty());
    let refused = list::run(&of(&path), &mut |_| Err(std::io::Error::other("full")), &Control::new());
    assert!(matches!(refused, Err(Error::Sink(_))));
}
