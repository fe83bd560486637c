//! The command line as a manifest records it: the options that decide which files are listed and
//! their digests, in one order. Lists of one tree are equal byte for byte with any threads and any
//! spelling. Behind it stand the defaults of the run.

use crate::config;
use pfh::{Addresses, Content, Input, Links, Recurse, Special};
use std::fmt::Display;

/// That of `pfh hash`.
pub fn of_hash<A: Display>(algorithms: &[A], input: &Input, piecewise: Option<u64>) -> Vec<u8> {
    let algorithms: Vec<String> = algorithms.iter().map(ToString::to_string).collect();
    let mut words: Vec<Vec<u8>> = vec![format!("pfh hash -a {}", algorithms.join(",")).into_bytes()];
    words.extend(of_input(input));
    words.extend(piecewise.map(|length| format!("--piecewise {length}").into_bytes()));
    words.extend(input.paths.iter().map(|path| path.as_encoded_bytes().to_vec()));
    config::recorded(words.join(&b' '))
}

/// That of `pfh match`.
#[cfg(feature = "known")]
pub fn of_match(request: &pfh::matching::Request) -> Vec<u8> {
    let mut words: Vec<Vec<u8>> = vec![b"pfh match".to_vec()];
    for known in &request.sets.known {
        words.push([b"--known ", known.as_os_str().as_encoded_bytes()].concat());
    }
    words.extend(request.sets.digests.iter().map(|digest| format!("--digest {digest}").into_bytes()));
    words.extend(of_input(&request.input));
    words.extend(request.input.paths.iter().map(|path| path.as_encoded_bytes().to_vec()));
    config::recorded(words.join(&b' '))
}

/// The options that decide which files there are.
fn of_input(input: &Input) -> Vec<Vec<u8>> {
    let flags = [
        (input.descend.recurse == Recurse::Yes, "-r"),
        (input.descend.links == Links::Follow, "--follow"),
        (input.descend.special == Special::Read, "--special"),
        (input.descend.one_file_system, "--one-file-system"),
        (input.descend.streams, "--streams"),
        (input.content == Content::Images, "--image"),
        (input.addresses == Addresses::Versions, "--versions"),
        (input.is_inside(), "--inside"),
        (input.list.is_some(), "--files-from"),
    ];
    let set = flags.iter().filter(|(set, _)| *set);
    let mut words: Vec<Vec<u8>> = set.map(|(_, flag)| flag.as_bytes().to_vec()).collect();
    words.extend(input.list.iter().map(|list| list.path.as_os_str().as_encoded_bytes().to_vec()));
    words
}
