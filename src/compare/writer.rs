//! The pairs in a file or on standard output, and the page.

use super::event::{AUTO, Event, Events, InputRelation, Pair};
use super::grouping::InputGroup;
use super::places::Finder;
use super::request::Request;
use super::{Summary, run};
use crate::job::{Error, PathError};
use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_report::pairs::{self, Format, page, related, table};
use pfh_similarity::{Evidence, MethodName, Score};
use pfh_source::Output;
use std::io::{self, Write};

/// Writes the results of a comparison where its request says, as its events come.
pub struct Writer<'a> {
    request: &'a Request,
    /// None until there is something to compare.
    output: Option<Output>,
    /// Whether rows are of all methods at once.
    all: bool,
    /// Whether text is a table, as the tools' own forms differ.
    is_table: bool,
    page: Option<page::Page>,
    places: Finder,
    /// Why the output could not be opened.
    failed: Option<Error>,
}

impl<'a> Writer<'a> {
    /// Nothing is opened yet: the output is when all digests are there.
    pub fn new(request: &'a Request) -> Writer<'a> {
        let page = request.page.is_some().then(page::Page::new);
        Writer { request, output: None, all: false, is_table: false, page, places: Finder::default(), failed: None }
    }

    /// Writes an event.
    ///
    /// # Errors
    /// The output's.
    pub fn take(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Gathered { all, several, .. } => {
                self.all = *all;
                self.is_table = *several && self.request.form == Format::Text && !self.request.parity;
                self.open()
            }
            Event::Searching(searching) => {
                if let Some(page) = &mut self.page {
                    let scale = page::Scale {
                        distance: matches!(searching.threshold, Score::Distance(_)),
                        threshold: Some(searching.threshold),
                        digests: Some(searching.digests),
                    };
                    page.begin(searching.algorithm.name(), scale);
                }
                Ok(())
            }
            Event::Found(pair) => {
                if let Some(page) = &mut self.page {
                    let [a, b] = pair.places;
                    page.pair(a, b, pair.score, pair.evidence, pair.degenerate);
                }
                Ok(())
            }
            Event::Pair(pair) => self.pair(pair),
            Event::Group(group) => {
                let Some(output) = &mut self.output else { return Ok(()) };
                let form = self.request.form;
                let of = pairs::GroupFacts {
                    algorithm: group.name(),
                    number: group.number,
                    weakest: group.weakest,
                    representative: group.representative_name(),
                };
                pairs::cluster(form, output.room(), &of, group.names());
                output.advance()
            }
            Event::Relating(relating) => {
                if let Some(page) = &mut self.page {
                    let scale = page::Scale { distance: false, threshold: None, digests: Some(relating.files) };
                    page.begin(AUTO, scale);
                }
                if let (Some(output), false) = (&mut self.output, self.request.cluster) {
                    related::head(self.request.form, output.room());
                }
                Ok(())
            }
            Event::Related(row) => self.related(row),
            Event::AllRelated(all) => {
                if let Some(page) = &mut self.page {
                    let collection = all.collection;
                    let member = |place| page::Member { name: collection.name(place), size: collection.size(place) };
                    page.number(numbers(all.groups));
                    page.end(&places(all.groups), &member);
                }
                Ok(())
            }
            Event::Searched(searched) => {
                if let Some(page) = &mut self.page {
                    let collection = searched.collection;
                    let member = |place| page::Member { name: collection.name(place), size: collection.size(place) };
                    page.number(numbers(searched.groups));
                    page.end(&places(searched.groups), &member);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self) -> io::Result<()> {
        let mut output = self.request.output.open().map_err(|error| {
            let kind = error.error.kind();
            self.failed = Some(error.into());
            kind
        })?;
        match self.request.cluster {
            true => pairs::cluster_head(self.request.form, output.room()),
            // Of all methods at once the head comes later.
            false if self.all => {}
            false if self.is_table => table::head(output.room()),
            false => pairs::head(self.request.form, output.room()),
        }
        self.output = Some(output);
        Ok(())
    }

    fn related(&mut self, row: &InputRelation<'_>) -> io::Result<()> {
        if let Some(page) = &mut self.page {
            let [a, b] = row.places;
            let evidence = Evidence { shared_bytes: row.shared_bytes, contained: row.contained, ..Evidence::default() };
            let said = page::PairResults {
                relation: row.relation.word().to_owned(),
                contained: row.contained,
                scores: row.scores.iter().map(|(method, score)| (method.name().to_owned(), score.number())).collect(),
                chance: row.chance,
                places: self.places.of(row),
            };
            page.related((a, b, Score::Similarity(row.score)), evidence, row.degenerate, Some(said));
        }
        let (Some(output), true) = (&mut self.output, row.listed) else { return Ok(()) };
        let score = |method: MethodName| {
            let of = |(algorithm, _): &&(Algorithm, Score)| MethodName::of(*algorithm) == Some(method);
            row.scores.iter().find(of).map(|(_, score)| score.number())
        };
        let written = related::RelationFacts {
            a: row.a,
            b: row.b,
            relation: row.relation.word(),
            score: row.score,
            shared_bytes: row.shared_bytes,
            contained: row.contained,
            ssdeep: score(MethodName::Ssdeep),
            sdhash: score(MethodName::Sdhash),
            mrsh_v2: score(MethodName::MrshV2),
            tlsh: score(MethodName::Tlsh),
            strings: score(MethodName::Strings),
            text: score(MethodName::Text),
            cells: score(MethodName::Cells),
            pdq: score(MethodName::Pdq),
            crops: score(MethodName::Crops).filter(|places| *places > 0),
            chance: row.chance,
            degenerate: row.degenerate,
        };
        related::row(self.request.form, output.room(), &written);
        output.advance()
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        let Some(output) = &mut self.output else { return Ok(()) };
        let form = self.request.form;
        let texts = if form == Format::Values { pair.values() } else { Default::default() };
        let &Pair { a, b, mut algorithm, mut score, evidence, degenerate, chance, .. } = pair;
        // With parity the text is the tool's own, which has no marks.
        let degenerate = degenerate.filter(|_| !self.request.parity || form != Format::Text);
        if form == Format::Text && !self.is_table && pair.asked != algorithm {
            // One text has one form; TLSH counts differences.
            algorithm = pair.asked;
            if MethodName::of(algorithm).is_some_and(|method| method.profile().has_distances()) {
                score = Score::Distance(0);
            }
        }
        let values = [&*texts[0], &*texts[1]];
        let pair = pairs::Pair { a, b, algorithm, score, evidence, chance, degenerate, values };
        match self.is_table {
            true => table::row(output.room(), &pair),
            false => pairs::pair(form, output.room(), &pair),
        }
        output.advance()
    }

    /// The output is complete, and so is the page.
    ///
    /// # Errors
    /// The output's, the page's.
    pub fn finish(self) -> Result<(), Error> {
        if let Some(output) = self.output {
            output.commit().map_err(Error::Sink)?;
        }
        let (Some(mut page), Some(path)) = (self.page, &self.request.page) else { return Ok(()) };
        page.made(&crate::report::made(&self.request.command));
        let written = Output::file(path).and_then(|mut file| {
            page.render(file.room());
            file.commit()
        });
        written.map_err(|error| Error::output(PathError::new(path, error)))
    }

    /// The job ended before its time: complete results go to standard output, no file appears.
    pub fn abandon(mut self, error: Error) -> Error {
        if let Some(output) = &mut self.output {
            let _ = output.flush();
        }
        self.failed.take().unwrap_or(error)
    }
}

/// The members of each group.
fn places(groups: &[InputGroup]) -> Vec<Vec<u32>> {
    groups.iter().map(|group| group.places.clone()).collect()
}

/// The number of each group.
fn numbers(groups: &[InputGroup]) -> Vec<u64> {
    groups.iter().map(|group| group.number).collect()
}

/// Compares as [`run`] does, and writes the results where the request says. `events` come first.
///
/// # Errors
/// As [`run`]; when an output fails.
pub fn write(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let mut writer = Writer::new(request);
    let ran = run(
        request,
        &mut |event| {
            events(event)?;
            writer.take(&event)
        },
        control,
    );
    match ran {
        Ok(summary) => writer.finish().map(|()| summary),
        Err(error) => Err(writer.abandon(error)),
    }
}
