//! The machine, its kernel, and the file system of the directory.

use super::row::{Group, Row, Standing};
use pfh_kernel::Isa;
use pfh_source::device::mounted;
use pfh_source::os;
use pfh_source::terminal::{counted, shown, size_text};
use std::path::Path;

pub(super) fn rows(directory: &Path) -> Vec<Row> {
    let note = |name: &str, detail: String| Row::new(Group::Machine, name, Standing::Note, detail);
    let levels: Vec<&str> = Isa::ALL.iter().filter(|isa| isa.detected()).map(|isa| isa.name()).collect();
    let processors = counted(os::processors() as u64, "processor");
    let mut rows = vec![
        note("program", format!("pfh {}", env!("CARGO_PKG_VERSION"))),
        note("system", format!("{}, {}", os::system_name(), std::env::consts::ARCH)),
        note("processor", format!("{}{processors}: {}", model(), levels.join(", "))),
        note("directory", shown(directory)),
    ];
    rows.extend(file_system(directory).map(|text| note("file system", text)));
    if let Some(free) = std::fs::File::open(directory).ok().and_then(|file| os::free_bytes(&file).ok()).flatten() {
        rows.push(note("free", size_text(free)));
    }
    rows
}

/// The processor's own name, where the kernel says it.
fn model() -> String {
    let text = os::kernel_text("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    let name = line.and_then(|line| line.split_once(": ")).map(|(_, name)| name.trim().to_owned());
    name.map(|name| format!("{name}, ")).unwrap_or_default()
}

/// The file system by the kernel's table of mounts: type, source, options; of the mount point that
/// is nearest above the directory.
fn file_system(directory: &Path) -> Option<String> {
    let full = std::fs::canonicalize(directory).ok()?;
    let table = os::kernel_text("/proc/self/mountinfo")?;
    let kind = |line: &str| line.split(" - ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned);
    let above = table.lines().filter_map(|line| Some((mounted(line).next()?, kind(line)?)));
    let above = above.filter(|(mount, _)| full.starts_with(&mount.at));
    // Of several at one place the last is the one on top.
    let (mount, kind) = above.max_by_key(|(mount, _)| mount.at.as_os_str().len())?;
    Some(format!("{kind} from {} at {} ({})", shown(&mount.source), shown(&mount.at), mount.options))
}
