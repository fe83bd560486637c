//! The medium of an image, whose chunks are decoded by several threads ahead of the one that reads
//! them.

use super::ahead::{Ahead, is_long};
use super::clock::Clock;
use super::decoders::Decoders;
use super::medium::ImageMedium;
use super::member::problem;
use super::options::Decoding;
use pfh_source::image::{Image, ImageObject};
use pfh_source::{CopiedReader, Lender, Object, Problem, Stage};
use pfh_volume::{Bytes, Content, Failure};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// An image by its name, opened when its turn comes.
pub struct DecodedImage {
    plain: ImageObject,
    decoders: Arc<Decoders>,
}

/// Images by their names, which share threads.
pub fn images(paths: impl IntoIterator<Item = PathBuf>, decoding: &Decoding) -> impl Iterator<Item = DecodedImage> {
    let decoders = Decoders::new(decoding.threads, decoding.memory, &decoding.alone);
    paths.into_iter().map(move |path| DecodedImage { plain: ImageObject(path), decoders: decoders.clone() })
}

impl Object for DecodedImage {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        self.lender().map(|reader| Box::new(reader) as Box<dyn Read + Send>)
    }

    fn lender(&self) -> Result<Box<dyn Lender>, Problem> {
        let plain = || self.plain.open().map(|reader| Box::new(CopiedReader(reader)) as Box<dyn Lender>);
        // Images of bytes as they are, and those that cannot be opened.
        let image = match Image::open(&self.plain.0).map(ImageMedium) {
            Ok(image) if image.is_decoded() && is_long(image.size()) => image,
            _ => return plain(),
        };
        let size = image.size();
        let medium: Arc<dyn Content> = Arc::new(Medium(Arc::new(image)));
        match Ahead::open(&medium, (0, size), &Clock::new(None), &self.decoders) {
            Ok(Some(ahead)) => Ok(Box::new(ahead)),
            Ok(None) => plain(),
            Err(failure) => Err(problem(Stage::Open, &failure)),
        }
    }
}

/// A medium as one content.
struct Medium(Arc<dyn Bytes>);

impl Content for Medium {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Ok(Box::new(Stream { of: self.0.clone(), at: 0 }))
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        Ok(Some(Box::new(Stream { of: self.0.clone(), at: offset })))
    }
}

struct Stream {
    of: Arc<dyn Bytes>,
    at: u64,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.of.read_at(self.at, buffer)?;
        self.at += got as u64;
        Ok(got)
    }
}
