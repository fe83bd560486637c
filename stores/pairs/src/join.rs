//! Pairs that share features for certain: the features of all digests are sorted, digests with the
//! same one are paired, and the pairs are sorted and counted. Only they are scored.

use crate::collection::{Collection, Digests, posting};
use crate::families::families;
use crate::pair::{COMMON, Failure, Hot, Pair, PairOrder, Search, SearchStats, Watcher};
use crate::sorter::Sorter;
use crate::templates::{Templates, WindowHolders};
use pfh_similarity::index::{Pairs, Share};
use pfh_similarity::mrsh_v2::{self, Base};
use pfh_similarity::{Evidence, Score, sdhash, shingles};
use std::cmp::Ordering;
use std::io;

/// Features that are reported.
const HOTTEST: usize = 10;
/// Steps between two looks at the watcher.
const STEP: u64 = 1 << 16;

/// Windows or strings that are in memory, joined as features are. A share has the pairs of
/// its part of the first digests.
pub(crate) fn run_windows(
    search: &Search,
    (collection, digests): (&Collection, &[shingles::Digest]),
    share: Share,
    watch: Watcher<'_>,
    emit: &mut dyn FnMut(Pair) -> io::Result<()>,
) -> Result<SearchStats, Failure> {
    let mut features = Sorter::new(search.memory / 2);
    for (place, digest) in digests.iter().enumerate() {
        for window in digest.windows() {
            // Fits: there are at most 2^31 digests.
            features.push(posting(*window, place as u32)).map_err(Failure::Spill)?;
        }
    }
    run(search, collection, features, share, watch, emit)
}

pub(crate) fn run(
    search: &Search,
    collection: &Collection,
    features: Sorter<u128>,
    share: Share,
    watch: Watcher<'_>,
    emit: &mut dyn FnMut(Pair) -> io::Result<()>,
) -> Result<SearchStats, Failure> {
    let asked = PairChoice {
        pairs: collection.split.map_or(Pairs::All, Pairs::Across),
        share,
        most: matches!(collection.digests, Digests::Shingles(_) | Digests::Outlines(_)).then_some(COMMON),
        order: search.order,
        rarity: collection.rarity,
        families: &families(&collection.sketches),
        apart: &collection.apart,
    };
    let mut found = SearchStats { passes: 1, spilled: features.spilled(), ..SearchStats::default() };
    let mut outlines = match &collection.digests {
        Digests::Shingles(digests) => digests.iter().map(|digest| digest.outline_by(collection.rarity)).collect(),
        Digests::Outlines(outlines) => outlines.clone(),
        _ => Vec::new(),
    };
    let mut shared: Sorter<u64> = Sorter::new(search.memory / 2);
    let mut held = WindowHolders::new(search.memory / 8);
    let mut group: Vec<u32> = Vec::new();
    let mut current = None;
    let mut steps = 0;
    for posting in features.sorted().map_err(Failure::Spill)? {
        let posting = posting.map_err(Failure::Spill)?;
        steps += 1;
        if steps % STEP == 0 && watch.progress(steps, 0).is_break() {
            return Err(Failure::Interrupted);
        }
        let (feature, place) = ((posting >> 32) as u64, posting as u32);
        if current != Some(feature) {
            close(current, &group, asked, &mut outlines, (&mut shared, &mut held), &mut found)?;
            group.clear();
            current = Some(feature);
        }
        group.push(place);
    }
    close(current, &group, asked, &mut outlines, (&mut shared, &mut held), &mut found)?;
    let mut templates = held.into_templates().map_err(Failure::Spill)?;
    found.spilled += shared.spilled();
    let mut counted: Option<(u64, [u64; 4])> = None;
    for key in shared.sorted().map_err(Failure::Spill)? {
        let key = key.map_err(Failure::Spill)?;
        let (pair, kind) = (key >> 2, (key & 3) as usize);
        match &mut counted {
            Some((same, counts)) if *same == pair => counts[kind] += 1,
            _ => {
                let mut counts = [0; 4];
                counts[kind] = 1;
                if let Some(done) = counted.replace((pair, counts)) {
                    score(search, (collection, &outlines, &mut templates), done, &mut found, emit)?;
                }
                if found.compared.is_multiple_of(STEP) && watch.progress(found.compared, 0).is_break() {
                    return Err(Failure::Interrupted);
                }
            }
        }
    }
    if let Some(done) = counted {
        score(search, (collection, &outlines, &mut templates), done, &mut found, emit)?;
    }
    found.templates = templates;
    Ok(found)
}

/// Which pairs a feature gives.
#[derive(Clone, Copy)]
struct PairChoice<'a> {
    pairs: Pairs,
    share: Share,
    /// Digests that may have it.
    most: Option<usize>,
    order: PairOrder,
    /// The weight of a window or string by the number of digests that hold it.
    rarity: shingles::Rarity,
    /// By the place: the family of a digest, where they are known.
    families: &'a [u32],
    /// By the place: those that make no pairs with each other.
    apart: &'a [bool],
}

impl PairChoice<'_> {
    /// How many hold a window: copies count once.
    fn holders(&self, group: &[u32]) -> usize {
        if self.families.is_empty() || self.rarity.class(group.len()) == 0 {
            return group.len();
        }
        let mut families: Vec<u32> = group.iter().map(|place| self.families[*place as usize]).collect();
        families.sort_unstable();
        families.dedup();
        families.len()
    }

    fn include(&self, a: u32, b: u32) -> bool {
        let kept = |place: u32| self.apart.get(place as usize) == Some(&true);
        self.pairs.include(a, b) && !(kept(a) && kept(b))
    }
}

