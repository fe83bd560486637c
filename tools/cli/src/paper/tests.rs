use super::*;
use pfh::manifest::Format;
use pfh::{Mode, Recurse};

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn parse(line: &str) -> Option<PaperJob> {
    let form = Form::try_parse_from(words(&format!("pfh {line}"))).ok()?;
    resolved(&form).ok().map(|resolved| resolved.asked)
}

#[test]
fn lines_of_the_paper() {
    assert!(is_paper(&words("-c hash -d t5")) && is_paper(&words("-h")));
    assert!(!is_paper(&words("--help")) && !is_paper(&words("--help-all")) && !is_paper(&words("hash -r t5")));
    let Some(PaperJob::Hash { request: one, manifest }) = parse("-c hash -m 256 -d t5 -r") else { panic!("a mode") };
    assert_eq!((one.plan.memory, one.input.descend.recurse), (256_000_000, Recurse::Yes));
    assert_eq!((one.plan.mode, one.plan.prefetchers), (Mode::Mtp, 1));
    assert_eq!((one.plan.algorithms[0].name(), manifest.format), ("mrsh-v2", Format::Mrsh));
    let Some(PaperJob::Hash { request: two, .. }) = parse("-t 8 -c hash -d t5 -h md5 -p 2") else { panic!("a mode") };
    assert_eq!((two.plan.threads, two.plan.prefetchers, two.plan.mode), (6, 2, Mode::Mtp));
    assert_eq!((two.plan.algorithms[0].name(), two.plan.memory), ("md5", 20_000_000));
    let Some(PaperJob::Hash { request: auto, .. }) = parse("-d t5 -t 4 -p auto -h md5") else { panic!("a mode") };
    assert_eq!((auto.plan.threads, auto.plan.prefetchers, auto.plan.mode), (4, 0, Mode::Adaptive));
    let Some(PaperJob::Full(full)) = parse("-c FULL -d t5 -t 8 -m 128") else { panic!("a mode") };
    assert_eq!((full.algorithms[0].name(), full.plan.threads, full.plan.memory), ("mrsh-v2", 7, 128_000_000));
    let Some(PaperJob::Sought(digest)) = parse("-c 3:a:b -d t5 -h ssdeep") else { panic!("a mode") };
    assert_eq!((&digest.given[0].0[..], digest.given[0].1.to_string().as_str()), (&b"DIGEST"[..], "3:a:b"));
    for wrong in [
        "-c hash",
        "-d t5 -t 0",
        "-d t5 -q",
        "-d",
        "-d t5 -m many",
        "-c 3:a -d t5 -h ssdeep",
        "-c 00 -d t5 -h md5",
        "-d t5 -t 2 -p 2",
        "-d t5 -t 2 -p many",
        "-d t5 -t 1",
        "-c Cargo.toml -d t5",
        "-d t5 -h nothing",
    ] {
        assert!(parse(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn families_become_members() {
    for (name, member) in [("sha2", "sha256"), ("SHA3", "sha3-256"), ("fnv", "fnv1a-64")] {
        let form = Form::try_parse_from(words(&format!("pfh -d t5 -h {name}"))).expect("a form");
        assert_eq!(resolved(&form).expect("a request").family.map(|member| member.name()), Some(member));
    }
    let form = Form::try_parse_from(words("pfh -d t5 -h sha256")).expect("a form");
    assert!(resolved(&form).expect("a request").family.is_none());
}
