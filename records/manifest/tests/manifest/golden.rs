//! The bytes themselves, format by format. `docs/formats.md` shows lines of these samples.

use crate::records::{FIFO, FILE, cut, failed, file, noted, skipped, stream};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Piece, Summary};
use pfh_manifest::{End, Format, FormatFit, Layout, Marker, Preamble};
use pfh_source::{Cause, Note, Problem, Skip, Stage, Time};

fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("a known algorithm")
}

/// A manifest with an ordinary name, one that needs escaping, one that is not UTF-8, and one
/// problem of each kind.
fn manifest(format: Format, layout: Layout, names: &[&str]) -> String {
    let algorithms: Vec<Algorithm> = names.iter().copied().map(algorithm).collect();
    let digests: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(b"abc")).collect();
    let mut encoder = format.encoder(layout).expect("a layout that fits");
    let mut out = Vec::new();
    let preamble = Preamble {
        algorithms: &algorithms,
        command_line: Some(b"pfh hash -r d"),
        working_directory: Some(b"/evidence"),
        base: None,
        version: "0.1.0",
        start: Some(Time { seconds: 1_795_226_793, nanoseconds: 0 }),
        volumes: None,
    };
    encoder.head(&mut out, &preamble).expect("algorithms");
    let times = [(93, 5), (93, 0), (94, 0)];
    let times = times.map(|(second, nanoseconds)| Time { seconds: 1_795_226_700 + second, nanoseconds });
    for record in [
        file(b"d/a.txt", 3, &digests, FILE, times),
        noted(file(b"=back\\slash", 3, &digests, FILE, times), &[Note::Retried]),
        file(b"not\xffutf8", 3, &digests, FIFO, times),
    ] {
        assert_eq!(encoder.record(&mut out, &record).expect("a name that fits"), FormatFit::Yes);
    }
    let error = Cause::Os(EIO);
    let unread = Problem { offset: Some(4096), length: Some(512), ..Problem::new(Stage::Read, error.clone()) };
    for record in [failed(b"d/bad", unread), skipped(b"d/pipe", Skip::Fifo)] {
        let carried = encoder.record(&mut out, &record).expect("a name that fits");
        assert_eq!(carried == FormatFit::Yes, matches!(format, Format::Dfxml | Format::Jsonl | Format::Csv));
    }
    encoder.tail(&mut out, &Summary { hashed: 3, bytes: 9, failed: 1, skipped: 1, ..Summary::default() });
    let text: String = out
        .iter()
        .flat_map(
            |&byte| if byte.is_ascii() { vec![char::from(byte)] } else { format!("<{byte:02x}>").chars().collect() },
        )
        .collect();
    // The words are the system's, and differ from system to system.
    text.replace(&error.to_string(), "Input/output error (EIO)")
}

/// The system's number of EIO: an error of Win32 on Windows (ERROR_IO_DEVICE).
const EIO: i32 = if cfg!(windows) { 1117 } else { 5 };

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn sums() {
    let text = Layout::default();
    assert_eq!(
        manifest(Format::Sums, text, &["sha256"]),
        format!("{SHA256}  d/a.txt\n\\{SHA256}  =back\\\\slash\n{SHA256}  not<ff>utf8\n")
    );
    let binary = Layout { end: End::Nul, marker: Marker::Binary };
    assert_eq!(
        manifest(Format::Sums, binary, &["md5", "sha256"]),
        format!(
            "{MD5} *d/a.txt\0{SHA256} *d/a.txt\0{MD5} *=back\\slash\0{SHA256} *=back\\slash\0{MD5} *not<ff>utf8\0\
             {SHA256} *not<ff>utf8\0"
        )
    );
}

