//! The hidden parts of a disk, as a row.

use pfh_source::device::hidden::{Answer, HiddenParts, Limit};
use serde::Serialize;

/// The hidden parts of a disk, as a row of the log and of the report.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HiddenRow {
    dco: LimitRow,
    hpa: LimitRow,
    security: SecurityRow,
}

#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
struct LimitRow {
    cause: Option<String>,
    native_sectors: Option<u64>,
    state: &'static str,
    visible_sectors: Option<u64>,
}

#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SecurityRow {
    cause: Option<String>,
    enabled: Option<bool>,
    locked: Option<bool>,
    state: String,
}

const NOT_SUPPORTED: &str = "not supported";
const NOT_DETERMINED: &str = "not determined";

impl From<&Answer<Limit>> for LimitRow {
    fn from(found: &Answer<Limit>) -> Self {
        match found {
            Answer::Is(limit) => LimitRow {
                cause: None,
                native_sectors: Some(limit.native),
                state: if limit.hidden() > 0 { "hidden" } else { "none" },
                visible_sectors: Some(limit.visible),
            },
            Answer::NotSupported => LimitRow { state: NOT_SUPPORTED, ..LimitRow::default() },
            Answer::NotDetermined(cause) => {
                LimitRow { state: NOT_DETERMINED, cause: Some(cause.to_string()), ..LimitRow::default() }
            }
        }
    }
}

impl From<&HiddenParts> for HiddenRow {
    fn from(hidden: &HiddenParts) -> Self {
        let security = match &hidden.security {
            Answer::Is(found) => SecurityRow {
                cause: None,
                enabled: Some(found.is_enabled()),
                locked: Some(found.is_locked()),
                state: found.to_string(),
            },
            Answer::NotSupported => SecurityRow { state: NOT_SUPPORTED.to_owned(), ..SecurityRow::default() },
            Answer::NotDetermined(cause) => SecurityRow {
                state: NOT_DETERMINED.to_owned(),
                cause: Some(cause.to_string()),
                ..SecurityRow::default()
            },
        };
        HiddenRow { dco: (&hidden.dco).into(), hpa: (&hidden.hpa).into(), security }
    }
}
