//! The files that are shown: which version of them there is, and the page of it.

use crate::report::event::Event;
use crate::report::request::Request;
use crate::report::run::run;
use crate::report::unfinished::state;
use pfh_engine::{Cancel, Control};
use pfh_report::case::{Case, Problem};
use pfh_source::Item;
use pfh_source::os::names::OsStrExt;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The files are looked at no more often.
const REST: Duration = Duration::from_secs(1);
/// Nor more often than this many times the time that the last look and the last page took.
const SHARE: u32 = 4;

/// The files that are shown.
pub(super) struct Folder {
    request: Request,
    cancel: Cancel,
    looked: Mutex<FolderVersion>,
    page: Mutex<Page>,
}

/// When the files were looked at last, and their version.
#[derive(Default)]
struct FolderVersion {
    next: Option<Instant>,
    version: String,
    /// The time that the last page took.
    page: Duration,
}

#[derive(Default)]
struct Page {
    version: String,
    text: Arc<Vec<u8>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Folder {
    /// These files; `cancel` ends the reading of them.
    pub fn new(request: Request, cancel: Cancel) -> Folder {
        Folder { request, cancel, looked: Mutex::default(), page: Mutex::default() }
    }

    /// The version that there is: another one when a file came, went or changed, or a process ended
    /// that wrote one. Nothing is looked at if the last look was shortly before.
    pub fn version(&self) -> String {
        let mut looked = lock(&self.looked);
        let start = Instant::now();
        if looked.next.is_none_or(|next| next <= start) {
            looked.version = self.look();
            let rest = (start.elapsed() + looked.page).saturating_mul(SHARE).max(REST);
            looked.next = Some(Instant::now() + rest);
        }
        looked.version.clone()
    }

    /// By names and the system's facts of the files: none is opened.
    fn look(&self) -> String {
        let mut hasher = DefaultHasher::new();
        match self.request.input().source() {
            Ok(mut source) => {
                while let Some(item) = source.pull() {
                    if self.cancel.is_cancelled() {
                        break;
                    }
                    match item {
                        Item::Entry(entry) => look_at(&entry.name(), &mut hasher),
                        Item::Problem { name, problem, .. } => (name, problem.to_string()).hash(&mut hasher),
                        Item::Skipped { .. } | Item::Settled { .. } => {}
                    }
                }
            }
            Err(error) => error.to_string().hash(&mut hasher),
        }
        format!("{:016x}", hasher.finish())
    }

    /// The page of the version that there is; `None` when the job ended meanwhile. It is made once
    /// for all that ask for it.
    pub fn page(&self) -> Option<Arc<Vec<u8>>> {
        let mut page = lock(&self.page);
        let version = self.version();
        if page.version != version {
            let start = Instant::now();
            page.text = Arc::new(self.render(&version)?);
            page.version = version;
            lock(&self.looked).page = start.elapsed();
        }
        Some(page.text.clone())
    }

    fn render(&self, version: &str) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Case(case) = event {
                case.render_live(&mut text, version);
            }
            Ok(())
        };
        let control = Control::new().with_cancel(self.cancel.clone());
        let Err(error) = run(&self.request, &mut take, &control) else { return Some(text) };
        if control.is_cancelled() {
            return None;
        }
        // An empty folder, or one that cannot be read: the page shows that now.
        let mut case = Case { title: self.request.title.clone(), ..Case::default() };
        // The page is there: it says why it is empty.
        let what = crate::with_names(&error.to_string()).replace(": no page was written", "");
        case.open.push(Problem { source: 0, name: Vec::new(), what });
        let mut text = Vec::new();
        case.render_live(&mut text, version);
        Some(text)
    }
}

/// Takes the facts of a file into the version.
fn look_at(name: &[u8], hasher: &mut DefaultHasher) {
    let path = Path::new(OsStr::from_bytes(name));
    name.hash(hasher);
    let Ok((stat, _)) = pfh_source::os::stat_path(path) else { return };
    (stat.device, stat.inode, stat.mode, stat.size, stat.mtime, stat.ctime).hash(hasher);
    if name.ends_with(b".log.jsonl") {
        state(path).1.hash(hasher);
    }
}
