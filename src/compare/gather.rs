//! From operands to collections of digests.

use super::documents::Documents;
use super::event::{Event, Events};
#[cfg(feature = "inside")]
use super::opening::HiddenDocuments;
use super::problem::Problem;
use super::request::{Request, with_features};
use crate::algorithms::{REGISTRY, computed};
#[cfg(feature = "inside")]
use crate::input::Content;
use crate::input::Input;
use crate::job::Error;
use crate::pass::pass;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Plan, Record, Summary};
use pfh_pairs::{Collection, FeatureFile, List, Reading};
use pfh_report::pairs::Format;
use pfh_similarity::MethodName;
use pfh_source::{Level, Levels, Skip};
use std::ffi::OsString;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The request.
pub struct Sets {
    /// The digests of each algorithm.
    pub collections: Vec<Collection>,
    /// Inputs that should have a digest and have none: files that could not be read, malformed
    /// lines.
    pub faults: u64,
    /// Directories that were left out, because only the files beside them were asked for.
    pub directories: u64,
    /// Where the inputs' digests are, if all methods are compared at once.
    pub inputs: Option<Inputs>,
    /// Those of them whose members count as one content.
    pub documents: Option<Documents>,
    /// Those of them that are documents by their names, in runs that open no containers.
    #[cfg(feature = "inside")]
    hidden: HiddenDocuments,
    /// Of sdhash: the features of the files, which show the shared features of saturated digests.
    pub beside: Option<FeatureFile>,
    /// Files that a method makes no digest of, by their content.
    plain: Option<Collection>,
    /// The counts of all passes over files.
    pub run: Option<Summary>,
}

impl Sets {
    /// Hashes the files to be hashed and reads the lists, in the order of the operands.
    pub fn gather(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Sets, Error> {
        let reading = request.reading();
        let lists = request.lists.then_some(&reading);
        let mut held = 0;
        let mut first = parts(&request.input.paths, lists, &mut held);
        let mut second = parts(&request.against, lists, &mut held);
        // Files and then an index: the index is what they are compared with.
        let is_asked = |parts: &[Part]| matches!(parts, [Part::Files(_), Part::List(list)] if list.is_index());
        if second.is_empty() && request.given.is_empty() && !request.cluster && is_asked(&first) {
            second.extend(first.pop());
        }
        let (algorithms, all) = algorithms_of(request, first.iter_mut().chain(&mut second));
        let share = request.memory / algorithms.len().max(1);
        // The text of these digests is all of their features.
        let apart = |algorithm: &Algorithm| {
            MethodName::of(*algorithm).is_some_and(|method| method.profile().is_features)
                && request.form != Format::Values
        };
        let collection = |algorithm: &Algorithm| match request.evidence || apart(algorithm) {
            false => Collection::new(*algorithm),
            true => Collection::with_features(*algorithm, share),
        };
        let mut collections: Vec<Collection> = algorithms.iter().map(collection).collect();
        if all {
            collections.iter_mut().for_each(Collection::turn);
            collections.iter_mut().for_each(Collection::weigh);
        }
        let inputs = all.then(|| Inputs::new(algorithms.iter().copied().map(MethodName::of).collect()));
        let documents = all.then(|| Documents::new(algorithms[SHARED], share));
        let (algorithms, kept) = (hashed_as(request, algorithms, all)?, all || request.lists_saturated());
        let is_sdhash = |algorithm: &Algorithm| MethodName::of(*algorithm).is_some_and(MethodName::is_sdhash);
        // Places are those of one collection.
        let one = algorithms.iter().copied().filter(|algorithm| is_sdhash(algorithm)).count() == 1;
        let beside = (!kept && one).then(|| FeatureFile::new(share / 2));
        let hashed = algorithms;
        if request.evidence && first.iter().chain(&second).any(|part| matches!(part, Part::List(_))) {
            return Err(Error::request(Problem::List));
        }
        if request.input.list.is_some() {
            first.push(Part::Files(Vec::new()));
        }
        let plain = by_content(request, &hashed);
        let mut sets = Sets {
            collections,
            faults: 0,
            directories: 0,
            inputs,
            documents,
            #[cfg(feature = "inside")]
            hidden: HiddenDocuments::default(),
            beside,
            plain,
            run: None,
        };
        let across = !second.is_empty() || !request.given.is_empty();
        for (number, parts) in [first, second].into_iter().enumerate() {
            if number == 1 && across {
                let documents = sets.documents.as_mut().map(|documents| &mut documents.collection);
                let collections = sets.collections.iter_mut().chain(&mut sets.plain).chain(documents);
                collections.for_each(Collection::begin_second_set);
            }
            for part in parts {
                sets.take_part(request, part, &hashed, events, control)?;
            }
        }
        sets.take_given(request)?;
        // Its pairs come last, and only if there are files without a digest.
        sets.collections.extend(sets.plain.take().filter(|plain| !plain.is_empty()));
        Ok(sets)
    }

    fn take_part(
        &mut self,
        request: &Request,
        part: Part,
        hashed: &[Algorithm],
        events: &mut Events<'_>,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        match part {
            Part::List(list) => {
                let mut refused = None;
                self.faults += list.load(&mut self.collections, &mut |problem| {
                    if refused.is_none() {
                        refused = events(Event::List(problem)).err();
                    }
                });
                refused.map_or(Ok(()), |error| Err(Error::Sink(error)))
            }
            Part::Files(paths) => {
                let list = request.input.list.clone().filter(|_| paths.is_empty());
                let input = Input { paths, list, ..request.input.clone() };
                self.hash(request, &input, hashed, events, control)
            }
        }
    }

