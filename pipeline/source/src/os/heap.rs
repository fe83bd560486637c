//! What memory is made of: the C library's heaps, the kernel's pages.

/// Lets the C library keep at most so many heaps, before threads are started. glibc makes one per thread, up to eight per processor; entries
/// and records are made by one thread and dropped by another, so that each heap keeps holes of its own: over a million empty files
/// 28 to 35 MB with two heaps, up to 55 MB without a bound. Other C libraries do nothing of the kind, and nothing is done there.
pub fn bound_heaps(most: usize) {
    #[cfg(target_env = "gnu")]
    {
        let most = libc::c_int::try_from(most.max(1)).unwrap_or(libc::c_int::MAX);
        // SAFETY: mallopt(3) changes a number of the allocator's, under the allocator's own lock; no memory is touched.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, most) };
    }
    #[cfg(not(target_env = "gnu"))]
    let _ = most;
}

/// Asks for large pages under these bytes, where the kernel has them (madvise(2), `MADV_HUGEPAGE`): one fault in place of 512. It is a wish;
/// nothing is different when it is not granted. Part pages at both ends are left out.
pub fn prefer_large_pages(bytes: &mut [u8]) {
    const PAGE: usize = 4096;
    let whole = {
        let start = bytes.as_ptr().align_offset(PAGE).min(bytes.len());
        let rest = &mut bytes[start..];
        let length = rest.len() / PAGE * PAGE;
        &mut rest[..length]
    };
    // SAFETY: the range is whole pages of memory that is borrowed here alone; the advice changes neither its content nor its mapping.
    let _ = unsafe { rustix::mm::madvise(whole.as_mut_ptr().cast(), whole.len(), rustix::mm::Advice::LinuxHugepage) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_keeps_the_content() {
        let mut bytes: Vec<u8> = (0..9 << 20).map(|i: u32| (i % 251) as u8).collect();
        let before = bytes.clone();
        for range in [0..0, 5..6, 1..4096, 3..9000, 0..9 << 20] {
            prefer_large_pages(&mut bytes[range]);
        }
        assert!(bytes == before);
    }
}
