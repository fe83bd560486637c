//! Sets as others publish them, made from their published layouts.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fmt::Write;
use std::path::Path;

use pfh_digest::{Algorithm, Digest};
use rusqlite::{Connection, params};

pub fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("a known algorithm")
}

/// The digest of the n-th made-up file.
pub fn digest(name: &str, n: u64) -> Digest {
    algorithm(name).digest(format!("file {n}").as_bytes())
}

/// NSRL RDSv3 as NIST publishes it (RDSv3.pdf, 2022-02-07), reduced to the tables and views that
/// concern files: the full edition.
const RDS_FULL: &str = "
    CREATE TABLE PACKAGE_OBJECT (package_object_id INTEGER PRIMARY KEY, package_id INTEGER, object_id INTEGER);
    CREATE TABLE APPLICATION (application_id INTEGER PRIMARY KEY, package_id INTEGER, name TEXT, version TEXT);
    CREATE TABLE METADATA (metadata_id INTEGER PRIMARY KEY, object_id INTEGER, key_hash TEXT, image_hash TEXT, path TEXT,
        path_b64 TEXT, path_coding TEXT, file_name TEXT, file_name_b64 TEXT, file_name_coding TEXT, extension TEXT,
        extension_b64 TEXT, extension_coding TEXT, bytes INTEGER, mtime TEXT, used_in_rds TEXT, update_date TEXT,
        recursion_level INTEGER, extractee_id INTEGER, crc32 TEXT, md5 TEXT, sha1 TEXT, sha256 TEXT);
    CREATE TABLE VERSION (version TEXT, build_set TEXT, build_date TEXT, release_date TEXT, description TEXT);
    CREATE VIEW FILE AS SELECT UPPER(sha256) AS sha256, UPPER(sha1) AS sha1, UPPER(md5) AS md5,
        file_name || '.' || extension AS file_name, bytes AS file_size, package_id
        FROM METADATA JOIN PACKAGE_OBJECT ON METADATA.object_id = PACKAGE_OBJECT.object_id;
    CREATE VIEW PKG AS SELECT package_id, name, version FROM APPLICATION;
    INSERT INTO VERSION VALUES ('2026.03.1', 'modern', '2026-03-01', '2026-03-10', 'made up');";

/// The minimal edition: FILE is a table, and METADATA is missing.
const RDS_MINIMAL: &str = "
    CREATE TABLE FILE (sha256 TEXT, sha1 TEXT, md5 TEXT, crc32 TEXT, file_name TEXT, file_size INTEGER, package_id INTEGER);
    CREATE TABLE PKG (package_id INTEGER, name TEXT, version TEXT, operating_system_id INTEGER, manufacturer_id INTEGER,
        language TEXT, application_type TEXT);
    CREATE TABLE VERSION (version TEXT, build_set TEXT, build_date TEXT, release_date TEXT, description TEXT);
    CREATE VIEW DISTINCT_HASH AS SELECT DISTINCT sha256, sha1, md5, crc32 FROM FILE;
    INSERT INTO VERSION VALUES ('2026.03.1', 'modern', '2026-03-01', '2026-03-10', 'made up');
    INSERT INTO PKG VALUES (1, 'Solitaire', '3.1', 1, 1, 'English', 'Game'), (2, 'Editor', '2', 1, 1, 'English', 'Office');";

fn create(path: &Path, schema: &str) -> Connection {
    let connection = Connection::open(path).expect("a database");
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;").expect("pragmas");
    connection.execute_batch(schema).expect("the schema");
    connection
}

/// An RDSv3 of the full edition with the files of these numbers.
pub fn rds_full(path: &Path, files: std::ops::Range<u64>) {
    let mut connection = create(path, RDS_FULL);
    let transaction = connection.transaction().expect("a transaction");
    {
        let sql = "INSERT INTO METADATA (object_id, path, file_name, extension, bytes, crc32, md5, sha1, sha256)
            VALUES (?1, '', 'name', 'dll', 1, '00000000', ?2, ?3, ?4)";
        let mut insert = transaction.prepare(sql).expect("a statement");
        for n in files {
            let [md5, sha1, sha256] = ["md5", "sha1", "sha256"].map(|name| digest(name, n).to_string());
            insert.execute(params![n as i64, md5, sha1.to_uppercase(), sha256]).expect("a row");
        }
    }
    transaction.commit().expect("committed");
}

