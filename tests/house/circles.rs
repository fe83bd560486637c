//! Inside a crate no files use one another in a circle, and no rooms: a room is a file beside the
//! root of the crate, with the folder of its name.
//!
//! The files of a crate are a graph: an arrow goes from a file to each file that defines a name of
//! the first one, in a `use` or in a path (`crate::a::B`, `super::b`, `child::C`), macros' bodies
//! included. Rules:
//! * A name leads to the file that defines it, through all re-exports. So a child that says
//!   `super::Name` uses its sister that defines `Name` and not the parent that re-exports it.
//! * A parent that declares its children and re-exports their names uses none of them. One whose
//!   own code uses a name that a child defines uses the child, and a child that uses a name of the
//!   parent's file uses the parent: both together are a circle.
//! * Documentation and code for tests alone (`#[cfg(test)]`) do not count. Methods do not count
//!   either: which file an `impl` stands in is not written where a method is called.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Circles that are left as they are: the files, and the reason.
const NATURAL: &[(&[&str], &str)] = &[(
    &[
        "algorithms/digest/src/algorithm.rs",
        "algorithms/digest/src/digest.rs",
        "algorithms/digest/src/hasher.rs",
        "algorithms/digest/src/row.rs",
    ],
    "An algorithm is a row; the row refers to the function that advances many hashers of the algorithm and gives their \
     digests, and both hold the algorithm.",
)];

/// Crates whose rooms still use one another in circles, and how many rooms are in each.
const ROOMS: &[(&str, usize)] = &[
    ("algorithms/tree", 2),
    ("algorithms/digest", 4),
    ("algorithms/similarity", 3),
    ("media/volume", 3),
    ("media/container", 3),
    ("pipeline/source", 4),
    ("records/manifest", 3),
    ("records/manifest", 4),
    ("stores/known", 4),
    ("tools/bench", 2),
];

/// Where a module is in its crate: the names that lead to it, none for the root.
type Place = Vec<String>;

/// A path as it is written.
type Words = Vec<String>;

/// From each file or room those that it uses, with the paths that lead there.
type Arrows = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// The files or rooms of a circle, and a sentence for each of its arrows.
type Circle = (BTreeSet<PathBuf>, Vec<String>);

/// A name that a `use` brings into a module.
struct Import {
    name: String,
    path: Words,
    is_public: bool,
}

#[derive(Default)]
struct Module {
    file: PathBuf,
    children: BTreeSet<String>,
    /// Names that the module defines.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Glob imports, and whether they are re-exported.
    globs: Vec<(Words, bool)>,
    /// Paths that the code names, those of one word included.
    paths: BTreeSet<Words>,
}

/// The end of a path.
enum End {
    /// Something that the module at this place defines.
    Item(Place),
    Module(Place),
}

struct Crate<'a> {
    modules: BTreeMap<Place, Module>,
    open: &'a dyn Fn(&Path) -> Option<String>,
}

