//! What a report came to.

/// What a report came to.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Files whose content is on the page.
    pub results: u64,
    /// Records in them.
    pub records: u64,
    /// What was not understood, or could not be read, or ends before its end: its name as a
    /// terminal may see it, and why.
    pub unknown: Vec<(String, String)>,
    /// Seals and chains that were verified again and do not hold: name and why.
    pub broken: Vec<(String, String)>,
    /// Seals and chains that hold.
    pub holding: u64,
    /// Negative verdicts that the results state.
    pub negative: u64,
}

impl Summary {
    /// What was found, in a sentence.
    pub fn sentence(&self) -> String {
        let Summary { results, records, holding, negative, .. } = self;
        let mut line = format!("{results} results with {records} records are on the page");
        if *holding > 0 {
            line += &format!("; {holding} seals and chains hold");
        }
        if !self.broken.is_empty() {
            line += &format!("; {} DO NOT HOLD", self.broken.len());
        }
        if *negative > 0 {
            line += &format!("; {negative} negative verdicts");
        }
        if !self.unknown.is_empty() {
            line += &format!("; {} files not understood or not whole", self.unknown.len());
        }
        line
    }
}
