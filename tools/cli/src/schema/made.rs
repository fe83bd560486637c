//! The schemas, made from the types of the rows: the files of docs/schema.

use crate::show::{algorithms, kernels, stages, stats};
use pfh::chain::{Link, Signature};
use pfh::known::KnownStatus;
use pfh::manifest::jsonl;
use pfh::manifest::row::Counts;
use pfh::report::rows;
use pfh_schemas::{Document, joined, of};

const DOCUMENTS: &[Document] = &[
    Document { name: "acquire", title: "pfh acquire --json", rows: &[of::<pfh::acquire::AcquisitionRow<'_>>] },
    Document {
        name: "algorithms",
        title: "pfh algorithms --json, also with --measure",
        rows: &[of::<algorithms::Line<'_>>, of::<kernels::Line<'_>>],
    },
    Document {
        name: "audit",
        title: "pfh audit verify, ask and demo --json",
        rows: &[of::<pfh::audit::VerdictRow<'_>>, of::<pfh::audit::SceneRow<'_>>],
    },
    Document {
        name: "bag",
        title: "pfh bag validate, create and update --json",
        rows: &[of::<pfh::bag::FindingRow<'_>>, of::<pfh::bag::SummaryRow>, of::<pfh::bag::MadeRow>],
    },
    Document {
        name: "check",
        title: "pfh check --json, also with --audit and of objects",
        rows: &[
            of::<pfh::check::FileRow<'_>>,
            of::<pfh::check::AuditRow<'_>>,
            of::<pfh::check::FilesSum<'_>>,
            of::<pfh::check::AuditSum>,
            of::<pfh::stated::ObjectRow<'_>>,
            of::<pfh::stated::ObjectsSum<'_>>,
        ],
    },
    Document { name: "cat", title: "pfh cat --runs --json", rows: &[of::<pfh::cat::RunRow<'_>>] },
    Document {
        name: "compare",
        title: "pfh compare --json, pfh match --similar --json",
        rows: &[of::<rows::RelatedRow<'_>>, of::<rows::Similar<'_>>, of::<rows::Cluster<'_>>],
    },
    Document {
        name: "diff",
        title: "pfh diff --json",
        rows: &[of::<pfh::diff::DifferenceRow<'_>>, of::<pfh::diff::DiffSum<'_>>],
    },
    Document { name: "disks", title: "pfh disks --json", rows: &[of::<pfh::disks::DiskRow<'_>>] },
    Document {
        name: "dups",
        title: "pfh dups --json",
        rows: &[
            of::<pfh::dups::GroupRow<'_>>,
            of::<pfh::dups::FoldersRow<'_>>,
            of::<pfh::dups::SharedRow<'_>>,
            of::<pfh::dups::UnreadRow<'_>>,
            of::<pfh::dups::SkippedRow<'_>>,
            of::<pfh::dups::DupsSum>,
        ],
    },
    Document { name: "extract", title: "pfh extract --json", rows: &[of::<pfh::extract::Row<'_>>] },
    Document {
        name: "hash",
        title: "pfh hash --json, pfh merge, and every manifest in -f jsonl",
        rows: &[of::<jsonl::Line<'_>>],
    },
    Document { name: "known-info", title: "pfh known info --json", rows: &[of::<pfh::known::SetsRow<'_>>] },
    Document { name: "list", title: "pfh list --json", rows: &[of::<pfh::list::NameRow<'_>>] },
    Document {
        name: "log",
        title: "the chained log of an acquisition, IMAGE.log.jsonl",
        rows: &[joined::<pfh::acquire::entry::DatedEntry<'_>, Link>, joined::<Signature, Link>],
    },
    Document { name: "lookup", title: "pfh lookup --json", rows: &[of::<rows::Lookup<'_>>] },
    Document {
        name: "match",
        title: "pfh match --json, also with --sectors",
        rows: &[
            of::<rows::Match<'_>>,
            of::<rows::Total<Counts<KnownStatus>>>,
            of::<pfh::matching::sectors::FragmentRow<'_>>,
            of::<pfh::matching::sectors::FragmentsSum>,
        ],
    },
    Document {
        name: "plan",
        title: "pfh plan --json, and PLAN/plan.json",
        rows: &[of::<pfh::plan::MadeRow>, of::<pfh::plan::Row<'_>>],
    },
    Document { name: "seal", title: "MANIFEST.seal", rows: &[of::<pfh::seal::Row<'_>>] },
    Document {
        name: "selftest",
        title: "pfh selftest --json",
        rows: &[of::<pfh::selftest::TestRow<'_>>, of::<pfh::selftest::TestsSum>],
    },
    Document {
        name: "stats",
        title: "--stats json, on standard error",
        rows: &[of::<stats::Figures>, of::<stats::ComparedFigures>, of::<stats::ComparisonTimes>, of::<stages::Stages>],
    },
    Document {
        name: "tree",
        title: "pfh tree build, update, watch, append, receive, check, diff, verify, root, export and import --json",
        rows: &[
            of::<pfh::tree::FileRow<'_>>,
            of::<pfh::tree::DirectoryRow<'_>>,
            of::<pfh::tree::EntryRow<'_>>,
            of::<pfh::tree::PairRow<'_>>,
            of::<pfh::tree::ProvedRow<'_>>,
            of::<pfh::tree::DisprovedRow<'_>>,
            of::<pfh::tree::RootRow<'_>>,
        ],
    },
    Document {
        name: "update",
        title: "pfh hash --update --json, pfh check --update --json",
        rows: &[of::<pfh::update::ChangeRow<'_>>, of::<pfh::update::UpdateSum>],
    },
    Document { name: "verify", title: "pfh verify --json", rows: &[of::<pfh::verify::VerificationRow<'_>>] },
];

#[test]
fn the_schemas_are_those_of_the_rows() {
    pfh_schemas::hold(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema"), DOCUMENTS);
}