fn word(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_mark(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

fn is_braced(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

/// Whether an attribute leaves an item out of all builds but those for tests.
fn is_for_tests(attribute: &TokenTree) -> bool {
    let text: String = attribute.to_string().split_whitespace().collect();
    text == "[test]" || text.starts_with("[cfg(test") || text.starts_with("[cfg(all(test")
}

impl Crate<'_> {
    /// Reads a module's file and the files of all modules below it.
    fn read(&mut self, place: &Place, file: PathBuf, below: &Path) {
        let text = (self.open)(&file).unwrap_or_else(|| panic!("{} cannot be read", file.display()));
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.modules.insert(place.clone(), Module { file, ..Module::default() });
        self.scan(place, tokens, below, true);
    }

    fn module(&mut self, place: &Place) -> &mut Module {
        self.modules.get_mut(place).expect("it was read")
    }

    /// Enters the declarations and names of the tokens. `outer`: they stand in the module and in no
    /// body.
    fn scan(&mut self, place: &Place, tokens: TokenStream, below: &Path, outer: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut at, mut is_public, mut is_left_out) = (0, false, false);
        while let Some(token) = tokens.get(at) {
            let (next, after) = (tokens.get(at + 1), tokens.get(at + 2));
            if is_left_out && !is_mark(Some(token), '#') {
                let end = tokens[at..].iter().position(|token| is_mark(Some(token), ';') || is_braced(Some(token)));
                at = end.map_or(tokens.len(), |end| at + end + 1);
                is_left_out = false;
                continue;
            }
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    is_left_out |= next.is_some_and(is_for_tests);
                }
                TokenTree::Group(group) => self.scan(place, group.stream(), below, false),
                TokenTree::Ident(ident) => match ident.to_string().as_str() {
                    "pub" => {
                        is_public = true;
                        // How far: `pub(super)`.
                        at += if matches!(next, Some(TokenTree::Group(_))) { 2 } else { 1 };
                        continue;
                    }
                    "mod" if is_mark(after, ';') => {
                        self.child(place, &word(next).expect("a name"), below, None);
                        at += 1;
                    }
                    "mod" if is_braced(after) => {
                        let Some(TokenTree::Group(body)) = after else { unreachable!() };
                        self.child(place, &word(next).expect("a name"), below, Some(body.stream()));
                        at += 2;
                    }
                    "use" if !is_mark(next, '<') => {
                        let end = at + tokens[at..].iter().position(|token| is_mark(Some(token), ';')).expect("an end");
                        self.import(place, &tokens[at + 1..end], &Vec::new(), is_public);
                        at = end;
                    }
                    "macro_rules" => self.module(place).items.extend(word(after)),
                    "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" if outer => {
                        self.module(place).items.extend(word(next).filter(|name| !matches!(&**name, "fn" | "unsafe")));
                        at += usize::from(!matches!(word(next).as_deref(), Some("fn" | "unsafe")));
                    }
                    _ => {
                        let (path, end) = path(&tokens, at);
                        let is_member = at > 0 && is_mark(tokens.get(at - 1), '.');
                        let is_named = at > 0 && word(tokens.get(at - 1)).as_deref() == Some("fn");
                        if !is_member && !is_named {
                            self.module(place).paths.insert(path);
                        }
                        at = end;
                        is_public = false;
                        continue;
                    }
                },
                _ => {}
            }
            is_public = false;
            at += 1;
        }
    }

    fn child(&mut self, place: &Place, name: &str, below: &Path, body: Option<TokenStream>) {
        let (child, below) = ([&place[..], &[name.to_owned()]].concat(), below.join(name));
        self.module(place).children.insert(name.to_owned());
        match body {
            Some(body) => {
                let file = self.module(place).file.clone();
                self.modules.insert(child.clone(), Module { file, ..Module::default() });
                self.scan(&child, body, &below, true);
            }
            None => {
                let alone = below.with_extension("rs");
                let file = if (self.open)(&alone).is_some() { alone } else { below.join("mod.rs") };
                self.read(&child, file, &below);
            }
        }
    }

    /// Enters the names of a tree of imports.
    fn import(&mut self, place: &Place, tokens: &[TokenTree], before: &Words, is_public: bool) {
        for tree in tokens.split(|token| is_mark(Some(token), ',')) {
            let mut path = before.clone();
            let mut name = None;
            for (at, token) in tree.iter().enumerate() {
                match token {
                    TokenTree::Ident(ident) if ident == "as" => {
                        name = word(tree.get(at + 1));
                        break;
                    }
                    TokenTree::Ident(ident) => path.push(ident.to_string()),
                    TokenTree::Group(group) => {
                        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                        self.import(place, &inner, &path, is_public);
                        path.clear();
                    }
                    mark if is_mark(Some(mark), '*') => {
                        self.module(place).globs.push((std::mem::take(&mut path), is_public));
                    }
                    _ => {}
                }
            }
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            if let Some(last) = path.last().cloned() {
                self.module(place).imports.push(Import { name: name.unwrap_or(last), path, is_public });
            }
        }
    }

    /// The ends of a path that is named in the module at `from`; nothing for other crates' names.
    fn ends(&self, from: &Place, path: &[String], seen: &mut BTreeSet<(Place, Words)>) -> Vec<End> {
        let keywords = path.iter().take_while(|word| matches!(&***word, "crate" | "self" | "super")).count();
        let mut place = from.clone();
        for keyword in &path[..keywords] {
            match &**keyword {
                "crate" => place.clear(),
                "super" => drop(place.pop()),
                _ => {}
            }
        }
        self.below(place, &path[keywords..], keywords > 0, seen)
    }

    /// The ends of the rest of a path from a module. `is_ours`: an unknown name is one of this
    /// crate.
    fn below(&self, place: Place, path: &[String], is_ours: bool, seen: &mut BTreeSet<(Place, Words)>) -> Vec<End> {
        let (Some((name, rest)), Some(module)) = (path.split_first(), self.modules.get(&place)) else {
            return vec![End::Module(place)];
        };
        if module.children.contains(name) {
            return self.below([&place[..], std::slice::from_ref(name)].concat(), rest, true, seen);
        }
        if module.items.contains(name) {
            return vec![End::Item(place)];
        }
        let mut ends = Vec::new();
        let named = module.imports.iter().filter(|import| import.name == *name).map(|import| (&import.path, rest));
        let globbed = module.globs.iter().map(|(path, _)| (path, path_of(path, name, rest)));
        let globbed: Vec<_> = globbed.collect();
        for (path, rest) in named {
            if seen.insert((place.clone(), path.clone())) {
                for end in self.ends(&place, path, seen) {
                    match end {
                        End::Module(module) => ends.extend(self.below(module, rest, true, seen)),
                        item => ends.push(item),
                    }
                }
            }
        }
        if ends.is_empty() {
            for (path, whole) in globbed {
                if seen.insert((place.clone(), path.clone())) {
                    let found = self.ends(&place, &whole, seen);
                    ends.extend(found.into_iter().filter(|end| match end {
                        End::Item(at) => self.modules[at].items.contains(name),
                        End::Module(_) => true,
                    }));
                }
            }
        }
        if ends.is_empty() && is_ours { vec![End::Item(place)] } else { ends }
    }

    /// The arrows from file to file, each with the paths that make it.
    fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (place, module) in &self.modules {
            let is_used =
                |import: &&Import| !import.is_public || module.paths.iter().any(|path| path[0] == import.name);
            let imports = module.imports.iter().filter(is_used).map(|import| &import.path);
            let globs = module.globs.iter().filter(|(_, is_public)| !is_public).map(|(path, _)| path);
            for path in imports.chain(module.paths.iter().filter(|path| path.len() > 1)) {
                for end in self.ends(place, path, &mut BTreeSet::new()) {
                    let End::Item(to) = end else { continue };
                    let to = self.modules[&to].file.clone();
                    arrows.entry(module.file.clone()).or_default().entry(to).or_default().insert(path.join("::"));
                }
            }
            for path in globs {
                for End::Item(to) | End::Module(to) in self.ends(place, path, &mut BTreeSet::new()) {
                    let to = self.modules[&to].file.clone();
                    arrows.entry(module.file.clone()).or_default().entry(to).or_default().insert(path.join("::"));
                }
            }
        }
        arrows
    }

    /// The arrows from room to room: a room is a file beside the root of the crate, with the folder
    /// of its name.
    fn arrows_of_rooms(&self) -> Arrows {
        let root = self.modules[&Place::new()].file.parent().expect("a folder").to_owned();
        let room = |file: &PathBuf| {
            let below = file.strip_prefix(&root).expect("a file of the crate");
            root.join(below.components().next().expect("a name")).with_extension("")
        };
        let mut rooms = Arrows::new();
        for (from, to) in self.arrows() {
            let from = rooms.entry(room(&from)).or_default();
            for (to, paths) in to {
                from.entry(room(&to)).or_default().extend(paths);
            }
        }
        rooms
    }
}