/// An RDSv3 of the minimal edition; odd files are of package 1, even ones of package 2.
pub fn rds_minimal(path: &Path, files: std::ops::Range<u64>) {
    let mut connection = create(path, RDS_MINIMAL);
    let transaction = connection.transaction().expect("a transaction");
    {
        let sql = "INSERT INTO FILE VALUES (?3, ?2, ?1, '00000000', 'name.dll', 1, ?4)";
        let mut insert = transaction.prepare(sql).expect("a statement");
        for n in files {
            let [md5, sha1, sha256] = ["md5", "sha1", "sha256"].map(|name| digest(name, n).to_string().to_uppercase());
            insert.execute(params![md5, sha1, sha256, 2 - (n % 2) as i64]).expect("a row");
        }
    }
    transaction.commit().expect("committed");
}

/// The Sleuth Kit's kdb; only MD5 is ever filled.
pub fn kdb(path: &Path, files: std::ops::Range<u64>) {
    let connection = create(
        path,
        "CREATE TABLE db_properties (name TEXT NOT NULL, value TEXT);
         CREATE TABLE hashes (id INTEGER PRIMARY KEY AUTOINCREMENT, md5 BINARY(16) UNIQUE, sha1 BINARY(20), sha2_256 BINARY(32));
         CREATE TABLE file_names (name TEXT NOT NULL, hash_id INTEGER NOT NULL);
         CREATE TABLE comments (comment TEXT NOT NULL, hash_id INTEGER NOT NULL);",
    );
    for n in files {
        let sql = "INSERT INTO hashes (md5) VALUES (?1)";
        connection.execute(sql, params![digest("md5", n).bytes()]).expect("a row");
    }
}

/// A digest per line.
pub fn list(name: &str, files: std::ops::Range<u64>) -> String {
    files.map(|n| format!("{}\n", digest(name, n))).collect()
}

/// NSRL RDSv2; every tenth file has the special code M.
pub fn rds2(files: std::ops::Range<u64>) -> String {
    let mut text = String::from(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n",
    );
    for n in files {
        let [sha1, md5] = ["sha1", "md5"].map(|name| digest(name, n).to_string().to_uppercase());
        let code = if n.is_multiple_of(10) { "M" } else { "" };
        let _ = write!(text, "\"{sha1}\",\"{md5}\",\"E32A12F9\",\"a.dll\",29456,3192,\"WIN\",\"{code}\"\r\n");
    }
    text
}

/// EnCase `.hash`.
pub fn encase(files: std::ops::Range<u64>) -> Vec<u8> {
    let mut set = b"HASH\r\n\xFF\0\x02\0\0\0\x01\0\0\0".to_vec();
    set.extend_from_slice(&u32::try_from(files.end - files.start).expect("few").to_le_bytes());
    set.resize(0x480, 0);
    for n in files {
        set.extend_from_slice(digest("md5", n).bytes());
        set.extend_from_slice(&[0; 2]);
    }
    set
}

/// HashKeeper.
pub fn hashkeeper(files: std::ops::Range<u64>) -> String {
    let mut text = String::from(
        "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\",\"time_modified\",\
         \"time_zone\",\"comments\",\"date_accessed\",\"time_accessed\"\n",
    );
    for n in files {
        let _ = writeln!(text, "{n},1,\"a\",\"\\\",\"{}\",3,,,,,,", digest("md5", n).to_string().to_uppercase());
    }
    text
}

/// iLook, version 3.
pub fn ilook(files: std::ops::Range<u64>) -> String {
    let mut text = String::from("V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512\n");
    for n in files {
        let [md5, sha1, sha256] = ["md5", "sha1", "sha256"].map(|name| digest(name, n));
        let _ = writeln!(text, "{md5},{sha1},a,b,3,{sha256},,");
    }
    text
}