    fn take_given(&mut self, request: &Request) -> Result<(), Error> {
        for (name, digest) in &request.given {
            let name: Arc<[u8]> = name.as_slice().into();
            for collection in self.collections.iter_mut().filter(|c| c.takes(digest.algorithm())) {
                collection.add(&name, digest).map_err(Error::request)?;
            }
        }
        Ok(())
    }

    /// Runs files through the pipeline.
    fn hash(
        &mut self,
        request: &Request,
        input: &Input,
        algorithms: &[Algorithm],
        events: &mut Events<'_>,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        let whole = self.plain.as_ref().map(Collection::algorithm);
        let plan = Plan { algorithms: algorithms.iter().copied().chain(whole).collect(), ..request.plan.clone() };
        let source = input.source()?;
        #[cfg(feature = "inside")]
        let opens = input.is_inside() || input.content == Content::Images;
        let mut gathering = Gathering {
            sets: self,
            events,
            levels: &plan.levels,
            #[cfg(feature = "inside")]
            opens,
        };
        let run = pass(source, || input.again(), &plan, &mut gathering, control)?;
        self.documents.as_mut().map_or(Ok(()), Documents::close).map_err(Error::request)?;
        #[cfg(feature = "inside")]
        if let (Some(documents), false) = (&mut self.documents, run.interrupted) {
            let hidden = std::mem::take(&mut self.hidden);
            let interrupted = hidden.open((input, &plan), self.collections[SHARED].algorithm(), documents, control)?;
            if interrupted {
                return Err(Error::cancelled(Problem::InterruptedReading(run.hashed + run.failed)));
            }
        }
        self.run = Some(self.run.map_or(run, |before| before.and(run)));
        events(Event::Passed(&run)).map_err(Error::Sink)?;
        match run.interrupted {
            true => Err(Error::cancelled(Problem::InterruptedReading(run.hashed + run.failed))),
            false => Ok(()),
        }
    }
}

/// Where an input's digests are, when several methods have digests of the same inputs. The
/// number of an input is its place in the first collection, which has a digest of each.
pub struct Inputs {
    /// The method of each collection.
    methods: Vec<Option<MethodName>>,
    /// By the collection, then by the place of a digest: the input.
    of: Vec<Vec<u32>>,
    /// By the collection, then by the input: the place of its first digest.
    places: Vec<Vec<Option<u32>>>,
}