/// Pairs the digests that hold one feature.
fn close(
    feature: Option<u64>,
    group: &[u32],
    asked: PairChoice<'_>,
    outlines: &mut [shingles::Outline],
    (shared, held): (&mut Sorter<u64>, &mut WindowHolders),
    found: &mut SearchStats,
) -> Result<(), Failure> {
    let (Some(feature), true) = (feature, group.len() > 1) else { return Ok(()) };
    if !outlines.is_empty() && asked.rarity.has_templates() && shingles::is_template(feature) {
        return close_template(feature, group, asked, outlines, (shared, held));
    }
    // Windows and strings count less if many inputs hold them.
    let kept = asked.most.is_none_or(|most| group.len() <= most);
    let class = if outlines.is_empty() { 0 } else { asked.rarity.class(asked.holders(group)) };
    if !outlines.is_empty() && (class > 0 || !kept) {
        let weight = if kept { asked.rarity.weight(class) } else { 0 };
        group.iter().for_each(|&place| outlines[place as usize].lighten(feature, weight));
    }
    if !kept {
        found.common += 1;
        return Ok(());
    }
    pair_up(group, asked, class, shared)?;
    let (size, hottest) = (group.len() as u64, &mut found.hottest);
    if hottest.len() < HOTTEST || hottest.last().is_some_and(|last| last.digests < size) {
        hottest.truncate(HOTTEST - 1);
        let at = hottest.partition_point(|hot| hot.digests >= size);
        hottest.insert(at, Hot { what: format!("{feature:016x}"), digests: size });
    }
    Ok(())
}

/// A window of templates makes pairs of those alone that hold hardly any others.
fn close_template(
    feature: u64,
    group: &[u32],
    asked: PairChoice<'_>,
    outlines: &[shingles::Outline],
    (shared, held): (&mut Sorter<u64>, &mut WindowHolders),
) -> Result<(), Failure> {
    for &place in group {
        held.push(place, feature).map_err(Failure::Spill)?;
    }
    let plain = group.iter().copied().filter(|place| outlines[*place as usize].is_plain());
    let plain: Vec<u32> = plain.collect();
    if asked.most.is_none_or(|most| plain.len() <= most) { pair_up(&plain, asked, 0, shared) } else { Ok(()) }
}

/// Each two of a group hold a feature of a class.
fn pair_up(group: &[u32], asked: PairChoice<'_>, class: u32, shared: &mut Sorter<u64>) -> Result<(), Failure> {
    let Share { part, of } = asked.share;
    for (i, &a) in group.iter().enumerate().filter(|(_, a)| *a % of == part) {
        for &b in group[i + 1..].iter().filter(|&&b| asked.include(a, b)) {
            let (first, second) = if asked.order == PairOrder::Earlier { (a, b) } else { (b, a) };
            // Places have 31 bits.
            shared.push(u64::from(first) << 33 | u64::from(second) << 2 | u64::from(class)).map_err(Failure::Spill)?;
        }
    }
    Ok(())
}

fn score(
    search: &Search,
    (collection, outlines, templates): (&Collection, &[shingles::Outline], &mut Templates),
    (key, counts): (u64, [u64; 4]),
    found: &mut SearchStats,
    emit: &mut dyn FnMut(Pair) -> io::Result<()>,
) -> Result<(), Failure> {
    let (first, second) = ((key >> 31) as u32, (key & ((1 << 31) - 1)) as u32);
    let shared = counts.iter().sum();
    let (a, b) = (first.min(second), first.max(second));
    found.compared += 1;
    let (score, evidence) = match &collection.digests {
        Digests::Sdhash(digests) => {
            let names = if search.names { collection.name(a).cmp(collection.name(b)) } else { Ordering::Equal };
            let score = sdhash::compare(&digests[a as usize], &digests[b as usize], names).unwrap_or(0);
            (Score::Similarity(score), Evidence { shared_features: Some(shared), ..Evidence::default() })
        }
        Digests::MrshV2(method, digests) => {
            let score = mrsh_v2::compare(method, &digests[a as usize], &digests[b as usize], Base::Smaller);
            (Score::Similarity(score), Evidence { shared_chunks: Some(shared), ..Evidence::default() })
        }
        _ => {
            let [Some(first), Some(second)] = [a, b].map(|place| outlines.get(place as usize)) else { return Ok(()) };
            // Of two that have hardly any others they were counted.
            let plain = first.is_plain() && second.is_plain();
            let counts = (counts, if plain { 0 } else { templates.common(a, b) });
            let shared = shingles::SharedWindows::weighted(counts, collection.rarity, first, second);
            (shared.score(), shared.evidence())
        }
    };
    let certain = evidence.shared_features.or(evidence.shared_chunks).filter(|_| outlines.is_empty());
    let enough = certain.map_or(score != Score::Similarity(0), |certain| certain >= search.least_shared);
    if enough && score.reaches(search.threshold) {
        let degenerate = collection.degenerate(a).max(collection.degenerate(b));
        found.pairs += 1;
        emit(Pair { a, b, score, evidence, degenerate }).map_err(Failure::Output)?;
    }
    Ok(())
}
