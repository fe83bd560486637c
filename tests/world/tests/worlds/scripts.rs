//! Scripts as text.

use pfh_world::draw::draw;
use pfh_world::script::Script;

#[test]
fn a_script_is_the_same_when_it_was_printed_and_parsed() {
    let mut lines = 0;
    for seed in 0..200 {
        let script = draw(seed);
        let text = script.to_string();
        assert_eq!(text.parse::<Script>(), Ok(script.clone()), "{text}");
        assert_eq!(draw(seed), script, "one seed has one script");
        lines += text.lines().count();
    }
    assert!(lines > 2000, "{lines}");
    assert!("swallow tree/a".parse::<Script>().is_err());
}
