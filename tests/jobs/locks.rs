//! The lock of a run ends with it, also while other threads start programs: such a program has the
//! open files of this one until it runs.

use crate::room::Room;
use crate::rows::{algorithms, input};
use pfh::Control;
use pfh::hash::{self, Manifest, Sealing};
use pfh::tree::Problem;
use pfh::tree::receive::{self, Delivery, Sender};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Ends the threads that start programs, also after a panic.
struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn while_programs_start(work: impl Fn()) {
    let ended = AtomicBool::new(false);
    let start = || {
        while !ended.load(Ordering::SeqCst) {
            assert!(Command::new("true").status().unwrap().success());
        }
    };
    thread::scope(|scope| {
        (0..3).for_each(|_| drop(scope.spawn(start)));
        let _ended = Ended(&ended);
        (0..60).for_each(|_| work());
    });
}

#[test]
fn a_transfer_goes_on_at_once() {
    let room = Room::new();
    let part = Delivery::new(Sender::File(room.file("part", &[7; 4096])), 0, None);
    let mut request = receive::Request::new(room.at("file"), [part]);
    request.length = Some(9000);
    while_programs_start(|| {
        let error = receive::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert!(matches!(error.find(), Some(Problem::Awaited { .. })), "{error}");
    });
}

#[test]
fn a_sealed_list_is_replaced_again_at_once() {
    let room = Room::new();
    room.file("d/a", b"1");
    let request = hash::Request::new(input(&room, &["d"]), algorithms("sha256")).replace(true);
    let manifest = Manifest::new(room.at("m")).seal(Some(Sealing::default()));
    while_programs_start(|| {
        hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    });
}
