//! Names of objects in stores, as distinct from names of files.

/// Schemes of stores and web servers whose objects can be read, each with its `://`.
const SCHEMES: &[&[u8]] = &[b"s3://", b"s3a://", b"gs://", b"az://", b"https://", b"http://"];

/// Whether a name is the address of an object: it begins with `s3://`, `s3a://`, `gs://`, `az://`,
/// `https://` or `http://`. A file of such a name is `./s3://…`.
pub fn is_address(name: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| name.starts_with(scheme))
}
