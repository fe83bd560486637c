//! An acquisition as a row: what `--json` prints.

use super::comparing::TargetComparison;
use super::event::Summary;
use super::hidden::HiddenRow;
use super::stamping::StampFile;
use pfh_manifest::row::Mark;
use pfh_source::terminal::shown;
use pfh_source::{FindingId, Levels};
use serde::Serialize;
use std::collections::BTreeMap;

/// An acquisition.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcquisitionRow<'a> {
    bytes: u64,
    /// Digests by algorithm, as `pfh algorithms` names them.
    digests: BTreeMap<String, String>,
    hidden: Option<HiddenRow>,
    log: Option<String>,
    /// Targets that failed while others went on.
    lost: Vec<LossRow<'a>>,
    padded: u64,
    retried: u64,
    seconds: f64,
    sector: u32,
    /// Facts of smartctl's reports by their names; none where they are not known.
    smart: Smart<'a>,
    targets: Vec<Target<'a>>,
    timestamp: Option<Timestamp<'a>>,
    unreadable: Vec<Unreadable>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LossRow<'a> {
    cause: &'a str,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Mark,
    path: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Smart<'a> {
    /// After the acquisition.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, super::event::Fact>"))]
    after: &'a super::event::Facts,
    /// Before the acquisition.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, super::event::Fact>"))]
    before: &'a super::event::Facts,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Target<'a> {
    differing: Option<&'a [(u64, u64)]>,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
    path: String,
    verified: Option<bool>,
}

#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Timestamp<'a> {
    cause: Option<&'a str>,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
    path: Option<String>,
    policy: Option<&'a str>,
    serial: Option<&'a str>,
    time: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
struct Unreadable {
    cause: String,
    errno: i32,
    length: u64,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Mark,
    medium_offset: u64,
    offset: u64,
    sector: u64,
}

fn lost(target: &super::event::LostTarget) -> LossRow<'_> {
    LossRow { cause: &target.cause, mark: Mark::of(FindingId::AcquireTarget), path: shown(&target.path) }
}

fn timestamp<'a>(stamped: &'a Result<StampFile, String>, levels: &Levels) -> Timestamp<'a> {
    match stamped {
        Ok(StampFile { path, stamp, .. }) => Timestamp {
            cause: None,
            mark: None,
            path: Some(shown(path)),
            policy: Some(&stamp.policy),
            serial: Some(&stamp.serial),
            time: Some(&stamp.time),
        },
        Err(cause) => {
            let mark = Some(Mark::at(FindingId::AcquireTimestamp, levels));
            Timestamp { cause: Some(cause), mark, ..Timestamp::default() }
        }
    }
}

impl<'a> AcquisitionRow<'a> {
    /// The row.
    pub fn of(summary: &'a Summary) -> AcquisitionRow<'a> {
        let imaged = &summary.imaged;
        let unreadable = |bad: &pfh_source::device::Bad| {
            let at = summary.from + bad.offset;
            Unreadable {
                cause: bad.cause(),
                errno: bad.errno,
                length: bad.length,
                mark: Mark::of(FindingId::AcquireUnreadable),
                medium_offset: at,
                offset: bad.offset,
                sector: at / u64::from(summary.sector),
            }
        };
        AcquisitionRow {
            bytes: imaged.bytes,
            digests: imaged.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string())).collect(),
            hidden: summary.hidden.as_ref().map(HiddenRow::from),
            log: summary.log.as_deref().map(shown),
            lost: summary.lost.iter().map(lost).collect(),
            padded: imaged.padded,
            retried: imaged.retried,
            seconds: imaged.times.total.as_secs_f64(),
            sector: summary.sector,
            smart: Smart { after: &summary.smart[1], before: &summary.smart[0] },
            targets: summary
                .each_target()
                .map(|(path, compared)| Target {
                    differing: compared.map(|compared| &compared.differing[..]),
                    mark: compared.filter(|compared| !compared.is_good()).map(|_| Mark::of(FindingId::AcquireDiffers)),
                    path: shown(path),
                    verified: compared.map(TargetComparison::is_good),
                })
                .collect(),
            timestamp: summary.stamped.as_ref().map(|stamped| timestamp(stamped, &summary.levels)),
            unreadable: imaged.bad.iter().map(unreadable).collect(),
        }
    }
}
