//! Files to measure with: a sample that has the sizes of the case.

use super::sizes::Sizes;
use crate::Error;
use crate::random::Random;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pieces of that many bytes stand for longer files: they flow through the table like those.
const PIECE: u64 = 64 << 20;
/// From that many files on, half of the sample is half of the files, and not all of them at half
/// their size.
const MANY: usize = 64;
/// Files for the cost of a file, and their bytes.
const TINY: (u64, u64) = (3000, 64);
/// Files in a folder.
const FOLDER: usize = 100;
/// The first part of a few long files.
const LONG: usize = 4;

/// The parts that are hashed at once: which parts of the layout, their files and bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Indices of parts.
    pub parts: Vec<usize>,
    /// Files of them.
    pub files: u64,
    /// Bytes of them.
    pub bytes: u64,
}

/// The sample, before it is written: the sizes of the files of each part.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Sizes by part.
    pub parts: Vec<Vec<u64>>,
    /// The measured parts: the start alone, small files alone, halves, and last the whole.
    pub points: Vec<Point>,
}

impl Layout {
    /// A sample of at most about `most_bytes` and `most_files` with the case's law: as many files
    /// of each size, and as many bytes in long files, as their share of the case. A case that is
    /// small enough is its own sample.
    pub fn of(sizes: &Sizes, most_bytes: u64, most_files: u64, seed: u64) -> Layout {
        let (whole, mut long) = pick(sizes, most_bytes, most_files);
        let mut random = Random::new(seed);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let few = whole.len() < MANY;
        if few {
            second = [&whole[..], &std::mem::take(&mut long)].concat();
            first = second.iter().map(|size| size / 2).collect();
        } else {
            // Of two neighbours by size either goes to either half.
            for pair in whole.chunks(2) {
                let swap = random.below(pair.len());
                first.push(pair[swap]);
                second.extend(pair.get(1 - swap));
            }
        }
        random.shuffle(&mut first);
        random.shuffle(&mut second);
        // One long file alone is in either half at half its length.
        let is_single = long.len() == 1;
        let other = long.split_off(long.len() / 2);
        if is_single {
            long = other.iter().map(|size| size / 2).collect();
        }
        let parts = vec![vec![TINY.1], vec![TINY.1; TINY.0 as usize], first, second, long, other];
        let point = |indices: &[usize]| {
            let sizes = || indices.iter().flat_map(|&part| &parts[part]);
            Point { parts: indices.to_vec(), files: sizes().count() as u64, bytes: sizes().sum() }
        };
        let points = match (few, is_single) {
            (true, _) => vec![point(&[0]), point(&[1]), point(&[2]), point(&[3])],
            (_, true) => vec![point(&[0]), point(&[1]), point(&[2, 4]), point(&[3, 4]), point(&[2, 3, 5])],
            _ => vec![point(&[0]), point(&[1]), point(&[2, 4]), point(&[3, 5]), point(&[2, 3, 4, 5])],
        };
        Layout { parts, points }
    }

    /// Bytes of all parts, which are more than the whole has where long files are there twice.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().flatten().sum()
    }
}

/// The sizes of the sample, ascending, and apart from them those of long files that lie far from
/// each other in the case: one of them is over before the next is in the table, so that it has its
/// lanes alone, and a sample with more and shorter ones would look cheaper. An even number, or one.
fn pick(sizes: &Sizes, most_bytes: u64, most_files: u64) -> (Vec<u64>, Vec<u64>) {
    let scale = (most_bytes as f64 / sizes.bytes() as f64).min(most_files as f64 / sizes.files() as f64);
    if scale >= 1.0 {
        let all = sizes.rows().iter().flat_map(|&(size, count)| std::iter::repeat_n(size, count as usize));
        return (all.collect(), Vec::new());
    }
    let mut picked = Vec::new();
    // Every n-th file by size: the number of each size is its share, to within one.
    let mut passed = 0.0;
    for &(size, count) in sizes.rows().iter().filter(|row| row.0 <= PIECE) {
        let before = f64::floor(passed * scale + 0.5);
        passed += count as f64;
        let number = f64::floor(passed * scale + 0.5) - before;
        picked.extend(std::iter::repeat_n(size, number as usize));
    }
    let long = || sizes.rows().iter().filter(|row| row.0 > PIECE);
    let (count, bytes) = (long().map(|row| row.1).sum::<u64>(), long().map(|row| row.0 * row.1).sum::<u64>());
    let share = bytes as f64 * scale;
    if share < 1.0 {
        return (picked, Vec::new());
    }
    if (sizes.bytes() - bytes) / count > pfh::DEFAULT_MEMORY as u64 {
        // As many files of one length as have these bytes and squares of bytes.
        let squares: f64 = long().map(|row| (row.0 as f64).powi(2) * row.1 as f64).sum();
        let number = ((bytes as f64).powi(2) / squares * scale).round() as usize;
        let number = if number < 2 { 1 } else { number / 2 * 2 };
        return (picked, vec![(share / number as f64) as u64; number]);
    }
    // No more of them than there are: one file alone has no neighbour to share lanes with.
    let pieces = ((share / PIECE as f64).round() as u64).clamp(1, count);
    picked.extend(std::iter::repeat_n((share / pieces as f64) as u64, pieces as usize));
    (picked, Vec::new())
}