impl Inputs {
    fn new(methods: Vec<Option<MethodName>>) -> Inputs {
        let (of, places) = (vec![Vec::new(); methods.len()], vec![Vec::new(); methods.len()]);
        Inputs { methods, of, places }
    }

    /// Whether an input has a digest of a method.
    pub fn has(&self, method: MethodName, input: u32) -> bool {
        let number = self.methods.iter().position(|own| *own == Some(method));
        number.is_some_and(|number| self.place(number, input).is_some())
    }

    /// The next input's digests are at these places.
    fn take(&mut self, collection: usize, places: Range<usize>) {
        // Collections hold fewer than 2^31 digests.
        let input = self.places[collection].len() as u32;
        self.places[collection].push((!places.is_empty()).then_some(places.start as u32));
        self.of[collection].extend(places.map(|_| input));
    }

    /// The number of the last input.
    fn last(&self) -> u32 {
        // Collections hold fewer than 2^31 digests.
        self.places[0].len().saturating_sub(1) as u32
    }

    /// The input that a digest is of.
    pub fn of(&self, collection: usize, place: u32) -> u32 {
        self.of[collection][place as usize]
    }

    /// Where an input's digest is.
    pub fn place(&self, collection: usize, input: u32) -> Option<u32> {
        self.places[collection][input as usize]
    }
}

/// Takes the digests of records into the collections.
struct Gathering<'a> {
    sets: &'a mut Sets,
    events: &'a mut Events<'a>,
    levels: &'a Levels,
    /// Whether containers are opened as they are read.
    #[cfg(feature = "inside")]
    opens: bool,
}

impl pfh_engine::Sink for Gathering<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let hashed = match &record.outcome {
            Outcome::Hashed(hashed) => hashed,
            Outcome::Skipped(skip) => {
                self.sets.directories += u64::from(*skip == Skip::Directory);
                self.sets.faults += u64::from(self.levels.counts(skip.finding()));
                return (self.events)(Event::Unread(&record));
            }
            Outcome::Failed(problem) => {
                self.sets.faults += u64::from(problem.level == Level::Error);
                return (self.events)(Event::Unread(&record));
            }
        };
        let name: Arc<[u8]> = record.name.as_slice().into();
        // Of all methods at once: empty files are alike in nothing.
        if self.sets.inputs.is_some() && hashed.closed.size == 0 {
            return Ok(());
        }
        let mut without = false;
        for (number, (collection, digest)) in self.sets.collections.iter_mut().zip(&hashed.digests).enumerate() {
            let (before, lacked) = (collection.len(), collection.without());
            if let Err(why) = collection.add(&name, digest) {
                self.sets.faults += 1;
                (self.events)(Event::Refused(&name, &why))?;
            }
            collection.size_from(before, hashed.closed.size);
            // Segments have no features of their own.
            if let (Some(beside), true) = (&mut self.sets.beside, collection.len() == before + 1)
                && MethodName::of(collection.algorithm()).is_some_and(MethodName::is_sdhash)
            {
                beside.take(before as u32, digest)?;
            }
            without |= collection.without() > lacked;
            if let Some(inputs) = &mut self.sets.inputs {
                inputs.take(number, before..collection.len());
            }
        }
        if let (Some(inputs), Some(documents)) = (&self.sets.inputs, &mut self.sets.documents) {
            #[cfg(feature = "inside")]
            if !self.opens {
                self.sets.hidden.take(&name, inputs.last(), hashed.closed.size);
            }
            let inside = hashed.closed.inside.as_deref();
            let taken = documents.take((&name, inputs.last()), inside, &hashed.digests[SHARED]);
            taken.map_err(io::Error::other)?;
        }
        // The digest of the whole is the last one. Empty files are alike in nothing.
        if let (Some(plain), Some(digest)) = (&mut self.sets.plain, hashed.digests.last())
            && without
            && hashed.closed.size > 0
        {
            let before = plain.len();
            plain.add(&name, digest).map_err(io::Error::other)?;
            plain.size_from(before, hashed.closed.size);
        }
        Ok(())
    }
}

