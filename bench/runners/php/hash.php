<?php
// pfh bench runner: PHP, ext/hash.  Protocol: ../README.md
const ALGORITHMS = ["md5", "sha1", "sha256", "sha512", "sha3-256"];

function usage(string $reason): never {
    fwrite(STDERR, "hash: $reason\nusage: hash [--json] REPEAT WARMUP ALGO FILE\nALGO: " . implode(" ", ALGORITHMS) . "\n");
    exit(2);
}

function count_of(string $text, int $least): int {
    if (!ctype_digit($text) || (int)$text < $least) usage("REPEAT must be 1 or more, WARMUP 0 or more");
    return (int)$text;
}

function cpu(): int {
    $used = getrusage();
    return ($used["ru_utime.tv_sec"] + $used["ru_stime.tv_sec"]) * 1000000000
        + ($used["ru_utime.tv_usec"] + $used["ru_stime.tv_usec"]) * 1000;
}

$operands = array_slice($argv, 1);
$json = ($operands[0] ?? "") === "--json";
if ($json) array_shift($operands);
if (count($operands) !== 4) usage("four operands are needed");
$repeat = count_of($operands[0], 1);
$warmup = count_of($operands[1], 0);
$name = $operands[2];
if (!in_array($name, ALGORITHMS, true)) usage("unknown algorithm");
$data = is_dir($operands[3]) ? false : @file_get_contents($operands[3]);
if ($data === false) usage("cannot read FILE");

if ($json) {
    echo json_encode(["runtime" => "PHP", "version" => PHP_VERSION, "provider" => "ext/hash",
        "algorithm" => $name, "bytes" => strlen($data)]), "\n";
}
for ($index = -$warmup; $index < $repeat; $index++) {
    $cpu = cpu();
    $wall = hrtime(true);
    $hasher = hash_init($name);
    hash_update($hasher, $data);
    $digest = hash_final($hasher, true);
    $wall = hrtime(true) - $wall;
    $cpu = cpu() - $cpu;
    if ($index < 0) continue;
    $hex = bin2hex($digest);
    echo $json
        ? json_encode(["index" => $index, "digest" => $hex, "wall_ns" => $wall, "cpu_ns" => $cpu])
        : "$index $hex " . intdiv($wall, 1000000), "\n";
}