#[test]
fn a_list_whose_digests_do_not_tell_their_algorithm_describes_itself() {
    let list = manifest(Format::Sums, Layout::default(), &["sha3-256"]);
    let digest = algorithm("sha3-256").digest(b"abc");
    assert_eq!(
        list,
        format!(
            "# pfh begin algorithms=sha3-256\n{digest}  d/a.txt\n\\{digest}  =back\\\\slash\n{digest}  not<ff>utf8\n\
             # pfh end names=f3201ee472a628de records=3\n"
        )
    );
    assert!(
        manifest(Format::Sums, Layout::default(), &["shake128:4"]).starts_with("# pfh begin algorithms=shake128:4\n")
    );
    // b3sum refuses comments; the others need none.
    for alone in ["blake3", "md5", "sha512"] {
        assert!(!manifest(Format::Sums, Layout::default(), &[alone]).contains('#'), "{alone}");
    }
    assert!(manifest(Format::Sums, Layout::default(), &["md5", "blake3"]).starts_with("# pfh begin"));
    // A base is said wherever there is one, but for b3sum's lists.
    let base = |format: Format, name: &str| {
        let mut out = Vec::new();
        let algorithms = [algorithm(name)];
        let preamble = Preamble { algorithms: &algorithms, base: Some(b"/e\\v"), ..Preamble::default() };
        let mut encoder = format.encoder(Layout::default()).expect("a layout");
        encoder.head(&mut out, &preamble).expect("algorithms");
        String::from_utf8(out).expect("ASCII")
    };
    for format in [Format::Sums, Format::Bsd] {
        assert_eq!(base(format, "md5"), "# pfh begin algorithms=md5\n# pfh base /e\\\\v\n", "{format}");
    }
    assert_eq!(base(Format::Sums, "blake3"), "");
    assert!(base(Format::Hashdeep, "md5").contains("## pfh base /e\\\\v\n"));
    assert_eq!(base(Format::Jsonl, "md5"), "{\"type\":\"base\",\"path\":\"/e\\\\v\"}\n");
    assert!(base(Format::Csv, "md5").ends_with("\nbase,/e\\v,,,,,,,,,,,,\r\n"));
    assert!(base(Format::Dfxml, "md5").contains("  <pfh:base>/e\\v</pfh:base>\n  <metadata>"));
}

#[test]
fn sums_holds_no_two_algorithms_of_one_length() {
    let mut encoder = Format::Sums.encoder(Layout::default()).expect("a layout that fits");
    let algorithms = [algorithm("sha256"), algorithm("sha3-256")];
    let preamble = Preamble { algorithms: &algorithms, ..Preamble::default() };
    let error = encoder.head(&mut Vec::new(), &preamble).expect_err("they cannot be distinguished");
    assert!(error.to_string().contains("sha3-256"), "{error}");
}

#[test]
fn bsd() {
    assert_eq!(
        manifest(Format::Bsd, Layout::default(), &["md5", "sha256"]),
        format!(
            "MD5 (d/a.txt) = {MD5}\nSHA256 (d/a.txt) = {SHA256}\n\\MD5 (=back\\\\slash) = {MD5}\n\
             \\SHA256 (=back\\\\slash) = {SHA256}\nMD5 (not<ff>utf8) = {MD5}\nSHA256 (not<ff>utf8) = {SHA256}\n"
        )
    );
    let tags: Vec<String> =
        ["sha3-384", "sha512-256", "blake2b", "blake2s", "blake3", "shake128:16", "ripemd160", "crc32", "xxh3-128"]
            .into_iter()
            .map(|name| pfh_manifest::bsd::tag(algorithm(name)))
            .collect();
    assert_eq!(
        tags,
        ["SHA3-384", "SHA512/256", "BLAKE2b", "BLAKE2s", "BLAKE3", "SHAKE128-128", "RIPEMD160", "CRC32", "XXH128"]
    );
}

#[test]
fn hashdeep() {
    assert_eq!(
        manifest(Format::Hashdeep, Layout::default(), &["md5", "sha256"]),
        format!(
            "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /evidence\n## $ pfh hash -r d\n\
             ## pfh begin algorithms=md5,sha256\n## \n\
             3,{MD5},{SHA256},d/a.txt\n3,{MD5},{SHA256},=back\\slash\n3,{MD5},{SHA256},not<ff>utf8\n\
             ## pfh end names=f3201ee472a628de records=3\n"
        )
    );
    let layout = Layout { end: End::Nul, ..Layout::default() };
    assert!(Format::Hashdeep.encoder(layout).is_err());
    let sha512 = [algorithm("sha512")];
    let preamble = Preamble { algorithms: &sha512, ..Preamble::default() };
    let mut encoder = Format::Hashdeep.encoder(Layout::default()).expect("a layout that fits");
    assert!(encoder.head(&mut Vec::new(), &preamble).is_err());
}

