//! `pfh help finding`: all findings with their levels, and the page of one. `docs/findings.txt` is
//! the list.

use crate::exit::Failure;
use pfh::FindingId;

/// The start of the list.
const ABOUT: &str = "\
Every fault of a format or a run has an id; JSON rows have it beside its level:
ignore  stands in JSON only
warn    is said, and leaves the exit code as it is
error   is said, and decides the verdict and the exit code
--level ID=LEVEL gives a finding another one, down to the lowest that safety allows: a difference,
and bytes without a digest, always count.
";

/// All findings, area by area.
pub fn list() -> String {
    let width = FindingId::ALL.iter().map(|finding| finding.id().len()).max().unwrap_or_default();
    let mut text = format!("{ABOUT}\n{:width$}  {:6}  {:6}  meaning\n", "id", "level", "lowest");
    for finding in FindingId::ALL {
        let (level, lowest) = (finding.level().name(), finding.lowest().name());
        text += &format!("{:width$}  {level:6}  {lowest:6}  {}\n", finding.id(), finding.meaning());
    }
    text + "\nOne in full: pfh help finding ID\n"
}

/// The page of one finding.
///
/// # Errors
/// If none has this id: those that come near.
pub fn one(id: &str) -> Result<String, Failure> {
    let finding: FindingId = id.parse().map_err(|error| {
        let near = near(id);
        let near = if near.is_empty() { "`pfh help findings` lists all".to_owned() } else { near.join(", ") };
        Failure::usage(format_args!("{error}: {near}"))
    })?;
    let (level, lowest) = (finding.level(), finding.lowest());
    let bound = match lowest == level {
        true => format!("It keeps its level: {}.", finding.bound()),
        false => format!("--level {finding}={lowest} is the lowest: {}.", finding.bound()),
    };
    Ok(format!("{finding}: {level}\n\n{}\n{}\n\n{bound}\n", finding.meaning(), finding.remedy()))
}

/// The ids of one area, or with the word in them.
fn near(id: &str) -> Vec<&'static str> {
    let (area, name) = id.split_once('/').unwrap_or((id, id));
    let ids = || FindingId::ALL.iter().map(|finding| finding.id());
    let of_area: Vec<_> = ids().filter(|one| one.split_once('/').is_some_and(|(of, _)| of == area)).collect();
    if of_area.is_empty() { ids().filter(|one| !name.is_empty() && one.contains(name)).collect() } else { of_area }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_in_the_docs_is_that_of_the_table() {
        let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings.txt");
        if std::env::var_os("PFH_BLESS").is_some() {
            std::fs::write(&place, list()).unwrap();
        }
        let kept = std::fs::read_to_string(&place).unwrap_or_default();
        assert_eq!(kept, list(), "PFH_BLESS=1 writes the new list; look at the difference");
    }

    #[test]
    fn each_finding_has_a_page_and_an_unknown_one_names_those_near() {
        for finding in FindingId::ALL {
            let page = one(finding.id()).unwrap();
            assert!(page.contains(finding.meaning()) && page.contains(finding.remedy()), "{page}");
        }
        assert!(one("list/contradict").unwrap_err().to_string().contains("list/contradiction"));
        assert!(one("residue").unwrap_err().to_string().contains("account/residue"));
        assert!(one("no/such").unwrap_err().to_string().contains("pfh help findings"));
    }
}
