//! Messages that end where a page ends and begin where one begins, with unreadable pages on both
//! sides: a kernel that reads one byte too many dies here.

use pfh_kernel::{Compression, KECCAK12, KECCAK24, MD5, RIPEMD160, SHA1, SHA256, SHA512, SM3, Word};

/// Pages that can be used, between two that cannot.
struct Guarded {
    base: *mut u8,
    length: usize,
    page: usize,
}

impl Guarded {
    fn new(pages: usize) -> Guarded {
        // SAFETY: sysconf has no preconditions.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let length = pages * page;
        // SAFETY: a fresh anonymous mapping, whose middle is then made accessible.
        let base = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let base = libc::mmap(std::ptr::null_mut(), length + 2 * page, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(base, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(base.add(page), length, libc::PROT_READ | libc::PROT_WRITE), 0);
            base.add(page).cast::<u8>()
        };
        Guarded { base, length, page }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `length` bytes from `base` on are mapped, readable and writable, and borrowed
        // with self.
        unsafe { std::slice::from_raw_parts_mut(self.base, self.length) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`.
        unsafe { libc::munmap(self.base.sub(self.page).cast(), self.length + 2 * self.page) };
    }
}

fn holds<W: Word>(compression: &'static Compression<W>, block: usize) {
    let mut start = Guarded::new(1);
    let mut end = Guarded::new(1);
    start.bytes().iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 13 + i / 251) as u8);
    let copy = start.bytes().to_vec();
    end.bytes().copy_from_slice(&copy);
    let portable = compression.kernels().last().unwrap();
    for blocks in 1..=3 {
        let length = blocks * block;
        let first = &start.bytes()[..length];
        let page = end.length;
        let last = &end.bytes()[page - length..];
        let expected = [first, last].map(|message| {
            let mut state = vec![W::default(); portable.state_length()];
            portable.compress(&mut state, &[message], blocks, block);
            state
        });
        for kernel in compression.kernels() {
            let messages: Vec<&[u8]> =
                (0..kernel.lanes()).map(|lane| if lane % 2 == 0 { first } else { last }).collect();
            let mut state = vec![W::default(); kernel.state_length()];
            kernel.compress(&mut state, &messages, blocks, block);
            for lane in 0..kernel.lanes() {
                for (word, expected) in expected[lane % 2].iter().enumerate() {
                    assert_eq!(
                        state[kernel.position(word, lane)],
                        *expected,
                        "{} {}",
                        compression.name(),
                        kernel.name()
                    );
                }
            }
        }
    }
}

#[test]
fn nothing_beyond_the_blocks_is_read() {
    holds(&MD5, 64);
    holds(&SHA1, 64);
    holds(&SHA256, 64);
    holds(&SHA512, 128);
    holds(&RIPEMD160, 64);
    holds(&SM3, 64);
    for rate in [168, 144, 136, 104, 72, 32] {
        holds(&KECCAK24, rate);
        holds(&KECCAK12, rate);
    }
}
