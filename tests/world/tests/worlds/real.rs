//! Worlds around the real jobs.

use pfh_source::os::seam::is_played;
use pfh_world::campaign::{self, Campaign};
use pfh_world::draw::draw;
use pfh_world::play::{Keep, play};

/// The worlds of each change: a fixed number, so that the test costs the same each time.
const WORLDS: u64 = 3000;
/// The campaign of each change.
const CAMPAIGN: u64 = 66;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

fn report(campaign: &Campaign) -> String {
    campaign.failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// `PFH_WORLD=NUMBER` plays that world alone, and prints it.
#[test]
fn every_world_keeps_the_laws() {
    if let Some(seed) = number("PFH_WORLD") {
        let script = draw(seed);
        println!("{script}");
        let world = play(&script, Keep::Accounts).unwrap();
        for (account, _) in &world.steps {
            println!("{:#?}", account.jobs);
            println!("acts: {:?}", account.acts);
        }
        let broken: Vec<String> = world.breaches.iter().map(ToString::to_string).collect();
        assert!(broken.is_empty(), "{broken:#?}");
        return;
    }
    let (campaign, from) = (number("PFH_CAMPAIGN").unwrap_or(CAMPAIGN), number("PFH_WORLDS_FROM").unwrap_or(0));
    let count = number("PFH_WORLDS").unwrap_or(WORLDS);
    let played = campaign::run(campaign, from, from + count, 5).unwrap();
    println!("{} worlds, {} jobs, {} calls, acts {:?}", played.worlds, played.jobs, played.calls, played.acts);
    assert!(played.failures.is_empty(), "\n{}", report(&played));
    // Worlds in which nothing happens would prove nothing.
    let acts =
        "fail short late kill cut-power write make remove rename link swap rot symlink fifo socket repeat set-clock";
    for act in acts.split(' ') {
        assert!(!is_played() || count < WORLDS || played.acts.contains_key(act), "{act} never came to pass");
    }
}

/// `PFH_SCRIPT=FILE` plays the script in a file, and prints it.
#[test]
fn a_script_keeps_the_laws() {
    let Some(file) = std::env::var_os("PFH_SCRIPT") else { return };
    let script = std::fs::read_to_string(file).unwrap().parse().unwrap();
    let world = play(&script, Keep::Accounts).unwrap();
    for (account, _) in &world.steps {
        println!("{:#?}", account.jobs);
        println!("acts: {:?}", account.acts);
        for (name, bytes) in &account.after {
            println!("{name}: {}", String::from_utf8_lossy(bytes));
        }
    }
    println!("{:#?}", world.breaches);
}
