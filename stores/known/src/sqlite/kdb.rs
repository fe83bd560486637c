//! The Sleuth Kit's `.kdb`: an SQLite database as `hfind -c` creates it.

use pfh_source::os::names::with_ending;
use std::path::{Path, PathBuf};

use pfh_digest::Digest;
use pfh_source::replace_closed;
use rusqlite::{Connection, params};

use super::open::explain;
use crate::Error;

/// The tables as `hfind -c` creates them.
const TABLES: &str = "\
CREATE TABLE db_properties (name TEXT NOT NULL, value TEXT);
INSERT INTO db_properties VALUES('Schema Version','1');
CREATE TABLE hashes (id INTEGER PRIMARY KEY AUTOINCREMENT, md5 BINARY(16) UNIQUE, sha1 BINARY(20), sha2_256 BINARY(32));
CREATE TABLE file_names (name TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY(name, hash_id));
CREATE TABLE comments (comment TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY(comment, hash_id));
CREATE INDEX md5_index ON hashes(md5);
CREATE INDEX sha1_index ON hashes(sha1);
BEGIN;";

/// A database in the making. It appears under its name only when it is finished.
pub struct Kdb {
    path: PathBuf,
    partial: PathBuf,
    connection: Option<Connection>,
}

impl Kdb {
    /// Begins one; `path.partial` is made meanwhile.
    ///
    /// # Errors
    /// The system's, and SQLite's.
    pub fn create(path: &Path) -> Result<Kdb, Error> {
        let partial = with_ending(path, ".partial");
        // SQLite would continue the file that an interrupted export left.
        match std::fs::remove_file(&partial) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(&partial)(error)),
            _ => {}
        }
        let wrong = |error: rusqlite::Error| Error::damaged(&partial, explain(&error));
        let connection = Connection::open(&partial).map_err(wrong)?;
        connection.execute_batch("PRAGMA journal_mode=OFF;").map_err(wrong)?;
        connection.execute_batch(TABLES).map_err(wrong)?;
        Ok(Kdb { path: path.to_owned(), partial, connection: Some(connection) })
    }

    /// Takes an item; `false` if it has neither MD5 nor SHA-1, by which `hfind` looks. One MD5 is
    /// one row: a second name is added to it.
    ///
    /// # Errors
    /// SQLite's.
    pub fn take(&mut self, digests: &[Digest], name: Option<&[u8]>, comment: &str) -> Result<bool, Error> {
        let of = |wanted: &str| digests.iter().find(|digest| digest.algorithm().name() == wanted).map(Digest::bytes);
        let (md5, sha1, sha256) = (of("md5"), of("sha1"), of("sha256"));
        let Some(connection) = self.connection.as_ref().filter(|_| md5.is_some() || sha1.is_some()) else {
            return Ok(false);
        };
        let put = || -> rusqlite::Result<()> {
            let mut insert =
                connection.prepare_cached("INSERT OR IGNORE INTO hashes (md5, sha1, sha2_256) VALUES (?, ?, ?)")?;
            let id = match insert.execute(params![md5, sha1, sha256])? {
                0 => connection
                    .prepare_cached("SELECT id FROM hashes WHERE md5 = ?")?
                    .query_row(params![md5], |row| row.get(0))?,
                _ => connection.last_insert_rowid(),
            };
            if let Some(name) = name {
                let name = String::from_utf8_lossy(name);
                let mut names = connection.prepare_cached("INSERT OR IGNORE INTO file_names VALUES (?, ?)")?;
                names.execute(params![name, id])?;
            }
            if !comment.is_empty() {
                let mut comments = connection.prepare_cached("INSERT OR IGNORE INTO comments VALUES (?, ?)")?;
                comments.execute(params![comment, id])?;
            }
            Ok(())
        };
        put().map(|()| true).map_err(|error| Error::damaged(&self.partial, explain(&error)))
    }

    /// Finishes it under its name.
    ///
    /// # Errors
    /// The system's, and SQLite's.
    pub fn finish(mut self) -> Result<(), Error> {
        if let Some(connection) = self.connection.take() {
            let wrong = |error: rusqlite::Error| Error::damaged(&self.partial, explain(&error));
            connection.execute_batch("COMMIT;").map_err(wrong)?;
            connection.close().map_err(|(_, error)| wrong(error))?;
        }
        replace_closed(&self.partial, &self.path).map_err(Error::io(&self.path))
    }
}

impl Drop for Kdb {
    fn drop(&mut self) {
        if self.connection.take().is_some() {
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}
