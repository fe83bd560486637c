//! The events of a comparison, in words.

use super::{counted, many};
use pfh::compare::{Event, RelationSummary, Request, SearchSummary};
use pfh::digest::Algorithm;
use pfh::pairs::stored::OutdatedIndex;
use pfh::pairs::{COMMON, Hot, ListProblem, Wrong};
use pfh::similarity::{MethodName, Score};
use pfh::terminal::render;

/// Something that this many digests have in common is reported.
const HOT: u64 = 1000;

/// Sentences for people; none for events that need no word, and for files that could not be read,
/// which the caller has the record of.
pub fn sentences(event: &Event<'_>, request: &Request, statistics: bool) -> Vec<String> {
    match event {
        Event::Refused(name, why) => vec![format!("{}: {why}", render(name))],
        Event::List(problem) => vec![list(problem)],
        Event::Gathered { directories, comparable, .. } => gathered(*directories, *comparable),
        Event::Without(algorithm, count) => {
            let files = if *count == 1 { "file has" } else { "files have" };
            let name = algorithm.name();
            let why = MethodName::wording(*algorithm).profile().lacking_all;
            vec![format!("{count} {files} no digest of {name} ({why})")]
        }
        Event::OtherPictures(count) => {
            let files = if *count == 1 { "picture is" } else { "pictures are" };
            vec![format!(
                "{count} {files} not compared as pictures: TIFF, HEIF, AVIF, JPEG 2000 and JPEG XL are not read"
            )]
        }
        Event::Costly(algorithm, hot) => vec![costly(algorithm.name(), hot)],
        Event::Missing { algorithm, members } => {
            let are = if *members == 1 { "is" } else { "are" };
            let of = "of the earlier groups";
            vec![format!("{algorithm}: {} {of} {are} not among the compared files", counted(*members, "member"))]
        }
        Event::Saturated { algorithm, pairs, listed } => {
            let what = match listed {
                true => "among the pairs",
                false => "left out (--evidence, or no -a, finds those that share bytes; --saturated shows all)",
            };
            let are = if *pairs == 1 { "is" } else { "are" };
            let name = algorithm.name();
            let why = "a digest that is saturated, which matches random data and so anything";
            vec![format!("{name}: {} with {why}, {are} {what}", counted(*pairs, "pair"))]
        }
        Event::Searched(found) => searched(found, request, statistics),
        Event::AllRelated(all) => {
            let RelationSummary { relating, pairs, listed, members, opened, closed, .. } = all;
            let names: Vec<&str> = relating.algorithms.iter().map(|algorithm| algorithm.name()).collect();
            let result = if request.cluster { counted(*listed, "group") } else { counted(*pairs, "pair") };
            let mut lines: Vec<String> = all.common.iter().map(|(method, number)| common(*method, *number)).collect();
            lines.push(format!("{} compared by {}: {result}", counted(relating.files, "file"), names.join(", ")));
            if *members > 0 {
                let members = counted(*members, "member");
                lines.push(format!(
                    "{members} of documents and archives are compared as part of them; -a NAME compares each"
                ));
            }
            if *opened > 0 {
                let (documents, their) = (counted(*opened, "document"), if *opened == 1 { "its" } else { "their" });
                let are = if *opened == 1 { "is" } else { "are" };
                lines.push(format!(
                    "{documents} {are} compared by {their} contents; -a NAME compares the files as they are"
                ));
            }
            if *closed > 0 {
                let (files, are) = (counted(*closed, "file"), if *closed == 1 { "is an" } else { "are" });
                let closed = if *closed == 1 { "archive or document" } else { "archives or documents" };
                lines.push(format!("{files} {are} {closed} by name; --inside compares their contents"));
            }
            if request.top.is_some() && listed < pairs {
                lines.push(format!("the {listed} best are listed"));
            }
            lines
        }
        _ => Vec::new(),
    }
}

/// The fault of a list.
pub fn list(problem: &ListProblem) -> String {
    match &problem.wrong {
        Wrong::Io(error) if OutdatedIndex::is(error) => format!("{problem} with --write-index"),
        _ => problem.to_string(),
    }
}

fn gathered(directories: u64, comparable: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if directories > 0 {
        let many = if directories == 1 { "directory was" } else { "directories were" };
        lines.push(format!("{directories} {many} left out: -r takes in their files"));
    }
    if !comparable {
        lines.push("nothing to compare: fewer than two inputs have a digest".into());
    }
    lines
}

fn costly(name: &str, hot: &Hot) -> String {
    let digests = hot.digests;
    let pairs = digests * (digests - 1) / 2;
    format!(
        "{name}: {digests} digests share {}: up to {pairs} pairs of them are compared, and sorted in $TMPDIR with 16 bytes each; \
         -a {name} --cluster --linkage single lists the groups without all pairs, a higher --threshold fewer pairs",
        hot.what
    )
}

/// The work of the search.
fn statistics_of(searched: &SearchSummary<'_>) -> String {
    let (name, found) = (searched.algorithm.name(), searched.found);
    format!(
        "{name}: {}, {}, {} compared, {}, {} in a temporary file",
        counted(searched.digests, "digest"),
        counted(found.pairs, "pair"),
        found.compared,
        many(u64::from(found.passes), "pass", "passes"),
        counted(found.spilled as u64, "run")
    )
}

/// Units that too many files share to relate two of them.
fn common(algorithm: Algorithm, windows: u64) -> String {
    let windows = counted(windows, algorithm.fact().map_or("window", |method: &MethodName| method.profile().unit));
    let name = algorithm.name();
    format!("{name}: {windows} that more than {COMMON} files have left out: no pair was found by these alone")
}

/// The units that cost most of the time, the statistics if they were asked for, and the result.
fn searched(searched: &SearchSummary<'_>, request: &Request, statistics: bool) -> Vec<String> {
    let (name, found) = (searched.algorithm.name(), searched.found);
    let hottest = found.hottest.iter().take(3).filter(|hot| hot.digests >= HOT && !searched.costly);
    let mut lines: Vec<String> = hottest
        .map(|hot| format!("{name}: {} digests share {}; none was left out for it", hot.digests, hot.what))
        .collect();
    if statistics {
        lines.push(statistics_of(searched));
    }
    if found.common > 0 {
        lines.push(common(searched.algorithm, found.common));
    }
    let best = match searched.best {
        Some(Score::Similarity(score)) => format!(", the highest score {score}"),
        Some(Score::Distance(distance)) => format!(", the least distance {distance}"),
        None => String::new(),
    };
    let result = if request.cluster { counted(searched.listed, "group") } else { counted(found.pairs, "pair") };
    lines.push(format!("{name}: {} compared, {result}{best}", counted(searched.digests, "digest")));
    if request.top.is_some() && searched.listed < found.pairs {
        lines.push(format!("{name}: the {} best are listed", searched.listed));
    }
    lines
}
