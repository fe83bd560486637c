//! ATA commands to a disk by way of SCSI's pass-through (SG_IO of sg(4); ATA PASS-THROUGH (16) of
//! SAT-4, 12.2.2). Only commands that read are sent: see [`Command`](super::super::Command).

use super::super::{Command, Reply};
use rustix::io::Errno;
use rustix::ioctl::{Updater, ioctl};
use std::ffi::c_void;
use std::os::fd::BorrowedFd;

/// `struct sg_io_hdr` of scsi/sg.h.
#[repr(C)]
struct Header {
    interface: i32,
    direction: i32,
    command_length: u8,
    sense_room: u8,
    vectors: u16,
    data_length: u32,
    data: *mut c_void,
    command: *mut u8,
    sense: *mut u8,
    timeout: u32,
    flags: u32,
    id: i32,
    user: *mut c_void,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_length: u8,
    host_status: u16,
    driver_status: u16,
    residue: i32,
    duration: u32,
    info: u32,
}

const SG_IO: rustix::ioctl::Opcode = 0x2285;
const FROM_DEVICE: i32 = -3;
const NO_DATA: i32 = -1;
/// Milliseconds for an answer: a disk that sleeps has to spin up.
const TIMEOUT: u32 = 15_000;

/// Sends a command and takes the answer.
///
/// # Errors
/// The kernel's error: ENOTTY where the device takes no such commands.
pub fn ata(device: BorrowedFd<'_>, command: Command) -> Result<Reply, Errno> {
    let mut block = command.pass_through();
    let (mut data, mut sense) = ([0_u8; 512], [0_u8; 64]);
    let has_data = command.has_data();
    let mut header = Header {
        interface: i32::from(b'S'),
        direction: if has_data { FROM_DEVICE } else { NO_DATA },
        command_length: block.len() as u8,
        sense_room: sense.len() as u8,
        vectors: 0,
        data_length: if has_data { data.len() as u32 } else { 0 },
        data: if has_data { data.as_mut_ptr().cast() } else { std::ptr::null_mut() },
        command: block.as_mut_ptr(),
        sense: sense.as_mut_ptr(),
        timeout: TIMEOUT,
        flags: 0,
        id: 0,
        user: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_length: 0,
        host_status: 0,
        driver_status: 0,
        residue: 0,
        duration: 0,
        info: 0,
    };
    // SAFETY: SG_IO takes a pointer to this structure; its three pointers lead to arrays of this
    // frame, of the lengths that stand beside them, and the call has ended with them when it
    // returns.
    unsafe { ioctl(device, Updater::<SG_IO, Header>::new(&mut header)) }?;
    let came = usize::try_from(header.residue).map_or(512, |residue| 512_usize.saturating_sub(residue));
    Ok(Reply {
        data: (has_data && came == 512).then_some(data),
        sense: sense[..usize::from(header.sense_length).min(sense.len())].to_vec(),
        status: header.status,
        host: header.host_status,
    })
}
