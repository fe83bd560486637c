//! The schemas, made from the types of the rows: the files of docs/schema.

use crate::show::{
    acquire, algorithms, audit, bag, cat, check, diff, disks, dups, kernels, known, list, plan, sectors, selftest,
    stages, stated, stats, tree, update, verify,
};
use pfh::chain::{Link, Signature};
use pfh::known::KnownStatus;
use pfh::manifest::jsonl;
use pfh::manifest::row::Counts;
use pfh::report::rows;
use pfh_schemas::{Document, joined, of};

const DOCUMENTS: &[Document] = &[
    Document { name: "acquire", title: "pfh acquire --json", rows: &[of::<acquire::Acquired<'_>>] },
    Document {
        name: "algorithms",
        title: "pfh algorithms --json, also with --measure",
        rows: &[of::<algorithms::Line<'_>>, of::<kernels::Line<'_>>],
    },
    Document {
        name: "audit",
        title: "pfh audit verify, ask and demo --json",
        rows: &[of::<audit::Line<'_>>, of::<audit::Staged<'_>>],
    },
    Document {
        name: "bag",
        title: "pfh bag validate, create and update --json",
        rows: &[of::<bag::Found<'_>>, of::<bag::Whole>, of::<bag::Made>],
    },
    Document {
        name: "check",
        title: "pfh check --json, also with --audit and of objects",
        rows: &[
            of::<check::Compared<'_>>,
            of::<check::Audited<'_>>,
            of::<check::Listed<'_>>,
            of::<check::Audit>,
            of::<stated::Object<'_>>,
            of::<stated::All<'_>>,
        ],
    },
    Document { name: "cat", title: "pfh cat --runs --json", rows: &[of::<cat::Line<'_>>] },
    Document {
        name: "compare",
        title: "pfh compare --json, pfh match --similar --json",
        rows: &[of::<rows::Related<'_>>, of::<rows::Similar<'_>>, of::<rows::Cluster<'_>>],
    },
    Document { name: "diff", title: "pfh diff --json", rows: &[of::<diff::Row<'_>>, of::<diff::Counts<'_>>] },
    Document { name: "disks", title: "pfh disks --json", rows: &[of::<disks::DiskRow<'_>>] },
    Document {
        name: "dups",
        title: "pfh dups --json",
        rows: &[of::<dups::Grouped<'_>>, of::<dups::Equal<'_>>, of::<dups::Sharing<'_>>, of::<dups::All>],
    },
    Document { name: "extract", title: "pfh extract --json", rows: &[of::<pfh::extract::Row<'_>>] },
    Document {
        name: "hash",
        title: "pfh hash --json, pfh merge, and every manifest in -f jsonl",
        rows: &[of::<jsonl::Line<'_>>],
    },
    Document { name: "known-info", title: "pfh known info --json", rows: &[of::<known::Held<'_>>] },
    Document { name: "list", title: "pfh list --json", rows: &[of::<list::Line<'_>>] },
    Document {
        name: "log",
        title: "the chained log of an acquisition, IMAGE.log.jsonl",
        rows: &[joined::<pfh::acquire::entry::Dated<'_>, Link>, joined::<Signature, Link>],
    },
    Document { name: "lookup", title: "pfh lookup --json", rows: &[of::<rows::Lookup<'_>>] },
    Document {
        name: "match",
        title: "pfh match --json, also with --sectors",
        rows: &[
            of::<rows::Match<'_>>,
            of::<rows::Total<Counts<KnownStatus>>>,
            of::<sectors::Fragment<'_>>,
            of::<sectors::Total>,
        ],
    },
    Document {
        name: "plan",
        title: "pfh plan --json, and PLAN/plan.json",
        rows: &[of::<plan::Row>, of::<pfh::plan::Row<'_>>],
    },
    Document { name: "seal", title: "MANIFEST.seal", rows: &[of::<pfh::seal::Row<'_>>] },
    Document { name: "selftest", title: "pfh selftest --json", rows: &[of::<selftest::Line<'_>>, of::<selftest::All>] },
    Document {
        name: "stats",
        title: "--stats json, on standard error",
        rows: &[of::<stats::Figures>, of::<stats::ComparedFigures>, of::<stats::Both>, of::<stages::Stages>],
    },
    Document {
        name: "tree",
        title: "pfh tree build, update, watch, append, receive, check, diff, verify, root, export and import --json",
        rows: &[
            of::<tree::Line<'_>>,
            of::<tree::Directory<'_>>,
            of::<tree::Entry<'_>>,
            of::<tree::Compared<'_>>,
            of::<tree::Proved<'_>>,
            of::<tree::Disproved<'_>>,
            of::<tree::Computed<'_>>,
        ],
    },
    Document {
        name: "update",
        title: "pfh hash --update --json, pfh check --update --json",
        rows: &[of::<update::Updated<'_>>, of::<update::All>],
    },
    Document { name: "verify", title: "pfh verify --json", rows: &[of::<verify::Verification<'_>>] },
];

#[test]
fn the_schemas_are_those_of_the_rows() {
    pfh_schemas::hold(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema"), DOCUMENTS);
}
