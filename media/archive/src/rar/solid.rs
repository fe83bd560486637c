//! The stream of a group of members that are packed one after the other, each with the window that
//! the one before it left. A member that is packed alone is a group of its own.

use super::bits::{Bits, Pieces, wrong as invalid};
use super::lz20::Lz20;
use super::lz29::Lz29;
use super::lz50::Lz50;
use super::window::Window;
use crate::limits::Limits;
use crate::member::{failure, wrong};
use crate::ready::{self, ReadyBytes, Steps};
use crate::tape::is_medium;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::io::{self, Read};
use std::sync::Arc;

/// How a member is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Stored,
    /// The methods of RAR 2, of RAR 3, of RAR 5, and of RAR 7.
    Two,
    Three,
    Five,
    Seven,
    /// One that is not read, by its number.
    Unread(u32),
}

/// The packed bytes of a member.
#[derive(Debug, Clone)]
pub struct PackedMember {
    /// Where they lie, each range with its start and its end.
    pub pieces: Vec<(u64, u64)>,
    pub method: Method,
    /// Bytes of the window that it wants.
    pub window: u64,
    /// How many bytes come out; as many as the stream has if that is not known.
    pub size: Option<u64>,
}

/// The members of a group.
pub type Group = Arc<[PackedMember]>;

enum Decoder {
    Two(Box<Lz20>),
    Three(Box<Lz29>),
    Five(Box<Lz50>),
}

/// The bytes of a group.
pub struct Solid {
    bytes: Arc<dyn Bytes>,
    group: Group,
    /// The member that comes next.
    next: usize,
    limits: Limits,
    window: Window,
    decoder: Option<Decoder>,
    /// The input of the current member, and the bytes that it has.
    input: Option<(Bits, u64)>,
    out: ReadyBytes,
}

impl Solid {
    /// The bytes of all members of the group.
    ///
    /// # Errors
    /// When its window is larger than the limit.
    pub fn open(bytes: Arc<dyn Bytes>, group: Group, limits: &Limits) -> Result<Solid, String> {
        let wanted = group.iter().map(|packed| packed.window).max().unwrap_or(0);
        let all = group.iter().try_fold(0_u64, |sum, packed| sum.checked_add(packed.size?));
        // Bytes that are never written need no room.
        let size = wanted.min(all.unwrap_or(u64::MAX).max(1));
        if size > limits.window {
            return Err(format!("needs a window of {wanted} bytes, more than is allowed"));
        }
        let window = Window::new(size as usize);
        let (next, limits) = (0, limits.clone());
        Ok(Solid { bytes, group, next, limits, window, decoder: None, input: None, out: ReadyBytes::default() })
    }

    /// The next member begins.
    fn begin(&mut self) -> io::Result<bool> {
        let Some(packed) = self.group.get(self.next) else { return Ok(false) };
        let mut bits = Bits::new(Pieces::new(self.bytes.clone(), &packed.pieces));
        if self.next == 0 {
            self.decoder = Some(match packed.method {
                Method::Stored => return Err(invalid("a stored member at the start of a group")),
                Method::Two => Decoder::Two(Box::new(Lz20::new())),
                Method::Three => Decoder::Three(Box::new(Lz29::new(self.limits.window))),
                Method::Five => Decoder::Five(Box::new(Lz50::new(false))),
                Method::Seven => Decoder::Five(Box::new(Lz50::new(true))),
                Method::Unread(number) => return Err(invalid(&format!("the method {number} is not read"))),
            });
        }
        self.window.begin(self.next > 0);
        self.next += 1;
        match &mut self.decoder {
            _ if packed.pieces.iter().all(|(start, end)| start >= end) => {}
            Some(Decoder::Two(decoder)) => decoder.begin(&mut bits)?,
            Some(Decoder::Three(decoder)) => decoder.begin(&mut bits)?,
            Some(Decoder::Five(decoder)) => decoder.begin(),
            None => {}
        }
        self.input = Some((bits, packed.size.unwrap_or(u64::MAX)));
        Ok(true)
    }

    fn decode(&mut self) -> io::Result<bool> {
        let Some((bits, end)) = &mut self.input else { return self.begin() };
        let goes_on = match &mut self.decoder {
            Some(Decoder::Two(decoder)) => decoder.step(bits, &mut self.window, *end)?,
            Some(Decoder::Three(decoder)) => decoder.step(bits, &mut self.window, *end)?,
            Some(Decoder::Five(decoder)) => decoder.step(bits, &mut self.window, *end)?,
            None => false,
        };
        self.window.flush(&mut self.out.bytes)?;
        if goes_on {
            return Ok(true);
        }
        let written = self.window.written();
        if *end != u64::MAX && written != *end {
            return Err(invalid(&format!("ends after {written} of the {end} bytes that it states")));
        }
        if !self.window.is_flushed() {
            return Err(invalid("a filter of more bytes than there are"));
        }
        if self.next < self.group.len() && *end > 0 {
            match &mut self.decoder {
                Some(Decoder::Two(decoder)) => decoder.end(bits),
                Some(Decoder::Three(decoder)) => decoder.end(bits),
                _ => {}
            }
        }
        self.input = None;
        if self.next == self.group.len() {
            // A reader that has all its bytes may stay: without the window.
            (self.window, self.decoder) = (Window::new(1), None);
        }
        Ok(true)
    }
}

impl Steps for Solid {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        let current = if self.input.is_some() { self.next.saturating_sub(1) } else { self.next };
        self.decode().map_err(|error| {
            if is_medium(&error) || error.get_ref().is_some_and(|inner| inner.is::<Failure>()) {
                return error;
            }
            let place = self.group.get(current).and_then(|packed| packed.pieces.first());
            let cause = match error.kind() {
                io::ErrorKind::UnexpectedEof => "its packed bytes end within a symbol".to_owned(),
                _ => error.to_string(),
            };
            let before = if current > 0 { format!(" (after {current} members before it)") } else { String::new() };
            let cause = format!("cannot be unpacked beyond {} bytes{before}: {cause}", self.window.written());
            wrong(Failure { offset: place.map(|(start, _)| *start), ..failure(b"", cause) })
        })
    }
}

impl Read for Solid {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}