#[test]
fn jsonl() {
    assert_eq!(
        manifest(Format::Jsonl, Layout::default(), &["md5"]),
        format!(
            concat!(
                r#"{{"type":"file","path":"d/a.txt","size":3,"mtime":"2026-11-21T02:06:33.000000005Z","ctime":"2026-11-21T02:06:33Z","atime":"2026-11-21T02:06:34Z","digests":{{"md5":"{m}"}}}}"#,
                "\n",
                r#"{{"type":"file","path":"=back\\slash","size":3,"mtime":"2026-11-21T02:06:33.000000005Z","ctime":"2026-11-21T02:06:33Z","atime":"2026-11-21T02:06:34Z","digests":{{"md5":"{m}"}},"notes":["retried"]}}"#,
                "\n",
                r#"{{"type":"file","path":"not<ef><bf><bd>utf8","path_b64":"bm90/3V0Zjg=","size":3,"mtime":"2026-11-21T02:06:33.000000005Z","ctime":"2026-11-21T02:06:33Z","atime":"2026-11-21T02:06:34Z","kind":"fifo","digests":{{"md5":"{m}"}}}}"#,
                "\n",
                r#"{{"type":"error","path":"d/bad","stage":"read","offset":4096,"length":512,"code":"EIO","cause":"Input/output error (EIO)","id":"file/unreadable","level":"error"}}"#,
                "\n",
                r#"{{"type":"skipped","path":"d/pipe","code":"FIFO","cause":"FIFO","id":"skip/special"}}"#,
                "\n",
                r#"{{"type":"summary","files":3,"bytes":9,"errors":1,"skipped":1,"names":"dd80eef411aeb171"}}"#,
                "\n"
            ),
            m = MD5
        )
    );
}

#[test]
fn csv() {
    assert_eq!(
        manifest(Format::Csv, Layout::default(), &["md5"]),
        format!(
            "type,path,path_b64,size,offset,length,mtime,ctime,atime,md5,notes,stage,code,cause\r\n\
             file,d/a.txt,,3,,,2026-11-21T02:06:33.000000005Z,2026-11-21T02:06:33Z,2026-11-21T02:06:34Z,{MD5},,,,\r\n\
             file,'=back\\slash,,3,,,2026-11-21T02:06:33.000000005Z,2026-11-21T02:06:33Z,2026-11-21T02:06:34Z,{MD5},retried,,,\r\n\
             file,not\\xffutf8,bm90/3V0Zjg=,3,,,2026-11-21T02:06:33.000000005Z,2026-11-21T02:06:33Z,2026-11-21T02:06:34Z,{MD5},,,,\r\n\
             error,d/bad,,,4096,512,,,,,,read,EIO,Input/output error (EIO)\r\n\
             skipped,d/pipe,,,,,,,,,,,FIFO,FIFO\r\n\
             summary,,,9,,,,,,,files=3 errors=1 skipped=1 names=dd80eef411aeb171,,,\r\n"
        )
    );
}

#[test]
fn dfxml() {
    assert_eq!(
        manifest(Format::Dfxml, Layout::default(), &["md5", "sha3-224"]),
        format!(
            "<?xml version='1.0' encoding='UTF-8'?>
<dfxml xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML' xmlns:dc='http://purl.org/dc/elements/1.1/' \
             xmlns:pfh='urn:x-pfh:dfxml:1' version='2.0.0-beta.0'>
  <metadata>
    <dc:type>Hash List</dc:type>
  </metadata>
  <creator>
    <program>pfh</program>
    <version>0.1.0</version>
    <execution_environment>
      <command_line>pfh hash -r d</command_line>
      <start_time>2026-11-21T02:06:33Z</start_time>
    </execution_environment>
  </creator>
  <fileobject>
    <filename>d/a.txt</filename>
    <name_type>r</name_type>
    <filesize>3</filesize>
    <mtime>2026-11-21T02:06:33.000000005Z</mtime>
    <ctime>2026-11-21T02:06:33Z</ctime>
    <atime>2026-11-21T02:06:34Z</atime>
    <hashdigest type='md5'>{MD5}</hashdigest>
    <hashdigest type='other' pfh:algorithm='sha3-224'>{sha3}</hashdigest>
  </fileobject>
  <fileobject>
    <filename>=back\\slash</filename>
    <name_type>r</name_type>
    <filesize>3</filesize>
    <mtime>2026-11-21T02:06:33.000000005Z</mtime>
    <ctime>2026-11-21T02:06:33Z</ctime>
    <atime>2026-11-21T02:06:34Z</atime>
    <hashdigest type='md5'>{MD5}</hashdigest>
    <hashdigest type='other' pfh:algorithm='sha3-224'>{sha3}</hashdigest>
    <pfh:note>retried</pfh:note>
  </fileobject>
  <fileobject>
    <filename pfh:base64='bm90/3V0Zjg='>not<ef><bf><bd>utf8</filename>
    <name_type>p</name_type>
    <filesize>3</filesize>
    <mtime>2026-11-21T02:06:33.000000005Z</mtime>
    <ctime>2026-11-21T02:06:33Z</ctime>
    <atime>2026-11-21T02:06:34Z</atime>
    <hashdigest type='md5'>{MD5}</hashdigest>
    <hashdigest type='other' pfh:algorithm='sha3-224'>{sha3}</hashdigest>
  </fileobject>
  <fileobject>
    <filename>d/bad</filename>
    <error>Input/output error (EIO)</error>
    <pfh:failed offset='4096' length='512' stage='read' code='EIO'/>
  </fileobject>
  <fileobject>
    <filename>d/pipe</filename>
    <pfh:skipped code='FIFO'/>
  </fileobject>
  <pfh:summary files='3' bytes='9' errors='1' skipped='1' names='dd80eef411aeb171'/>
</dfxml>
",
            sha3 = "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"
        )
    );
}

