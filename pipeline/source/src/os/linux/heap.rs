//! The C library's heaps.

/// Lets the C library keep at most that many heaps, before threads are started. glibc makes one per
/// thread, up to eight per processor; entries and records are made by one thread and dropped by
/// another, so that each heap keeps holes of its own: over a million empty files 28 to 35 MB with
/// two heaps, up to 55 MB without a bound. Other C libraries do nothing of the kind, and nothing is
/// done there.
pub fn bound_heaps(most: usize) {
    #[cfg(target_env = "gnu")]
    {
        let most = libc::c_int::try_from(most.max(1)).unwrap_or(libc::c_int::MAX);
        // SAFETY: mallopt(3) changes a number of the allocator's, under the allocator's own lock;
        // no memory is touched.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, most) };
    }
    #[cfg(not(target_env = "gnu"))]
    let _ = most;
}
