// pfh bench runner: Go, standard library.  Protocol: ../README.md
package main

import (
	"bufio"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"fmt"
	"hash"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

var algorithms = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New,
	"sha3-256": func() hash.Hash { return sha3.New256() },
}

func usage(reason string) {
	fmt.Fprintf(os.Stderr, "hash: %s\nusage: hash [--json] REPEAT WARMUP ALGO FILE\nALGO: md5 sha1 sha256 sha512 sha3-256\n", reason)
	os.Exit(2)
}

func count(text string, least int) int {
	value, err := strconv.Atoi(text)
	if err != nil || value < least {
		usage("REPEAT must be 1 or more, WARMUP 0 or more")
	}
	return value
}

func cpu() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

func main() {
	operands := os.Args[1:]
	json := len(operands) > 0 && operands[0] == "--json"
	if json {
		operands = operands[1:]
	}
	if len(operands) != 4 {
		usage("four operands are needed")
	}
	repeat, warmup := count(operands[0], 1), count(operands[1], 0)
	create := algorithms[operands[2]]
	if create == nil {
		usage("unknown algorithm")
	}
	data, err := os.ReadFile(operands[3])
	if err != nil {
		usage("cannot read FILE: " + err.Error())
	}
	out := bufio.NewWriter(os.Stdout)
	if json {
		fmt.Fprintf(out, "{\"runtime\":\"Go\",\"version\":\"%s\",\"provider\":\"standard library\",\"algorithm\":\"%s\",\"bytes\":%d}\n",
			runtime.Version(), operands[2], len(data))
	}
	for i := -warmup; i < repeat; i++ {
		used, start := cpu(), time.Now()
		hasher := create()
		hasher.Write(data)
		digest := hasher.Sum(nil)
		wall := time.Since(start).Nanoseconds()
		used = cpu() - used
		switch {
		case i < 0:
		case json:
			fmt.Fprintf(out, "{\"index\":%d,\"digest\":\"%x\",\"wall_ns\":%d,\"cpu_ns\":%d}\n", i, digest, wall, used)
		default:
			fmt.Fprintf(out, "%d %x %d\n", i, digest, wall/1000000)
		}
	}
	if out.Flush() != nil {
		os.Exit(1)
	}
}
