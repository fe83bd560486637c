//! The digest: its text, and the share that two of them have in common.

use super::parameters::{COARSEST, LEAST_HEADER, LEAST_SHARED, LEAST_STRING, MOST, WINDOW, least_level};
use super::rarity::Rarity;
use super::templates::is_template;
use super::window::level;
use crate::error::number;
use crate::{Comparison, Degenerate, Evidence, MethodName, ParseError, Score, base64, shared};
use std::fmt;
use std::str::FromStr;

/// The kind of features that a digest names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Windows of an input's bytes: `shingles`.
    Window,
    /// Windows of the normal form of a text: `text`.
    Text,
    /// The printable strings of an executable: `strings`.
    String,
    /// The imports, exports and sections of an executable: `imports`.
    Import,
    /// The cells of a table: `cells`.
    Cell,
}

impl Unit {
    /// The method whose digests hold these.
    pub const fn method(self) -> MethodName {
        match self {
            Unit::Window => MethodName::Shingles,
            Unit::Text => MethodName::Text,
            Unit::String => MethodName::Strings,
            Unit::Import => MethodName::Imports,
            Unit::Cell => MethodName::Cells,
        }
    }

    /// The unit of a method's digests; none of methods whose digests are not their features.
    pub const fn of(method: MethodName) -> Option<Unit> {
        match method {
            MethodName::Shingles => Some(Unit::Window),
            MethodName::Text => Some(Unit::Text),
            MethodName::Strings => Some(Unit::String),
            MethodName::Imports => Some(Unit::Import),
            MethodName::Cells => Some(Unit::Cell),
            _ => None,
        }
    }

    /// The finest level of an input of this length, and the fewest bytes of an input.
    pub(super) fn finest(self, length: u64) -> (u8, u64) {
        match self {
            Unit::Window | Unit::Text => (least_level(length), WINDOW as u64),
            Unit::String => (0, LEAST_STRING as u64),
            Unit::Import => (0, LEAST_HEADER),
            Unit::Cell => (0, 1),
        }
    }
}

/// The chosen windows or strings of an input.
///
/// Its text is `shingles:1:LENGTH:LEVEL:WINDOWS:` (or `text`, `strings`, `imports`) and the names
/// of the windows, ascending, each eight bytes with the highest first, in Base64. It takes a third
/// of a short input, and 700 kB at most.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest {
    unit: Unit,
    length: u64,
    level: u8,
    windows: Vec<u64>,
}

/// As much of a digest as its share of a comparison needs when the windows are kept elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    unit: Unit,
    length: u64,
    level: u8,
    /// From the digest's level on: windows of that level and above.
    counts: Box<[u32]>,
    /// Their weights, in 256ths of a window: less where many inputs hold them.
    weights: Box<[u32]>,
    /// Whether it has hardly a window of its own.
    plain: bool,
}

impl Digest {
    /// `windows`: ascending, each once, of this level and above.
    pub(super) fn new(unit: Unit, length: u64, level: u8, windows: Vec<u64>) -> Digest {
        Digest { unit, length, level, windows }
    }

    /// The kind of the named features.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// How alike the inputs of two digests of one unit are; of different ones nothing is known.
    pub fn compare(&self, other: &Digest) -> Comparison {
        let windows = if self.unit == other.unit { self.shared(other) } else { 0 };
        let shared = SharedWindows::new(windows, &self.outline(), &other.outline());
        let few = [self, other].iter().any(|digest| (digest.windows.len() as u64) < LEAST_SHARED);
        let degenerate = few.then_some(Degenerate::FewFeatures);
        Comparison { score: shared.score(), evidence: shared.evidence(), degenerate }
    }

    /// The length of the input in bytes, or of its normal form.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// One window in 2^level was kept.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// The names of the windows, ascending, each once.
    pub fn windows(&self) -> &[u64] {
        &self.windows
    }

    /// Distinct windows that both inputs have, at the coarser of the two levels.
    pub fn shared(&self, other: &Digest) -> u64 {
        // A window that both name is of both levels.
        shared(&self.windows, &other.windows)
    }

    /// The digest without its windows.
    pub fn outline(&self) -> Outline {
        let counts = self.counts(|_| true);
        let weights = counts.iter().map(|count| count * Rarity::WHOLE).collect();
        Outline { unit: self.unit, length: self.length, level: self.level, counts, weights, plain: false }
    }

