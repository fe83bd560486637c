//! Each law has judges that see: a false claim of each kind is caught by its law.

use pfh::Verdict;
use pfh_source::os::seam::is_played;
use pfh_world::account::{Account, Claims, End, Row, Summary, Word};
use pfh_world::laws::{Law, breaches};
use pfh_world::past::Past;
use pfh_world::play::{Keep, play};
use pfh_world::script::Script;
use std::fmt::Write;

/// A world in which nothing goes wrong: each lie is about one of its steps.
const TRUE: &str = "
make tree/a 100 1
make tree/b 5000 2
make tree/d/f 0 3
make medium/disk 3000 4
symlink tree/l a
fifo tree/k/p
run hash lists/one Jsonl true by 2 1 0 false 0
run check lists/one by 1 1 1 false 0
run audit lists/one by 1 1 2 false 0
write tree/a 3 5 9
remove tree/d/f
make tree/c 10 7
run check lists/one by 1 1 1 false 0
run audit lists/one by 1 1 1 false 0
run update lists/one by 2 0 0 false 0
run acquire by 1 1 0 false 0
run verify by 1 1 0 false 0
run hash lists/two Sums false by 2 1 0 false 0
";

const HASH: usize = 0;
const CHECK: usize = 1;
const AUDIT: usize = 2;
const CHECK_CHANGED: usize = 3;
const AUDIT_CHANGED: usize = 4;
const UPDATE: usize = 5;
const ACQUIRE: usize = 6;
const VERIFY: usize = 7;
const SUMS: usize = 8;

/// A lie: the step that it is about, the change of its account, and the law that it breaks.
type Lie = (&'static str, usize, fn(&mut Account), Law);

fn claims(account: &mut Account) -> &mut Claims {
    &mut account.jobs[0].1
}

fn summary(account: &mut Account) -> &mut Summary {
    match &mut claims(account).end {
        End::Done(summary) => summary,
        other => panic!("{other:?}"),
    }
}

fn row<'a>(account: &'a mut Account, name: &str) -> &'a mut Row {
    claims(account).rows.iter_mut().find(|row| row.name == name).unwrap()
}

fn count(account: &mut Account, name: &'static str) {
    *summary(account).counts.get_mut(name).unwrap() += 1;
}

fn verdict(account: &mut Account, verdict: Verdict) {
    summary(account).verdict = Some(verdict);
}

fn half(account: &mut Account, name: &str) {
    for files in [&mut account.after, &mut account.unkilled] {
        let bytes = files.get_mut(name).unwrap();
        bytes.truncate(bytes.len() / 2);
    }
}

fn class(account: &mut Account, name: &str, class: &'static str) {
    row(account, name).word = Word::Class(class, None);
}

