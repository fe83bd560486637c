//! The paper's letters by their names.

use pfh::job::Error;
use pfh::paper::Problem;
use pfh::terminal::render;

/// The sentence with the letters of the paper's form.
pub fn sentence(error: &Error) -> Option<String> {
    Some(match error.find::<Problem>()? {
        Problem::NoDirectory => "the paper's form needs -d PATH; pfh -h explains it".into(),
        Problem::Algorithm(unknown) => {
            format!("-h: {unknown}; `pfh algorithms` lists them, and sha2, sha3 and fnv are families")
        }
        Problem::Threads { prefetchers, all } => format!(
            "-p {prefetchers} of -t {all} threads leave none that hashes: P < N is required (-p 0: each thread reads \
             and hashes)"
        ),
        problem @ Problem::Mode { .. } => format!("-c {problem}"),
        Problem::NoList { list } => {
            let shown = render(list.as_encoded_bytes());
            format!(
                "-c {shown}: no list of digests, which FILENAME mode takes; one file is compared with others by \
                 pfh compare {shown} --against DIR"
            )
        }
        Problem::SetAgainstList { list } => format!(
            "-c {}: a set of known files is asked for digests of files; for a list of digests use pfh lookup",
            render(list.as_encoded_bytes())
        ),
        _ => return None,
    })
}