/// Lists that stay open until they are read; others are opened again. A process may have about a
/// thousand files open.
const HELD: usize = 64;

/// Operands that are taken in one go.
enum Part {
    List(Box<List>),
    Files(Vec<OsString>),
}

/// `lists`: how lists are read; none if lists are files like others. `held`: how many are open.
fn parts(paths: &[OsString], lists: Option<&Reading>, held: &mut usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for path in paths {
        let list = lists.and_then(|reading| List::find(path.as_ref(), reading, REGISTRY));
        if let Some(mut list) = list {
            *held += 1;
            if *held > HELD {
                list.close();
            }
            parts.push(Part::List(Box::new(list)));
        } else if let Some(Part::Files(files)) = parts.last_mut() {
            files.push(path.clone());
        } else {
            parts.push(Part::Files(vec![path.clone()]));
        }
    }
    parts
}

/// Where files go that a similarity method makes no digest of: equal ones are pairs all the same,
/// by the digest of their content. None where an algorithm compares contents anyway, where shared
/// features are asked for, and where the output is that of the reference tools.
fn by_content(request: &Request, algorithms: &[Algorithm]) -> Option<Collection> {
    let exact = algorithms.iter().any(|algorithm| MethodName::of(*algorithm).is_none());
    let wanted = !exact && !request.evidence && !request.parity;
    let whole = REGISTRY.find(WHOLE).ok().filter(|_| wanted)?;
    Some(Collection::standing_for(whole, algorithms.first().copied()))
}

/// The algorithms that files are hashed with: with features where those decide, or show the shared
/// features of saturated digests of sdhash.
fn hashed_as(request: &Request, algorithms: Vec<Algorithm>, all: bool) -> Result<Vec<Algorithm>, Error> {
    if request.evidence {
        return with_features(&algorithms);
    }
    let kept = |algorithm: Algorithm| match MethodName::of(algorithm).is_some_and(MethodName::is_sdhash) {
        true if !all && !request.lists_saturated() => algorithm.keeping_features().unwrap_or(algorithm),
        _ => algorithm,
    };
    Ok(algorithms.into_iter().map(kept).collect())
}

/// The algorithm of whole contents.
const WHOLE: &str = "sha256";

/// The place of shared bytes among all methods at once.
const SHARED: usize = 1;

/// The algorithms asked for, or those of the lists, or all methods at once, which is said; or the
/// paper's default, where the output is one method's.
fn algorithms_of<'a>(request: &Request, parts: impl Iterator<Item = &'a mut Part>) -> (Vec<Algorithm>, bool) {
    if !request.algorithms.is_empty() {
        return (computed(&request.algorithms), false);
    }
    let (mut found, mut listed): (Vec<Algorithm>, bool) = (Vec::new(), false);
    for part in parts {
        let Part::List(list) = part else { continue };
        listed = true;
        for algorithm in list.algorithms() {
            if !found.iter().any(|known| Collection::new(*known).takes(algorithm)) {
                found.push(algorithm);
            }
        }
    }
    if !found.is_empty() {
        return (found, false);
    }
    if listed || !request.given.is_empty() || request.evidence || request.parity || request.form == Format::Values {
        return (REGISTRY.find(MethodName::MrshV2.name()).into_iter().collect(), false);
    }
    // The first one decides which inputs are equal, the second which parts they share. The last
    // five are for files of one kind.
    let bytes = [MethodName::Shingles, MethodName::Ssdeep, MethodName::Sdhash, MethodName::MrshV2, MethodName::Tlsh];
    let methods = bytes.into_iter().chain([
        MethodName::Strings,
        MethodName::Text,
        MethodName::Cells,
        MethodName::Pdq,
        MethodName::Crops,
    ]);
    let names = std::iter::once(WHOLE).chain(methods.map(MethodName::name));
    (names.filter_map(|name| REGISTRY.find(name).ok()).collect(), true)
}
