//! Files that others may have written: proofs of ranges, updates of commitments, journals, receipts
//! of transfers, bao's outboards.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_tree::audit::{Commitment, Renewal};
use pfh_tree::foreign::obao;
use pfh_tree::outboard::{Function, Journal, Parameters};
use pfh_tree::range::RangeProof;
use pfh_tree::{Arrivals, TreeKind};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(proof) = RangeProof::decode(bytes) {
        assert_eq!(proof.encode(), bytes);
        assert!(proof.verify(&[0; 32]).is_err());
    }
    if let Ok(renewal) = Renewal::decode(bytes) {
        assert_eq!(renewal.encode(), bytes);
        let parameters = Parameters::new(Function::Blake3, 1024).expect("a power of two");
        let _ = Commitment::new(parameters, 100_000, [0; 32]).renew(&renewal);
    }
    if let Some(journal) = Journal::decode(bytes) {
        assert_eq!(journal.encode().len(), bytes.len());
    }
    let kind = TreeKind::Pairs(Parameters::new(Function::Sha256, 1024).expect("a power of two"));
    if let Ok(arrivals) = Arrivals::resume(kind, 5000, bytes) {
        assert_eq!(arrivals.receipt(), bytes);
        assert!(arrivals.bytes() <= 5000 && arrivals.unsettled().len() <= 5);
    }
    let _ = obao::decode(bytes, 16_384, obao::parameters(None).unwrap());
});