    /// The same, where windows count by this rarity: those of [templates](Rarity::has_templates)
    /// nothing, unless the digest has hardly any others.
    pub fn outline_by(&self, rarity: Rarity) -> Outline {
        let mut outline = self.outline();
        if rarity.has_templates() {
            outline.plain = self.is_plain();
            if !outline.plain {
                let own = self.counts(|window| !is_template(window));
                outline.weights = own.iter().map(|count| count * Rarity::WHOLE).collect();
            }
        }
        outline
    }

    /// The windows that count: those of templates are among them only if there are hardly others.
    pub fn own_windows(&self) -> impl Iterator<Item = u64> + '_ {
        let plain = self.is_plain();
        self.windows.iter().copied().filter(move |window| plain || !is_template(*window))
    }

    /// Whether hardly a window is none of a template.
    fn is_plain(&self) -> bool {
        let own = self.windows.iter().filter(|window| !is_template(**window));
        (own.take(LEAST_SHARED as usize).count() as u64) < LEAST_SHARED
    }

    /// From the digest's level on: such windows of that level and above.
    fn counts(&self, counted: impl Fn(u64) -> bool) -> Box<[u32]> {
        let mut counts = Vec::new();
        for &window in self.windows.iter().filter(|window| counted(**window)) {
            let above = usize::from(level(window).saturating_sub(self.level));
            counts.resize(counts.len().max(above + 1), 0u32);
            counts[above] += 1;
        }
        for i in (1..counts.len()).rev() {
            counts[i - 1] += counts[i];
        }
        counts.into()
    }
}

impl Outline {
    /// A window of this digest counts less, since many inputs hold it: `weight` 256ths, as
    /// [`Rarity`] has it.
    pub fn lighten(&mut self, window: u64, weight: u32) {
        let less = Rarity::WHOLE.saturating_sub(weight);
        let above = usize::from(level(window).saturating_sub(self.level));
        for weight in self.weights.iter_mut().take(above + 1) {
            *weight -= less;
        }
    }

    /// The weight of the windows of this level and above, in 256ths.
    fn weight(&self, level: u8) -> u64 {
        self.weights.get(usize::from(level.saturating_sub(self.level))).copied().unwrap_or(0).into()
    }

    /// Windows of this level and above; of a finer level than the digest's nobody knows.
    fn windows(&self, level: u8) -> u64 {
        self.counts.get(usize::from(level.saturating_sub(self.level))).copied().unwrap_or(0).into()
    }

    /// Windows of the digest.
    pub fn len(&self) -> u64 {
        self.windows(self.level)
    }

    /// Whether the digest has hardly a window but those of templates, which then count.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The outline as an index keeps it: the length (8 bytes), the level (1), and how many windows
    /// there are of it and above, of the next and above … (4 each). Unit and weights are left out.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.length.to_le_bytes().to_vec();
        bytes.push(self.level);
        bytes.extend(self.counts.iter().flat_map(|count| count.to_le_bytes()));
        bytes
    }

    /// Reads these bytes as an outline of this unit; none if they are malformed.
    pub fn from_bytes(unit: Unit, bytes: &[u8]) -> Option<Outline> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (&level, counts) = rest.split_first()?;
        let (counts, []) = counts.as_chunks::<4>() else { return None };
        let counts: Box<[u32]> = counts.iter().map(|four| u32::from_le_bytes(*four)).collect();
        let sound = usize::from(level) + counts.len() <= usize::from(COARSEST) + 1
            && counts.first().is_some_and(|first| *first as usize <= MOST)
            && counts.windows(2).all(|two| two[0] >= two[1]);
        let weights = counts.iter().map(|count| count.wrapping_mul(Rarity::WHOLE)).collect();
        let length = u64::from_le_bytes(*length);
        sound.then_some(Outline { unit, length, level, counts, weights, plain: false })
    }
}

impl fmt::Display for Outline {
    /// The text of the digest without the windows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:1:{}:{}:{}:", self.unit.method().name(), self.length, self.level, self.len())
    }
}

/// The windows that two inputs have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedWindows {
    unit: Unit,
    windows: u64,
    /// Those of templates, beside them.
    templates: u64,
    weight: u64,
    level: u8,
    of: [u64; 2],
    weights: [u64; 2],
    lengths: [u64; 2],
}

impl SharedWindows {
    /// `windows`: distinct windows that both digests have, all of them rare.
    pub fn new(windows: u64, a: &Outline, b: &Outline) -> SharedWindows {
        SharedWindows::weighted(([windows, 0, 0, 0], 0), Rarity::Files, a, b)
    }

