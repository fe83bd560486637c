//! Roots that other programs compute: fs-verity, Amazon S3 and Glacier; and bao's outboard form of
//! a BLAKE3 tree ([`obao`]).
//!
//! ```
//! use pfh_tree::foreign::Foreign;
//! let mut glacier = Foreign::glacier();
//! glacier.update(b"");
//! assert_eq!(glacier.finish(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
//! ```

mod fs_verity;
mod glacier;
pub mod obao;
mod s3;

use fs_verity::FsVerity;
use glacier::Glacier;
use s3::Multipart;

pub use fs_verity::Hash;
pub use s3::Part;

/// A root that is computed while a file passes, in memory that grows with the logarithm of its
/// length (S3: with its parts, 32 bytes for each).
pub struct Foreign(Kind);

enum Kind {
    FsVerity(FsVerity),
    Glacier(Glacier),
    S3(Multipart),
}

impl Foreign {
    /// The digest that `fsverity digest` prints and `FS_IOC_MEASURE_VERITY` gives: over blocks of
    /// `block` bytes, a power of two from 1 KiB to 64 KiB (usually 4 KiB), with a salt of at most
    /// 32 bytes (usually none). `None` for other blocks and salts.
    pub fn fs_verity(hash: Hash, block: usize, salt: &[u8]) -> Option<Foreign> {
        FsVerity::new(hash, block, salt).map(|verity| Foreign(Kind::FsVerity(verity)))
    }

    /// The SHA-256 tree hash of Amazon S3 Glacier: leaves of 1 MiB.
    pub fn glacier() -> Foreign {
        Foreign(Kind::Glacier(Glacier::default()))
    }

    /// The digest that Amazon S3 states of an object that was uploaded in parts of `part` bytes, or
    /// at once if it is shorter than one. `None` for parts of no bytes.
    pub fn s3(which: Part, part: u64) -> Option<Foreign> {
        Multipart::new(which, part).map(|multipart| Foreign(Kind::S3(multipart)))
    }

    /// The next bytes of the file.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Kind::FsVerity(verity) => verity.update(bytes),
            Kind::Glacier(glacier) => glacier.update(bytes),
            Kind::S3(multipart) => multipart.update(bytes),
        }
    }

    /// The root as its own tool writes it: `sha256:` and hexadecimal digits for fs-verity,
    /// hexadecimal digits for Glacier and ETags, base64 for S3's checksums, with the number of
    /// parts behind a hyphen.
    pub fn finish(self) -> String {
        match self.0 {
            Kind::FsVerity(verity) => verity.finish(),
            Kind::Glacier(glacier) => glacier.finish(),
            Kind::S3(multipart) => multipart.finish(),
        }
    }
}
