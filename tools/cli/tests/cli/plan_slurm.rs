//! The example for Slurm of docs/cluster.md, under a controller and a node of this machine.
#![cfg(unix)]

use crate::program::{Room, random};
use pfh_inject::{Need, lacks};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// munged, slurmctld and slurmd, which end with the test.
struct Slurm {
    directory: PathBuf,
    daemons: Vec<Child>,
}

impl Slurm {
    fn start(room: &Path) -> Slurm {
        let directory = room.join("slurm");
        for name in ["state", "spool", "munge"] {
            fs::create_dir_all(directory.join(name)).unwrap();
        }
        fs::write(directory.join("munge/key"), random(1, 1024)).unwrap();
        // Listeners that are gone again: nobody else is given these ports in the meantime.
        let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [control, node] = ports.map(|port| port.local_addr().unwrap().port());
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let (host, at) = (host.trim().split('.').next().unwrap(), directory.display());
        // More processors than there are: the example asks for four.
        let settings = format!(
            "ClusterName=here\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\nAuthInfo=socket={at}/socket\n\
             StateSaveLocation={at}/state\nSlurmdSpoolDir={at}/spool\nSlurmctldPidFile={at}/slurmctld.pid\n\
             SlurmdPidFile={at}/slurmd.pid\nSlurmctldPort={control}\nSlurmdPort={node}\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nMpiDefault=none\nReturnToService=2\nSlurmdParameters=config_overrides\n\
             SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\nNodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=100\n\
             PartitionName=all Nodes={host} Default=YES State=UP\n"
        );
        fs::write(directory.join("slurm.conf"), settings).unwrap();
        let mut slurm = Slurm { directory, daemons: Vec::new() };
        let file = |name: &str| format!("{}/{name}", slurm.directory.display());
        fs::set_permissions(file("munge"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        fs::set_permissions(file("munge/key"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let munge = [
            ("--key-file=", "munge/key"),
            ("--socket=", "socket"),
            ("--pid-file=", "munge/pid"),
            ("--log-file=", "munge/log"),
            ("--seed-file=", "munge/seed"),
        ];
        let mut words = vec!["munged".into(), "--foreground".into(), "--force".into()];
        words.extend(munge.map(|(option, name)| format!("{option}{}", file(name))));
        slurm.daemon(&words);
        slurm.wait("the socket", |slurm| slurm.directory.join("socket").exists());
        slurm.daemon(&["slurmctld".into(), "-D".into()]);
        slurm.daemon(&["slurmd".into(), "-D".into()]);
        slurm.wait("a node", |slurm| slurm.run("sinfo --noheader --format %T").trim() == "idle");
        slurm
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let place = PathBuf::from(env!("CARGO_BIN_EXE_pfh"));
        let path = std::env::join_paths(
            std::iter::once(place.parent().unwrap().to_owned())
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap()))
                .chain(["/usr/sbin".into()]),
        );
        command.env("PATH", path.unwrap()).env("SLURM_CONF", self.directory.join("slurm.conf"));
        command.current_dir(self.directory.parent().unwrap());
        command
    }

    fn daemon(&mut self, words: &[String]) {
        let log = || fs::File::options().create(true).append(true).open(self.directory.join(&words[0])).unwrap();
        let mut command = self.command("env");
        // By env, which looks for it in the path of the command and not in ours.
        let command = command.args(words).stdin(Stdio::null()).stdout(log()).stderr(log());
        let child = command.spawn().unwrap_or_else(|error| panic!("{words:?}: {error}"));
        self.daemons.push(child);
    }

    fn run(&self, line: &str) -> String {
        let output = self.command("sh").args(["-c", line]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn wait(&self, what: &str, done: impl Fn(&Slurm) -> bool) {
        let begun = Instant::now();
        while !done(self) {
            let logs = ["munged", "slurmctld", "slurmd"].map(|name| fs::read_to_string(self.directory.join(name)));
            assert!(begun.elapsed() < Duration::from_secs(120), "{what}: {logs:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Carries out a script that submits jobs, and waits for all of them.
    fn submit(&self, script: &str) {
        let output = self.command("bash").args(["-euo", "pipefail", "-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        self.wait("the jobs", |slurm| slurm.run("squeue --noheader && echo end").trim() == "end");
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

fn units(room: &Room, plan: &str) -> usize {
    fs::read_dir(room.path().join(plan).join("units")).unwrap().count()
}

#[test]
fn the_array_of_the_page_gives_the_manifest_of_one_run() {
    let programs = ["munged", "slurmctld", "slurmd", "sbatch"].map(Need::Program);
    if lacks(&[Need::Root]) || lacks(&programs) {
        return;
    }
    let room = Room::new();
    for number in 0..30 {
        room.file(format!("tree/{}/{number}", number % 4), &random(number, 700 * number as usize));
    }
    let tree = room.path().join("tree").display().to_string();
    let page = include_str!("../../../../docs/cluster.md");
    let example = page.split("## Slurm\n").nth(1).and_then(|rest| rest.split("```sh\n").nth(1)).unwrap();
    let example = example.split("```").next().unwrap();
    assert!(example.contains("sbatch") && example.contains("/data/archive -o PLAN"), "{example}");
    let slurm = Slurm::start(room.path());
    slurm.submit(&example.replace("/data/archive -o PLAN", &format!("{tree} --unit 20KiB -o PLAN")));
    assert!(units(&room, "PLAN") > 4);
    let read =
        |name: &str| fs::read_to_string(room.path().join(name)).unwrap_or_else(|error| format!("{name}: {error}"));
    let one = slurm.run(&format!("pfh hash --no-progress -r {tree}"));
    assert_eq!(read("archive.sums"), one);
    assert_eq!(one.lines().count(), 30);

    // Fewer tasks than units: a controller that allows four, as MaxArraySize of 1001 allows 1,000.
    fs::remove_file(room.path().join("archive.sums")).unwrap();
    let folded = example.replace("/data/archive -o PLAN", &format!("{tree} --unit 20KiB -o FOLDED"));
    slurm.submit(&folded.replace("PLAN", "FOLDED").replace("1000", "4"));
    assert_eq!(read("archive.sums"), one);
    assert_eq!(fs::read_dir(room.path().join("FOLDED/parts")).unwrap().count(), 1 + units(&room, "FOLDED"));

    // Units that a node lost are named, and submitted again.
    for part in fs::read_dir(room.path().join("PLAN/parts")).unwrap().map(|part| part.unwrap().path()) {
        let number: u64 = part.file_name().unwrap().to_str().unwrap()[..6].parse().unwrap();
        if (2..=4).contains(&number) {
            fs::remove_file(part).unwrap();
        }
    }
    slurm.submit("sbatch -o said --wrap 'pfh merge PLAN -o again.sums'");
    assert!(read("said").contains("units 2-4 are missing"), "{}", read("said"));
    slurm.submit(
        "job=$(sbatch --parsable --array=2-4 --wrap 'exec pfh run PLAN --unit $SLURM_ARRAY_TASK_ID --no-progress')\n\
         sbatch --dependency=afterany:$job --wrap 'pfh merge PLAN -o again.sums'",
    );
    assert_eq!(read("again.sums"), one);
}