/// The circles, each as its files and a sentence for each of its arrows.
fn circles(arrows: &Arrows) -> Vec<Circle> {
    let reached = |from: &PathBuf| {
        let (mut found, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            let next = arrows.get(file).into_iter().flat_map(BTreeMap::keys).filter(|next| *next != file);
            open.extend(next.filter(|next| found.insert((*next).clone())));
        }
        found
    };
    let reached: BTreeMap<&PathBuf, BTreeSet<PathBuf>> = arrows.keys().map(|file| (file, reached(file))).collect();
    let mut circles: BTreeMap<BTreeSet<PathBuf>, Vec<String>> = BTreeMap::new();
    for (file, far) in reached.iter().filter(|(file, far)| far.contains(**file)) {
        let back = |other: &&PathBuf| reached.get(*other).is_some_and(|far| far.contains(*file));
        let circle: BTreeSet<PathBuf> = far.iter().filter(back).cloned().collect();
        let within = arrows[*file].iter().filter(|(to, _)| to != file && circle.contains(*to));
        let sentence = |(to, paths): (&PathBuf, &BTreeSet<String>)| {
            format!("{} -> {}: {}", file.display(), to.display(), Vec::from_iter(paths.iter().cloned()).join(", "))
        };
        let sentences: Vec<String> = within.map(sentence).collect();
        circles.entry(circle).or_default().extend(sentences);
    }
    circles.into_iter().collect()
}

/// A path that begins at `at`, and where it ends.
fn path(tokens: &[TokenTree], mut at: usize) -> (Words, usize) {
    let mut words = Words::new();
    while let Some(found) = word(tokens.get(at)) {
        words.push(found);
        at += 1;
        if !(is_mark(tokens.get(at), ':') && is_mark(tokens.get(at + 1), ':')) {
            break;
        }
        at += 2;
    }
    (words, at)
}