/// A layout on disk. The directory is removed in the end.
pub struct Sample {
    layout: Layout,
    scratch: Scratch,
}

impl Sample {
    /// Writes the files below a directory of its own in `parent`, with random bytes, and waits
    /// until the device has them. `progress` gets every file's bytes, and ends the work by
    /// returning no.
    pub fn create(
        layout: Layout,
        parent: &Path,
        seed: u64,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Sample, Error> {
        let ask = || Ok(pfh::process::free_bytes(File::open(parent)?)?);
        let (free, needs) = (ask().map_err(Error::file(parent))?.unwrap_or(u64::MAX), layout.bytes());
        if free < needs / 8 * 9 {
            return Err(Error::Usage(format!(
                "{}: {} free, and the sample takes {}: choose another --scratch or a smaller --sample",
                parent.display(),
                crate::amount::show_bytes(free),
                crate::amount::show_bytes(needs),
            )));
        }
        let scratch = Scratch::create(parent)?;
        let mut random = Random::new(seed);
        let mut buffer = vec![0; 1 << 20];
        for (part, sizes) in layout.parts.iter().enumerate() {
            for (at, &size) in sizes.iter().enumerate() {
                let folder = scratch.0.join(format!("{part}/{:04}", at / FOLDER));
                if at % FOLDER == 0 {
                    std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
                }
                let path = folder.join(format!("{:02}", at % FOLDER));
                fill(&path, size, &mut buffer, &mut random).map_err(Error::file(&path))?;
                if !progress(size) {
                    return Err(Error::Interrupted);
                }
            }
        }
        let sync = || Ok(pfh::process::sync_filesystem(File::open(&scratch.0)?)?);
        sync().map_err(Error::file(&scratch.0))?;
        Ok(Sample { layout, scratch })
    }

    /// The measured parts.
    pub fn points(&self) -> &[Point] {
        &self.layout.points
    }

    /// The paths of a point: the folders in order, and a few long files each at a place of its own
    /// among them. Where they lie decides which of them share lanes, and of a case that is not
    /// known: each call chooses other places.
    pub fn roots(&self, point: &Point, random: &mut Random) -> Vec<PathBuf> {
        let (long, rest): (Vec<usize>, Vec<usize>) = point.parts.iter().partition(|&&part| part >= LONG);
        let files = |part: usize| 0..self.layout.parts[part].len();
        let folder = |part: usize, at: usize| self.scratch.0.join(format!("{part}/{:04}", at / FOLDER));
        let mut roots: Vec<PathBuf> =
            rest.iter().flat_map(|&part| files(part).step_by(FOLDER).map(move |at| folder(part, at))).collect();
        for (part, at) in long.iter().flat_map(|&part| files(part).map(move |at| (part, at))) {
            let place = random.below(roots.len() + 1);
            roots.insert(place, folder(part, at).join(format!("{:02}", at % FOLDER)));
        }
        roots
    }

    /// Asks the kernel to drop a point's pages, so that the next read comes from the device. Names
    /// and sizes stay cached.
    pub fn evict(&self, point: &Point) -> Result<(), Error> {
        for &part in &point.parts {
            for at in 0..self.layout.parts[part].len() {
                let path = self.scratch.0.join(format!("{part}/{:04}/{:02}", at / FOLDER, at % FOLDER));
                let drop = || Ok(pfh::process::evict_range(File::open(&path)?, 0, 0)?);
                drop().map_err(Error::file(&path))?;
            }
        }
        Ok(())
    }

    /// Whether the files lie in memory, and not on a device that they could be read from.
    pub fn is_in_memory(&self) -> bool {
        File::open(&self.scratch.0).is_ok_and(pfh::process::is_in_memory)
    }
}

fn fill(path: &Path, size: u64, buffer: &mut [u8], random: &mut Random) -> std::io::Result<()> {
    let mut file = File::create_new(path)?;
    let mut left = size;
    while left > 0 {
        let part = left.min(buffer.len() as u64) as usize;
        for bytes in buffer[..part].chunks_mut(8) {
            bytes.copy_from_slice(&random.word().to_le_bytes()[..bytes.len()]);
        }
        file.write_all(&buffer[..part])?;
        left -= part as u64;
    }
    Ok(())
}

/// A directory that is removed in the end.
pub(crate) struct Scratch(pub PathBuf);

impl Scratch {
    pub fn create(parent: &Path) -> Result<Scratch, Error> {
        // A name that is new: the files that another process left there are not this one's to
        // remove.
        let path = (0..).map(|n| parent.join(format!("pfh-bench-{}-{n}", std::process::id())));
        for path in path.take(1000) {
            match std::fs::create_dir(&path) {
                Err(cause) if cause.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Scratch(path.clone())).map_err(Error::file(&path)),
            }
        }
        Err(Error::Failed(format!("{}: no new directory could be made in it", parent.display())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Files that cannot be removed stay in the temporary directory.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_case_is_its_own_sample() {
        let sizes = Sizes::of([(1000, 200), (1 << 20, 3)]).unwrap();
        let layout = Layout::of(&sizes, 1 << 30, 1000, 1);
        let whole = layout.points.last().unwrap();
        assert_eq!((whole.files, whole.bytes), (sizes.files(), sizes.bytes()));
        assert_eq!(layout.parts[2].len() + layout.parts[3].len(), 203);
    }

    #[test]
    fn a_sample_has_the_law_of_the_case() {
        let sizes = Sizes::of((1..2000u64).map(|i| (i * i * 20, 1 + 5000 / i)).chain([(40 << 30, 3)])).unwrap();
        let layout = Layout::of(&sizes, 1 << 30, 20_000, 1);
        let whole = layout.points.last().unwrap();
        let scale = (1u64 << 30) as f64 / sizes.bytes() as f64;
        assert!((whole.bytes as f64 / (1u64 << 30) as f64 - 1.0).abs() < 0.05, "{whole:?}");
        assert!((whole.files as f64 - (sizes.files() as f64 * scale)).abs() < 20.0, "{whole:?}");
        // Three of 40 GiB are nearly all of it: three pieces, because three flow side by side
        // there.
        let long = layout.parts[2..].iter().flatten().filter(|&&size| size > 40_000_000).count();
        assert!(long >= 3, "{long}");
        for half in &layout.points[2..4] {
            assert!(half.bytes * 2 >= whole.bytes / 10 * 9 || layout.parts[2].len() < MANY, "{layout:?}");
        }
    }

    /// Long files far from each other: they keep about their length, and become fewer.
    #[test]
    fn long_files_among_many_others_stay_alone() {
        const MB: u64 = 1_000_000;
        let law = |long: u64| Sizes::of([(10_000, 240_000), (800 * MB, long)]).unwrap();
        let lengths = |long, bytes| {
            let layout = Layout::of(&law(long), bytes, 20_000_000, 1);
            let whole = layout.points.last().unwrap();
            assert!(whole.bytes.abs_diff(bytes) < 20_000, "{whole:?}");
            let halves = layout.points[2..4].iter().map(|half| half.bytes.abs_diff(bytes / 2)).max();
            assert!(halves < Some(20_000), "{:?}", layout.points);
            (layout.parts[4].clone(), layout.parts[5].clone())
        };
        assert_eq!(lengths(6, 1800 * MB), (vec![600 * MB], vec![600 * MB]));
        assert_eq!(lengths(6, 720 * MB), (vec![240 * MB], vec![480 * MB]));
        // A whole case that is small enough is not cut.
        assert_eq!(lengths(6, 7200 * MB), (vec![], vec![]));
        // With no more than a table between them they are read side by side.
        assert_eq!(lengths(30, 2640 * MB), (vec![], vec![]));
    }

    #[test]
    fn one_file_stays_one() {
        let sizes = Sizes::of([(722_000_000_000, 1)]).unwrap();
        let layout = Layout::of(&sizes, 1 << 30, 20_000, 1);
        let whole = layout.points.last().unwrap();
        assert_eq!(whole.files, 1);
        assert!(whole.bytes.abs_diff(1 << 30) < 2 && layout.points[2].bytes.abs_diff(1 << 29) < 2, "{layout:?}");
    }

    #[test]
    fn files_are_written_evicted_and_gone_afterwards() {
        let parent = tempfile::tempdir().unwrap();
        let sizes = Sizes::of([(1000, 120), (0, 5)]).unwrap();
        let mut bytes = 0;
        let layout = Layout::of(&sizes, 1 << 20, 1000, 1);
        let sample = Sample::create(layout, parent.path(), 1, &mut |size| {
            bytes += size;
            true
        })
        .unwrap();
        assert_eq!(bytes, sample.layout.bytes());
        for point in sample.points() {
            sample.evict(point).unwrap();
            let files: usize = sample
                .roots(point, &mut Random::new(1))
                .iter()
                .map(|root| Sizes::below(root).unwrap().sizes.files() as usize)
                .sum();
            assert_eq!(files as u64, point.files);
        }
        drop(sample);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
        let stopped = Sample::create(Layout::of(&sizes, 1 << 20, 1000, 1), parent.path(), 1, &mut |_| false);
        assert!(matches!(stopped, Err(Error::Interrupted)));
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
