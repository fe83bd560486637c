//! x
#![allow(missing_docs)]
use pfh_volume::*;
use std::io::{BufRead, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
struct F(std::fs::File, u64);
impl Bytes for F {
    fn size(&self) -> u64 {
        self.1
    }
    fn read_at(&self, o: u64, b: &mut [u8]) -> std::io::Result<usize> {
        self.0.read_at(b, o)
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let file = std::fs::File::open(&args[1]).unwrap();
    let size = file.metadata().unwrap().len();
    let bytes: Arc<dyn Bytes> = Arc::new(F(file, size));
    let table = partitions(&bytes).unwrap();
    for part in table.partitions.iter().filter(|p| p.usage == Usage::Partition) {
        let volume = part.open(&bytes).unwrap();
        let Recognised::FileSystem(system) = file_system(volume).unwrap() else { continue };
        eprintln!("p{:?} {} warnings {:?} unread {:?}", part.number, system.kind, system.warnings, system.unread);
        let mut open = std::collections::HashMap::new();
        for s in &system.snapshots {
            eprintln!("  {} id {} set {} created {:?}", s.number, s.id, s.set, s.created);
            match s.open() {
                Ok(o) => {
                    eprintln!(
                        "    size {} warnings {:?} names {} changed {}",
                        o.bytes.size(),
                        o.system.warnings,
                        o.nodes(Options::default()).count(),
                        o.changed(Options::default()).count()
                    );
                    open.insert(s.number.to_string(), o);
                }
                Err(e) => eprintln!("    {e}"),
            }
        }
        if args.len() > 2 && !open.is_empty() {
            let mut out = std::io::stdout().lock();
            for line in std::io::stdin().lock().lines() {
                let line = line.unwrap();
                let (n, at) = line.split_once('\t').unwrap();
                let mut b = vec![0; 16384];
                if let Some(o) = open.get(n) {
                    let _ = o.bytes.read_exact_at(at.parse().unwrap(), &mut b);
                } else {
                    b.fill(0xee)
                }
                out.write_all(&b).unwrap();
            }
        }
    }
}