const OTHER: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const LIES: &[Lie] = &[
    ("a digest of other bytes", HASH, |it| row(it, "tree/a").word = Word::Digest(OTHER.into(), 100), Law::Stood),
    (
        "a digest of part of the bytes",
        HASH,
        |it| {
            let Word::Digest(_, size) = &mut row(it, "tree/a").word else { panic!() };
            *size -= 1;
        },
        Law::Stood,
    ),
    ("a file is left out", HASH, |it| drop(claims(it).rows.remove(0)), Law::Once),
    ("a link is left out", HASH, |it| claims(it).rows.retain(|row| row.name != "tree/l"), Law::Once),
    (
        "a FIFO comes twice",
        HASH,
        |it| {
            let row = row(it, "tree/k/p").clone();
            claims(it).rows.push(row);
        },
        Law::Once,
    ),
    ("a link has a digest", HASH, |it| row(it, "tree/l").word = Word::Digest(OTHER.into(), 0), Law::Stood),
    ("a link fails for nothing", HASH, |it| row(it, "tree/l").word = Word::Failed("ELOOP".into()), Law::Once),
    (
        "a file comes twice",
        HASH,
        |it| {
            let row = claims(it).rows[0].clone();
            claims(it).rows.push(row);
        },
        Law::Once,
    ),
    ("a file fails for nothing", HASH, |it| row(it, "tree/b").word = Word::Failed("EIO".into()), Law::Once),
    ("a file is skipped for nothing", HASH, |it| row(it, "tree/b").word = Word::Skipped, Law::Once),
    ("one file too many is counted", HASH, |it| count(it, "hashed"), Law::Counted),
    ("one byte too many is counted", HASH, |it| count(it, "bytes"), Law::Counted),
    ("a failure is counted", HASH, |it| count(it, "failed"), Law::Counted),
    ("the list is half of one", HASH, |it| half(it, "lists/one"), Law::Whole),
    ("a list without marks is half of one", SUMS, |it| half(it, "lists/two"), Law::Whole),
    ("the list is not there", HASH, |it| drop(it.after.remove("lists/one")), Law::Whole),
    ("another list is written", HASH, |it| drop(it.after.insert("lists/two".into(), b"x".to_vec())), Law::Whole),
    (
        "something is left behind",
        HASH,
        |it| drop(it.after.insert("lists/one.seal.new".into(), b"x".to_vec())),
        Law::Whole,
    ),
    ("a list is gone", UPDATE, |it| drop(it.after.remove("lists/one.seal")), Law::Whole),
    (
        "the list before is half of one",
        UPDATE,
        |it| {
            it.after.get_mut("lists/one.1").unwrap().truncate(9);
            it.unkilled.clear();
        },
        Law::Whole,
    ),
    ("evidence is written to", HASH, |it| it.altered.push("tree/a".into()), Law::Untouched),
    ("it has no end", HASH, |it| it.endless = true, Law::Ended),
    ("it panics", CHECK, |it| claims(it).end = End::Panicked, Law::Ended),
    ("it ends for nothing", HASH, |it| claims(it).end = End::Broken(pfh::job::Kind::Output, "EIO".into()), Law::Next),
    ("a changed file is right", CHECK_CHANGED, |it| row(it, "tree/a").word = Word::Right, Law::Compared),
    ("a right file is wrong", CHECK, |it| row(it, "tree/a").word = Word::Wrong, Law::Compared),
    ("a file that is there is missing", CHECK, |it| row(it, "tree/a").word = Word::Missing, Law::Compared),
    ("a readable file is unread", CHECK, |it| row(it, "tree/a").word = Word::Unread, Law::Compared),
    ("verified, and something differs", CHECK_CHANGED, |it| verdict(it, Verdict::Verified), Law::Compared),
    ("differs, and nothing does", CHECK, |it| verdict(it, Verdict::Differs), Law::Compared),
    ("incomplete, and it was complete", CHECK, |it| verdict(it, Verdict::Incomplete), Law::Next),
    ("one verified file too many", CHECK, |it| count(it, "verified"), Law::Counted),
    ("a listed file is left out", CHECK, |it| drop(claims(it).rows.remove(0)), Law::Once),
    (
        "the list is called bad",
        CHECK,
        |it| {
            claims(it).end = End::Broken(pfh::job::Kind::Negative, "the seal does not hold".into());
        },
        Law::Next,
    ),
    ("a changed file is matched", AUDIT_CHANGED, |it| class(it, "tree/a", "matched"), Law::Compared),
    ("a listed file is new", AUDIT, |it| class(it, "tree/a", "new"), Law::Compared),
    ("a file that is there is missing", AUDIT, |it| class(it, "tree/a", "missing"), Law::Compared),
    ("a readable file is an error", AUDIT, |it| class(it, "tree/a", "error"), Law::Compared),
    ("a file is moved from nowhere", AUDIT_CHANGED, |it| class(it, "tree/c", "moved"), Law::Compared),
    ("an audit is verified, and something differs", AUDIT_CHANGED, |it| verdict(it, Verdict::Verified), Law::Compared),
    ("an audit differs, and nothing does", AUDIT, |it| verdict(it, Verdict::Differs), Law::Next),
    ("a file without a class", AUDIT, |it| drop(claims(it).rows.remove(0)), Law::Once),
    ("a file that is there is gone", UPDATE, |it| class(it, "tree/a", "gone"), Law::Compared),
    (
        "a file that is as it was is changed",
        UPDATE,
        |it| {
            claims(it).rows.push(Row { name: "tree/b".into(), word: Word::Class("changed", None) });
        },
        Law::Compared,
    ),
    ("one new file too many", UPDATE, |it| count(it, "new"), Law::Counted),
    (
        "the new list is the old one",
        UPDATE,
        |it| {
            let old = it.before["lists/one"].clone();
            it.after.insert("lists/one".into(), old.clone());
            it.unkilled.insert("lists/one".into(), old);
        },
        Law::Next,
    ),
    ("the image has other bytes", ACQUIRE, |it| it.after.get_mut("images/disk.img").unwrap()[7] ^= 1, Law::Stood),
    ("an image of other bytes", ACQUIRE, |it| summary(it).digest = Some(OTHER.into()), Law::Stood),
    (
        "a medium is incomplete for nothing",
        ACQUIRE,
        |it| {
            summary(it).counts.insert("complete", 0);
        },
        Law::Once,
    ),
    (
        "verified, and the image has other bytes",
        VERIFY,
        |it| it.before.get_mut("images/disk.img").unwrap()[7] ^= 1,
        Law::Compared,
    ),
    ("differs, and it does not", VERIFY, |it| verdict(it, Verdict::Differs), Law::Compared),
];

fn steps() -> Vec<(Account, Past)> {
    let script: Script = TRUE.parse().unwrap();
    let world = play(&script, Keep::Accounts).unwrap();
    assert_eq!(world.breaches, [], "nothing went wrong");
    assert_eq!(world.steps.len(), SUMS + 1);
    world.steps
}

#[test]
fn each_lie_is_caught_by_its_law() {
    let steps = steps();
    let mut uncaught = String::new();
    for (lie, step, tell, law) in LIES {
        let (mut account, past) = steps[*step].clone();
        tell(&mut account);
        let found = breaches(&account, &past);
        if !found.iter().any(|breach| breach.law == *law) {
            writeln!(uncaught, "{lie}: {law:?} was expected, and there is {found:?}").unwrap();
        }
    }
    assert!(uncaught.is_empty(), "{uncaught}");
    for law in [Law::Stood, Law::Once, Law::Whole, Law::Compared, Law::Counted, Law::Next, Law::Untouched, Law::Ended] {
        assert!(LIES.iter().any(|lie| lie.3 == law), "{law:?}");
    }
}

/// A kill may leave the old output or the new one.
#[test]
fn half_an_output_after_a_kill_is_caught() {
    let script: Script = "
        make tree/a 100 1
        make tree/b 100 2
        run hash lists/one Jsonl false by 1 1 1 false 0
        make tree/a 100 5
        run hash lists/one Jsonl false by 1 1 1 false 0
        at rename lists/one 1: kill
    "
    .parse()
    .unwrap();
    let world = play(&script, Keep::Accounts).unwrap();
    assert_eq!(world.breaches, []);
    let (account, past) = world.steps.last().unwrap();
    if !account.is_killed() {
        assert!(!is_played(), "it was not killed");
        return;
    }
    assert_eq!(account.after["lists/one"], account.before["lists/one"], "it was killed before the rename");
    assert_ne!(account.after, account.unkilled);
    let mut lie = account.clone();
    lie.after.get_mut("lists/one").unwrap().truncate(40);
    assert!(breaches(&lie, past).iter().any(|breach| breach.law == Law::Whole));
}
