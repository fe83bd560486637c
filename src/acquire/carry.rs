//! Facts that a copy of an image carries on: its case data, and its list of errors.

use pfh_container::ewf::CaseData;

/// Case data for a copy of an image: each field that is empty in `asked` is the source image's.
/// Software, platform and the time are those of the copy.
pub(super) fn about(asked: &mut CaseData, source: &CaseData) {
    let carry = |field: &mut String, from: &str| {
        if field.is_empty() {
            // The format has no room for control characters, and a foreign image may hold them.
            *field = from.chars().filter(|c| !c.is_control()).collect();
        }
    };
    carry(&mut asked.case_number, &source.case_number);
    carry(&mut asked.evidence_number, &source.evidence_number);
    carry(&mut asked.description, &source.description);
    carry(&mut asked.examiner, &source.examiner);
    carry(&mut asked.notes, &source.notes);
    carry(&mut asked.model, &source.model);
    carry(&mut asked.serial, &source.serial);
}