/// `name` and the rest of a path behind a glob-imported module.
fn path_of(module: &[String], name: &str, rest: &[String]) -> Words {
    [module, &[name.to_owned()], rest].concat()
}

fn read(root: PathBuf, open: &dyn Fn(&Path) -> Option<String>) -> Crate<'_> {
    let below = root.parent().expect("a folder").to_owned();
    let mut read = Crate { modules: BTreeMap::new(), open };
    read.read(&Place::new(), root, &below);
    read
}

/// The roots of all crates.
fn roots(here: &Path) -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from("src/lib.rs")];
    for group in ["algorithms", "media", "pipeline", "records", "stores", "tools"] {
        for entry in fs::read_dir(here.join(group)).expect(group) {
            let folder = Path::new(group).join(entry.expect("an entry").file_name());
            let sources = ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file));
            roots.extend(sources.into_iter().filter(|file| here.join(file).is_file()));
        }
    }
    assert!(roots.len() > 15, "all crates are looked at: {roots:?}");
    roots
}

#[test]
fn neither_files_nor_rooms_of_a_crate_use_one_another_in_a_circle() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let open = |file: &Path| fs::read_to_string(here.join(file)).ok();
    let mut wrong = Vec::new();
    let mut natural = BTreeSet::new();
    let mut rooms = Vec::new();
    for root in roots(here) {
        let name = root.parent().and_then(Path::parent).expect("a folder").display().to_string();
        let read = read(root, &open);
        for (files, arrows) in circles(&read.arrows()) {
            let is_it =
                |known: &[&str]| files.iter().map(|file| file.to_str()).eq(known.iter().map(|file| Some(*file)));
            match NATURAL.iter().position(|(known, _)| is_it(known)) {
                Some(at) => drop(natural.insert(at)),
                None => wrong.push(arrows.join("\n")),
            }
        }
        for (circle, arrows) in circles(&read.arrows_of_rooms()) {
            match ROOMS.iter().find(|known| **known == (&name, circle.len())) {
                Some(known) => rooms.push(known),
                None => wrong.push(format!("{name}, {} rooms:\n{}", circle.len(), arrows.join("\n"))),
            }
        }
    }
    assert!(wrong.is_empty(), "{} circles:\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert_eq!((natural.len(), rooms.len()), (NATURAL.len(), ROOMS.len()), "a circle has gone: take it off its list");
}

/// The circles of a crate of these files, as their files.
fn circles_in(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let open = |file: &Path| files.iter().find(|(name, _)| Path::new(name) == file).map(|(_, text)| (*text).to_owned());
    let circles = circles(&read(PathBuf::from("src/lib.rs"), &open).arrows());
    circles.into_iter().map(|(files, _)| files.iter().map(|file| file.display().to_string()).collect()).collect()
}

#[test]
fn circles_are_found_and_nothing_else() {
    let children = [("src/a.rs", "use super::B; pub struct A(B);"), ("src/b.rs", "pub struct B;")];
    let with = |root| circles_in(&[&[("src/lib.rs", root)][..], &children].concat());
    // A parent that re-exports, and one that uses a child and is used by none.
    assert!(with("mod a; mod b; pub use a::A; pub use b::B;").is_empty());
    assert!(with("mod a; mod b; pub use a::A; pub use b::B; pub fn f(a: A) {}").is_empty());
    // A child that uses a name that its parent defines, which uses the child: by an import, by a
    // path, in a macro, and through an alias.
    for root in [
        "mod a; use a::A; pub struct B; fn f(a: A) {}",
        "mod a; pub struct B; fn f() { a::A::new() }",
        "mod a; pub struct B; fn f() { println!(\"{}\", crate::a::A::new()) }",
        "mod a; use self::a as x; pub struct B; fn f() { x::A::new() }",
        "mod a; pub use a::*; pub struct B; mod c { use super::A; }",
    ] {
        assert_eq!(with(root), [["src/a.rs", "src/lib.rs"]], "{root}");
    }
    // The same in tests alone, or in words.
    assert!(with("mod a; pub struct B; #[cfg(test)] mod tests { use super::a::A; }").is_empty());
    assert!(with("mod a; /// See a::A.\npub struct B;").is_empty());
    // Sisters, each by the parent's re-exports, from folders.
    let sisters = [
        ("src/lib.rs", "mod a; mod b; pub use a::f; pub use b::g;"),
        ("src/a/mod.rs", "mod c; pub use c::f;"),
        ("src/a/c.rs", "pub fn f() { crate::g() }"),
        ("src/b.rs", "pub fn g() { crate::f() }"),
    ];
    assert_eq!(circles_in(&sisters), [["src/a/c.rs", "src/b.rs"]]);
}
