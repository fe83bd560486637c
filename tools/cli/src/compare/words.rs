//! What a comparison says on standard error.

use super::Compare;
use crate::session::Session;
use pfh::compare::{Event, Hot, Searched};
use pfh::similarity::Score;

/// Something that so many digests have in common is reported.
const HOT: u64 = 1000;

/// Prints what is to be said of an event.
pub fn show(compare: &Compare, session: &Session, event: Event<'_>) {
    match event {
        Event::Unread(record) => session.unread(record),
        Event::Refused(name, why) => session.about(name, why),
        Event::List(problem) => session.about(problem.path.as_os_str().as_encoded_bytes(), &problem.wrong),
        Event::Passed(summary) => session.suspended(|| compare.run.report(summary)),
        Event::Gathered { directories, comparable } => gathered(session, directories, comparable),
        Event::Without(algorithm, count) => {
            let files = if count == 1 { "file has" } else { "files have" };
            let name = algorithm.name();
            session.message(format!(
                "{count} {files} no digest of {name} (too short, too plain or too long) and no pairs"
            ));
        }
        Event::Costly(algorithm, hot) => session.message(costly(algorithm.name(), hot)),
        Event::Saturated { algorithm, pairs, listed } => {
            let what = if listed { "are among the pairs" } else { "are left out (--saturated shows them)" };
            session.message(format!(
                "{}: {pairs} pairs with a digest that is saturated, which matches random data and so anything, {what}",
                algorithm.name()
            ));
        }
        Event::Searched(searched) => {
            for line in summed_up(compare, searched) {
                session.message(line);
            }
        }
        _ => {}
    }
}

fn gathered(session: &Session, directories: u64, comparable: bool) {
    if directories > 0 {
        let many = if directories == 1 { "directory was" } else { "directories were" };
        session.message(format!("{directories} {many} left out: -r takes in what is in them"));
    }
    if !comparable {
        session.message("nothing to compare: fewer than two digests came of what is named");
    }
}

fn costly(name: &str, hot: &Hot) -> String {
    let digests = hot.digests;
    let pairs = digests * (digests - 1) / 2;
    format!(
        "{name}: {digests} digests share {}: up to {pairs} pairs of them are compared, and sorted in $TMPDIR with 16 bytes each; \
         --cluster lists the groups without all pairs, a higher --threshold fewer pairs",
        hot.what
    )
}

/// What cost most of the time, with `--stats` what the search did, and what was compared with what result.
fn summed_up(compare: &Compare, searched: &Searched<'_>) -> Vec<String> {
    let (name, found) = (searched.algorithm.name(), searched.found);
    let hottest = found.hottest.iter().take(3).filter(|hot| hot.digests >= HOT && !searched.costly);
    let mut lines: Vec<String> = hottest
        .map(|hot| format!("{name}: {} digests share {}; none was left out for it", hot.digests, hot.what))
        .collect();
    if compare.run.stats.is_some() {
        lines.push(format!(
            "{name}: {} digests, {} pairs, {} compared, {} passes, {} runs in a temporary file",
            searched.digests, found.pairs, found.compared, found.passes, found.spilled
        ));
    }
    let many = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let best = match searched.best {
        Some(Score::Similarity(score)) => format!(", the highest score {score}"),
        Some(Score::Distance(distance)) => format!(", the least distance {distance}"),
        None => String::new(),
    };
    let result = if compare.cluster { many(searched.written, "group") } else { many(found.pairs, "pair") };
    lines.push(format!("{name}: {} compared, {result}{best}", many(searched.digests, "digest")));
    if compare.top.is_some() && searched.written < found.pairs {
        lines.push(format!("{name}: the {} best are listed", searched.written));
    }
    lines
}
