//! Audits of a storage server as text.

use pfh::audit::Event;
use pfh::audit::demo::{self, ChallengeKind, Scene, Server};

/// The objects on the stage.
pub fn stage(bytes: u64) -> String {
    format!("M: {} of random bytes. C: a fresh random number for each question.\n", pfh::terminal::size_text(bytes))
}

/// A scene as lines for people.
pub fn scene(scene: &Scene) -> String {
    let who = match (scene.asked, scene.server) {
        (_, Server::Honest) => "an honest server, which has M",
        (ChallengeKind::Plain, _) => "a server that deleted M and kept the state of SHA-256 after it",
        (ChallengeKind::Leaves, Server::Digests) => "a server that deleted M and kept all digests of its tree",
        (ChallengeKind::Leaves, Server::Replay) => "a server that deleted M and kept its digests and an earlier answer",
    };
    let asked = match scene.asked {
        ChallengeKind::Plain => "plain challenge, expects H(M||C)",
        ChallengeKind::Leaves => "challenge over leaves, expects the kept root",
    };
    let Scene { keeps, question, answer, .. } = scene;
    let verdict = match &scene.why {
        None => "PASSES".to_owned(),
        Some(why) => format!("REJECTED: {why}"),
    };
    format!("\n{who} ({keeps} bytes)\n  {asked}\n  question {question} bytes, answer {answer} bytes\n  {verdict}\n")
}

/// The end of the demonstration.
pub fn moral(summary: &demo::Summary) -> String {
    let moral = match summary.is_as_claimed() {
        true => "Without the data the plain challenge can be answered, and the challenge over leaves cannot",
        false => "This differs from the paper",
    };
    format!("\n{moral} ({:.1} s).\n", summary.took.as_secs_f64())
}

/// The sentence of an event, with the option that helps.
pub fn sentence(event: &Event<'_>) -> String {
    match event {
        Event::Missed(error) => crate::remedy::sentence(error),
        event => event.sentence(),
    }
}
