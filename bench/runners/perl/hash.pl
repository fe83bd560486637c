# pfh bench runner: Perl, Digest::MD5 and Digest::SHA.  Protocol: ../README.md
use strict;
use warnings;
use Digest::MD5 ();
use Digest::SHA ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

my %algorithms = (
    md5 => [sub { Digest::MD5->new }, "Digest::MD5 $Digest::MD5::VERSION"],
    map { my $bits = $_; ("sha$bits" => [sub { Digest::SHA->new($bits) }, "Digest::SHA $Digest::SHA::VERSION"]) } 1, 256, 512,
);

sub usage {
    print STDERR "hash: $_[0]\nusage: hash [--json] REPEAT WARMUP ALGO FILE\nALGO: md5 sha1 sha256 sha512\n";
    exit 2;
}

sub count {
    my ($text, $least) = @_;
    usage("REPEAT must be 1 or more, WARMUP 0 or more") if $text !~ /\A[0-9]+\z/ || $text < $least;
    return $text;
}

my $json = @ARGV && $ARGV[0] eq "--json";
shift @ARGV if $json;
usage("four operands are needed") if @ARGV != 4;
my ($repeat, $warmup) = (count($ARGV[0], 1), count($ARGV[1], 0));
my $algorithm = $algorithms{$ARGV[2]} or usage("unknown algorithm");
usage("cannot read FILE") if -d $ARGV[3];
open my $file, "<:raw", $ARGV[3] or usage("cannot read FILE: $!");
my $data = do { local $/; <$file> } // "";
close $file or usage("cannot read FILE: $!");

my ($create, $provider) = @$algorithm;
printf qq({"runtime":"Perl","version":"%vd","provider":"%s","algorithm":"%s","bytes":%d}\n), $^V, $provider, $ARGV[2], length $data
    if $json;
for my $index (-$warmup .. $repeat - 1) {
    my ($cpu, $wall) = (clock_gettime(CLOCK_PROCESS_CPUTIME_ID), clock_gettime(CLOCK_MONOTONIC));
    my $hasher = $create->();
    $hasher->add($data);
    my $digest = $hasher->digest;
    $wall = clock_gettime(CLOCK_MONOTONIC) - $wall;
    $cpu = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $cpu;
    next if $index < 0;
    my $hex = unpack "H*", $digest;
    if ($json) {
        printf qq({"index":%d,"digest":"%s","wall_ns":%.0f,"cpu_ns":%.0f}\n), $index, $hex, $wall * 1e9, $cpu * 1e9;
    } else {
        printf "%d %s %d\n", $index, $hex, $wall * 1e3;
    }
}
