// pfh bench runner: Node.js, crypto.createHash.  Protocol: ../README.md
"use strict";
const crypto = require("crypto");
const fs = require("fs");

const ALGORITHMS = ["md5", "sha1", "sha256", "sha512", "sha3-256"];

function usage(reason) {
  process.stderr.write(`hash: ${reason}\nusage: hash [--json] REPEAT WARMUP ALGO FILE\nALGO: ${ALGORITHMS.join(" ")}\n`);
  process.exit(2);
}

function count(text, least) {
  if (!/^[0-9]+$/.test(text) || Number(text) < least) usage("REPEAT must be 1 or more, WARMUP 0 or more");
  return Number(text);
}

const operands = process.argv.slice(2);
const json = operands[0] === "--json";
if (json) operands.shift();
if (operands.length !== 4) usage("four operands are needed");
const repeat = count(operands[0], 1);
const warmup = count(operands[1], 0);
const name = operands[2];
if (!ALGORITHMS.includes(name)) usage("unknown algorithm");
let data;
try {
  data = fs.readFileSync(operands[3]);
} catch (error) {
  usage(`cannot read FILE: ${error.message}`);
}

const lines = [];
if (json) {
  lines.push(JSON.stringify({
    runtime: "Node.js", version: process.versions.node, provider: `OpenSSL ${process.versions.openssl}`,
    algorithm: name, bytes: data.length,
  }));
}
for (let index = -warmup; index < repeat; index++) {
  const used = process.cpuUsage();
  const start = process.hrtime.bigint();
  const hasher = crypto.createHash(name);
  hasher.update(data);
  const digest = hasher.digest();
  const wall = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(used);
  if (index < 0) continue;
  const hex = digest.toString("hex");
  lines.push(json
    ? JSON.stringify({ index, digest: hex, wall_ns: wall, cpu_ns: (user + system) * 1000 })
    : `${index} ${hex} ${Math.floor(wall / 1e6)}`);
}
process.stdout.write(lines.join("\n") + "\n");