#[test]
fn pieces_of_hashdeep_and_dfxml() {
    let md5 = [algorithm("md5")];
    let digests = [md5[0].digest(b"abc")];
    let piece = |offset, length| Piece { offset, length, digests: digests.to_vec() };
    let record = cut(stream(b"a", 3, &digests), vec![piece(0, 3), piece(3, 0)]);
    let write = |format: Format| {
        let mut encoder = format.encoder(Layout::default()).expect("a layout that fits");
        let (mut head, mut out) = (Vec::new(), Vec::new());
        encoder.head(&mut head, &Preamble { algorithms: &md5, ..Preamble::default() }).expect("algorithms");
        assert_eq!(encoder.record(&mut out, &record).expect("a name that fits"), FormatFit::Yes);
        String::from_utf8(out).expect("ASCII")
    };
    assert_eq!(write(Format::Hashdeep), format!("3,{MD5},a offset 0-2\n0,{MD5},a offset 3-3\n"));
    assert!(write(Format::Dfxml).contains(&format!(
        "    <byte_runs>\n      <byte_run file_offset='0' len='3'>\n        <hashdigest type='md5'>{MD5}</hashdigest>\n      </byte_run>\n"
    )));
}

/// Each line of the samples on the page is one that is written, but for the number of records and
/// their names, the base of a list that lies elsewhere, and the lines that `…` leaves out.
#[test]
fn the_page_shows_these_samples() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md")).expect("a page");
    let (mut seen, mut wrong) = (0, Vec::new());
    for (section, format, lists) in [
        ("sums", Format::Sums, &[&["sha256"][..], &["sha3-256"]][..]),
        ("bsd", Format::Bsd, &[&["md5", "sha256"]]),
        ("hashdeep", Format::Hashdeep, &[&["md5", "sha256"]]),
        ("dfxml", Format::Dfxml, &[&["md5", "sha3-224"]]),
        ("jsonl", Format::Jsonl, &[&["md5"]]),
        ("csv", Format::Csv, &[&["md5"]]),
    ] {
        let written: String = lists.iter().map(|names| manifest(format, Layout::default(), names)).collect();
        let written: Vec<&str> = written.lines().map(|line| line.trim_end_matches('\r')).collect();
        let (_, rest) = page.split_once(&format!("\n## {section}\n")).expect(section);
        let (section, _) = rest.split_once("\n## ").expect("a section after it");
        let mut is_sample = false;
        for line in section.lines() {
            // Fences at the edge of the page: the example of a volume, which is indented, is not
            // among these samples.
            let is_fence = line.starts_with("```");
            is_sample ^= is_fence;
            if !is_sample || is_fence || line.trim() == "…" || line.starts_with("# pfh base ") {
                continue;
            }
            let shown: String = line
                .replace("names=bb402739deda860d records=1", "names=f3201ee472a628de records=3")
                .replace('\u{fffd}', "<ef><bf><bd>");
            seen += 1;
            if !written.contains(&shown.as_str()) {
                wrong.push(shown);
            }
        }
    }
    assert!(seen > 40 && wrong.is_empty(), "{seen} lines, and these are not written:\n{}", wrong.join("\n"));
}
