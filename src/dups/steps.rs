//! The steps of a script for each copy: functions of the shell, and one program in Perl that takes
//! the place of their processes where the machine has it.

use super::rule::Action;

/// Steps that one process of Perl takes: a shell reads a group of commands as a whole.
pub(super) const GROUP: usize = 1000;

/// The beginning of each step: nothing is done to a file that is not equal any more.
const EQUAL: &str = "  if ! cmp -s -- \"$keep\" \"$1\"; then echo \"kept, it differs: $1\" >&2; status=1; return; fi\n";

const REMOVE: &str = "  rm -f -- \"$1\" || status=1\n";

/// The name is taken in one step, so that it is there at any instant.
const HARD_LINK: &str = "  if [ \"$keep\" -ef \"$1\" ]; then return; fi
  if ln -- \"$keep\" \"$1.pfh-$$\" && mv -f -- \"$1.pfh-$$\" \"$1\" && [ \"$keep\" -ef \"$1\" ]; then return; fi
  rm -f -- \"$1.pfh-$$\"; echo \"not linked: $1\" >&2; status=1\n";

/// `cp -c` of macOS clones where the volume can, and else copies.
const REFLINK: &str = "  new=$1.pfh-$$
  if case $(uname) in
    Darwin) cp -c -- \"$keep\" \"$new\" && chown \"$(stat -f %u:%g -- \"$1\")\" \"$new\" &&
      chmod \"$(stat -f %Lp -- \"$1\")\" \"$new\";;
    *) cp --reflink=always -- \"$keep\" \"$new\" && chown --reference=\"$1\" -- \"$new\" &&
      chmod --reference=\"$1\" -- \"$new\";;
    esac && touch -r \"$1\" -- \"$new\" && cmp -s -- \"$1\" \"$new\" && mv -f -- \"$new\" \"$1\" &&
    cmp -s -- \"$keep\" \"$1\"; then return; fi
  rm -f -- \"$new\"; echo \"not shared: $1\" >&2; status=1\n";

const MOVE: &str =
    "  if [ -e \"$2\" ] || [ -L \"$2\" ]; then echo \"kept, there is a file of its name: $2\" >&2; status=1; return; fi
  if mkdir -p -- \"$3\" && mv -n -- \"$1\" \"$2\" && [ ! -e \"$1\" ] && cmp -s -- \"$keep\" \"$2\"; then return; fi
  echo \"not moved: $1\" >&2; status=1\n";

/// Compares two files, and finds whether they are one. A name whose end did not come, since the
/// shell was stopped, is none.
const PERL: &str = r#"$/ = "\0"; $status = 0;
sub say_no { print STDERR "$_[0]\n"; $status = 1; 0 }
sub equal {
  open(my $x, "<:raw", $_[0]) or return 0; open(my $y, "<:raw", $_[1]) or return 0;
  while (1) {
    my ($m, $n) = (read($x, my $p, 1 << 20), read($y, my $q, 1 << 20));
    return 0 unless defined $m and defined $n and $p eq $q;
    return 1 unless $m;
  }
}
sub one { my @x = stat $_[0]; my @y = stat $_[1]; @x and @y and "@x[0, 1]" eq "@y[0, 1]" }
sub words { map { my $word = <STDIN>; defined $word && chomp $word ? $word : undef } 1 .. $_[0] }
"#;

const PERL_REMOVE: &str = r#"while (($keep, $copy) = words(2) and defined $copy) {
  equal($keep, $copy) or say_no("kept, it differs: $copy") or next;
  unlink $copy or say_no("not removed: $copy: $!");
}
"#;

const PERL_HARD_LINK: &str = r#"while (($keep, $copy) = words(2) and defined $copy) {
  equal($keep, $copy) or say_no("kept, it differs: $copy") or next;
  next if one($keep, $copy);
  next if link($keep, "$copy.pfh-$$") and rename("$copy.pfh-$$", $copy) and one($keep, $copy);
  unlink "$copy.pfh-$$"; say_no("not linked: $copy");
}
"#;

/// A link to the new name is refused where there is one; another file system gets a copy by mv.
const PERL_MOVE: &str = r#"sub made {
  my $at = ""; for my $part (split m{/}, $_[0]) { $at .= "$part/"; -d $at or mkdir $at } -d $_[0]
}
while (($keep, $copy, $to, $parent) = words(4) and defined $parent) {
  equal($keep, $copy) or say_no("kept, it differs: $copy") or next;
  not (-e $to or -l $to) or say_no("kept, there is a file of its name: $to") or next;
  made($parent) and (link($copy, $to) ? unlink $copy : system("mv", "-n", "--", $copy, $to) == 0)
    and not -e $copy and equal($keep, $to) or say_no("not moved: $copy");
}
"#;

/// The functions of a script: `drop` takes a copy, `end` ends a group, and `work` is behind it.
pub(super) fn functions(action: &Action) -> String {
    let (step, perl) = match action {
        Action::Remove => (REMOVE, Some((PERL_REMOVE, ""))),
        Action::HardLink => (HARD_LINK, Some((PERL_HARD_LINK, ""))),
        Action::Reflink => (REFLINK, None),
        Action::Move(_) => (MOVE, Some((PERL_MOVE, " \"$2\" \"$3\""))),
    };
    let shell = format!(
        "status=0\ndrop() {{\n{EQUAL}{step}}}\nend() {{ echo \"$status\"; }}\nwork() {{ read -r code; return \"$code\"; }}\n"
    );
    let Some((program, more)) = perl else { return shell };
    let fast = format!(
        "if command -v perl >/dev/null 2>&1; then\ndrop() {{ printf '%s\\0' \"$keep\" \"$1\"{more}; }}\nend() {{ :; }}\n\
         work() {{ PERL5OPT= PERL_UNICODE= perl -e '{PERL}{program}exit $status'; }}\nfi\n"
    );
    format!("{shell}# The same by one process for {GROUP} files.\n{fast}")
}
