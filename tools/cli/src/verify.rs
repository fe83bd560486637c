//! `pfh verify`: arguments, findings and the verdict of [`pfh::verify`].

use crate::exit::{self, Exit, Failure};
use crate::leveling::Leveling;
use crate::run::algorithms_or_none;
use crate::session::Session;
use crate::show::verify as show;
use clap::Args;
use pfh::Digest;
use pfh::manifest::row::line;
use pfh::verify::{self, Claim, Event, Of, Problem, Request, VerificationRow};
use std::path::PathBuf;

/// Check an image, and the log of its acquisition.
#[derive(Debug, Args)]
#[command(after_help = EVIDENCE)]
pub struct Verify {
    /// Image (E01, Ex01, AFF4, DMG, VHD, VHDX, VMDK, QCOW2, raw or split, by its first file) or
    /// device.
    #[arg(value_name = "IMAGE", required_unless_present = "log")]
    pub image: Option<PathBuf>,
    /// Compare with the digests of this chained log (….jsonl), or log of dc3dd or dcfldd [default:
    /// the log beside the image].
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Require a log signed with this public key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Verify the signature of the log's time stamp (LOG.tsr) with these certificates, by `openssl
    /// ts`.
    #[arg(long, value_name = "FILE")]
    pub timestamp_ca: Option<PathBuf>,
    /// Expected digest of the image, NAME:HEX. May be repeated.
    #[arg(long, value_name = "NAME:HEX")]
    pub digest: Vec<String>,
    /// Compare with this medium or image, and print differing ranges.
    #[arg(long, value_name = "SOURCE")]
    pub against: Option<PathBuf>,
    /// Also compute these digests.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Read an image that differs once only. Without it, it is read a second time, past the page
    /// cache where the system can: it "differs both times", or "differed once: cable or memory",
    /// which is not verified all the same.
    #[arg(long)]
    pub once: bool,
    /// Treat the image as raw, with any name and first bytes.
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub levels: Leveling,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

const EVIDENCE: &str = "\
These are found beside the image: its log (IMAGE.log.jsonl, or the log that names it), its map (IMAGE.map),
lists of digests (IMAGE.md5, IMAGE.sha256 …, MD5SUMS, SHA256SUMS …, manifests called IMAGE.* or manifest.*), logs of dc3dd that
name it, hash logs of dcfldd and pfh dd (IMAGE.hashlog, IMAGE.*.log), and the digests in an E01, Ex01, AFF4 or DMG image.

Exit codes: 0 verified; 1 the image, its log or a list differs; 2 usage; 3 nothing to compare with, some
evidence was not compared, or a file could not be read; 128+n ended by signal n.";

/// Runs it.
pub fn run(args: &Verify) -> Exit {
    exit::end(try_run(args))
}

/// A digest that the user states.
fn stated(text: &str) -> Result<Claim, Failure> {
    let (name, hex) = text.rsplit_once(':').ok_or_else(|| format!("--digest {text:?} is not NAME:HEX"))?;
    let algorithm = name.parse::<pfh::Algorithm>().map_err(|e| format!("--digest {text:?}: {e}"))?;
    let digest = Digest::parse(*algorithm, &hex.to_ascii_lowercase());
    let digest = digest.map_err(|_| format!("--digest {text:?}: no digest of {algorithm}"))?;
    Ok(Claim { digest, of: Of::Content, by: "--digest".into() })
}

fn request(args: &Verify) -> Result<Request, Failure> {
    let mut request = Request::default();
    request.claims = args.digest.iter().map(|text| stated(text)).collect::<Result<_, _>>()?;
    request.algorithms = algorithms_or_none(&args.algorithms)?;
    (request.image, request.raw) = (args.image.clone(), args.raw);
    (request.log, request.key) = (args.log.clone(), args.key.clone());
    (request.against, request.timestamp_ca) = (args.against.clone(), args.timestamp_ca.clone());
    (request.once, request.levels) = (args.once, args.levels.asked());
    Ok(request)
}

fn try_run(args: &Verify) -> Result<Exit, Failure> {
    let request = request(args)?;
    let session = Session::open(!args.no_progress)?;
    let mut say = |event: Event<'_>| {
        if let Event::Found(finding) = event
            && finding.finding().is_some_and(|id| request.levels.counts(id))
        {
            session.message(show::sentence(finding));
        }
        Ok(())
    };
    let summary =
        verify::run(&request, &mut say, &session.control()).map_err(|error| match error.find::<Problem>() {
            // The signal says all.
            Some(Problem::Cancelled) => session.signal().into(),
            _ => session.ended(error),
        })?;
    session.close();
    let findings = || summary.findings.iter().map(show::sentence).collect();
    let text = if args.json { line(&VerificationRow::of(&summary, findings())) } else { show::text(&summary) };
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(Exit::of_verdict(summary.verdict()))
}