/// Project VIC 1.3.
pub fn vics(files: std::ops::Range<u64>) -> String {
    let items: Vec<String> = files
        .map(|n| {
            let (md5, sha1) = (digest("md5", n), digest("sha1", n));
            format!(r#"{{"MediaID":{n},"Category":{},"MD5":"{md5}","SHA1":"{sha1}","MediaSize":3}}"#, n % 3)
        })
        .collect();
    format!(
        "\u{feff}{{\"odata.metadata\":\"http://github.com/ICMEC/ProjectVic/DataModels/1.3.xml#Media\",\"value\":[{}]}}",
        items.join(",")
    )
}

/// ICSE.
pub fn icse(files: std::ops::Range<u64>) -> String {
    let mut text = String::from(
        "MD5;SHA1;PhotoDNA;Image ID;Is distributed;Victim identified;Offender identified;Series name;Number of submissions;\
         File Available;Media Type;Baseline\n",
    );
    for n in files {
        let _ = writeln!(text, "{};{};x;{n};;;;;;;;True", digest("md5", n), digest("sha1", n));
    }
    text
}

/// The index of The Sleuth Kit, sorted.
pub fn idx(files: std::ops::Range<u64>) -> String {
    let mut lines: Vec<String> =
        files.map(|n| format!("{}|{n:016}\n", digest("md5", n).to_string().to_uppercase())).collect();
    lines.sort();
    format!("{zeros}0|md5sum\n{zeros}1|list.txt\n{}", lines.concat(), zeros = "0".repeat(40))
}

/// hashdeep 1.0.
pub fn hashdeep(files: std::ops::Range<u64>) -> String {
    let mut text =
        String::from("%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /x\n## $ hashdeep\n##\n");
    for n in files {
        let _ = writeln!(text, "6,{},{},a,b", digest("md5", n), digest("sha256", n));
    }
    text
}

/// A Bloom filter of the DCSO library from its definition: 128-bit arithmetic, where the reader's
/// is of 64 bits.
pub fn bloom(files: std::ops::Range<u64>) -> Vec<u8> {
    bloom_of(28_755, files)
}

/// The same with keys in small letters.
pub fn bloom_in_small_letters(files: std::ops::Range<u64>) -> Vec<u8> {
    filter(28_755, files, |key| key.to_lowercase())
}

/// The same with as many bits as you like.
pub fn bloom_of(m: u64, files: std::ops::Range<u64>) -> Vec<u8> {
    filter(m, files, |key| key.to_uppercase())
}

fn filter(m: u64, files: std::ops::Range<u64>, written: impl Fn(&str) -> String) -> Vec<u8> {
    const P: u128 = 18_446_744_073_709_551_557;
    const G: u128 = 18_446_744_073_709_550_147;
    let (k, count) = (20_u64, files.end - files.start);
    let mut words = vec![0_u64; m.div_ceil(64) as usize];
    for n in files {
        let mut hash: u128 = 0xCBF2_9CE4_8422_2325;
        for byte in written(&digest("sha1", n).to_string()).bytes() {
            hash = (hash * 0x100_0000_01B3 % (1 << 64)) ^ u128::from(byte);
        }
        hash %= P;
        for _ in 0..k {
            hash = hash * G % (1 << 64) % P;
            let bit = (hash % u128::from(m)) as usize;
            words[bit / 64] |= 1 << (bit % 64);
        }
    }
    let head = [1, 1000, 1e-6_f64.to_bits(), k, m, count];
    head.iter().chain(&words).flat_map(|word| word.to_le_bytes()).collect()
}

/// The delta between two databases of the same edition as `sqldiff` writes it: files `gone` are
/// deleted, files `new` inserted, and file `changed` of package 1 has the digests of file `to`.
pub fn delta(table: &str, gone: std::ops::Range<u64>, new: std::ops::Range<u64>, changed: (u64, u64)) -> String {
    let upper = |name: &str, n: u64| digest(name, n).to_string().to_uppercase();
    let mut sql = String::from("BEGIN TRANSACTION;\nUPDATE VERSION SET version='2026.06.1' WHERE rowid=1;\n");
    for n in gone {
        let _ = writeln!(sql, "DELETE FROM {table} WHERE sha1='{}';", upper("sha1", n));
    }
    let (from, to) = changed;
    let _ = writeln!(
        sql,
        "UPDATE {table} SET md5='{}', sha1='{}', sha256='{}' WHERE sha1='{}';",
        upper("md5", to),
        upper("sha1", to),
        upper("sha256", to),
        upper("sha1", from)
    );
    for n in new {
        let _ = writeln!(
            sql,
            "INSERT INTO {table}(sha256,sha1,md5,crc32,file_name) VALUES('{}','{}','{}','0','it''s; -- a.dll');",
            upper("sha256", n),
            upper("sha1", n),
            upper("md5", n)
        );
    }
    sql + "COMMIT;\n"
}