    /// `windows`: distinct windows that both digests have, by their [class](Rarity::class); the
    /// outlines are [lightened](Outline::lighten) by it. `templates`: those that count nothing.
    pub fn weighted((windows, templates): ([u64; 4], u64), rarity: Rarity, a: &Outline, b: &Outline) -> SharedWindows {
        let level = a.level.max(b.level);
        let [of, weights] = [[a.windows(level), b.windows(level)], [a.weight(level), b.weight(level)]];
        let weight = (0..).zip(windows).map(|(class, windows)| windows * u64::from(rarity.weight(class))).sum();
        SharedWindows {
            unit: a.unit,
            windows: windows.iter().sum(),
            templates,
            weight,
            level,
            of,
            weights,
            lengths: [a.length, b.length],
        }
    }

    /// The share of the first input's windows that the second has, and the other way round, in
    /// percent: 0 only if there is none, 100 only if all are there.
    pub fn contained(&self) -> [u8; 2] {
        self.of.map(|of| percent(self.windows + self.templates, of))
    }

    /// The same of what each has for itself: windows that many inputs hold count less.
    pub fn weighted_share(&self) -> [u8; 2] {
        if self.windows < LEAST_SHARED { [0; 2] } else { self.weights.map(|of| percent(self.weight, of)) }
    }

    /// About how many bytes of distinct content both have.
    pub fn bytes(&self) -> u64 {
        (self.windows + self.templates).saturating_mul(1 << self.level).min(self.lengths[0]).min(self.lengths[1])
    }

    /// The containment of the one that is contained more, if enough windows are shared: a part is
    /// as good as the whole. Of strings the share of all strings of both: each program has some of
    /// a large one's. Features that many inputs hold count less.
    pub fn score(&self) -> Score {
        let [a, b] = self.weights;
        let share = match self.unit {
            Unit::Window | Unit::Text => percent(self.weight, a.min(b)),
            Unit::String | Unit::Import | Unit::Cell => percent(self.weight, a + b - self.weight.min(a)),
        };
        Score::Similarity(if self.windows < LEAST_SHARED { 0 } else { share })
    }

    /// The same figures as evidence; of strings their number.
    pub fn evidence(&self) -> Evidence {
        let contained = Some(self.contained());
        match self.unit {
            Unit::Window | Unit::Text => {
                let weighted = Some(self.weighted_share());
                Evidence { shared_bytes: Some(self.bytes()), contained, weighted, ..Evidence::default() }
            }
            Unit::String | Unit::Import | Unit::Cell => {
                Evidence { shared_features: Some(self.windows), contained, ..Evidence::default() }
            }
        }
    }
}

/// 0 only of none, 100 only of all.
fn percent(part: u64, whole: u64) -> u8 {
    match part {
        0 => 0,
        part if part >= whole => 100,
        // Fits: below 100.
        part => (part * 100 / whole).clamp(1, 99) as u8,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outline().fmt(f)?;
        let bytes: Vec<u8> = self.windows.iter().flat_map(|window| window.to_be_bytes()).collect();
        let mut text = String::new();
        base64::encode(&bytes, &mut text);
        f.write_str(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}…", self.outline())
    }
}

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        let (name, fields) = text.split_once(":1:").ok_or(ParseError::Marker)?;
        let named = |unit: &Unit| unit.method().name() == name;
        let unit = [Unit::Window, Unit::Text, Unit::String, Unit::Import, Unit::Cell]
            .into_iter()
            .find(named)
            .ok_or(ParseError::Marker)?;
        let fields: Vec<&str> = fields.split(':').collect();
        let &[length, level_text, count, windows] = &fields[..] else { return Err(ParseError::Fields) };
        let length: u64 = number(length.as_bytes())?;
        let least: u8 = number(level_text.as_bytes())?;
        let count: usize = number(count.as_bytes())?;
        let room = MOST.min(usize::try_from(length).unwrap_or(MOST));
        let (finest, shortest) = unit.finest(length);
        if least > COARSEST || least < finest || count == 0 || count > room || length < shortest {
            return Err(ParseError::Parameters);
        }
        let mut bytes = vec![0; 8 * count];
        base64::decode(windows.as_bytes(), &mut bytes)?;
        let windows: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|eight| u64::from_be_bytes(*eight)).collect();
        let ascend = windows.windows(2).all(|two| two[0] < two[1]);
        if !ascend || windows.iter().any(|&window| level(window) < least) {
            return Err(ParseError::Number);
        }
        Ok(Digest::new(unit, length, least, windows))
    }
}
