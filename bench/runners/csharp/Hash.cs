// pfh bench runner: C#, System.Security.Cryptography (on .NET or Mono).  Protocol: ../README.md
using System;
using System.Diagnostics;
using System.IO;
using System.Security.Cryptography;

static class Hash {
    static int Usage(string reason) {
        Console.Error.WriteLine("hash: " + reason + "\nusage: hash [--json] REPEAT WARMUP ALGO FILE\nALGO: md5 sha1 sha256 sha512");
        return 2;
    }

    static HashAlgorithm Create(string name) {
        switch (name) {
            case "md5": return MD5.Create();
            case "sha1": return SHA1.Create();
            case "sha256": return SHA256.Create();
            case "sha512": return SHA512.Create();
            default: return null;
        }
    }

    static int Main(string[] args) {
        int json = args.Length > 0 && args[0] == "--json" ? 1 : 0;
        if (args.Length - json != 4) return Usage("four operands are needed");
        int repeat, warmup;
        if (!int.TryParse(args[json], out repeat) || repeat < 1 || !int.TryParse(args[json + 1], out warmup) || warmup < 0)
            return Usage("REPEAT must be 1 or more, WARMUP 0 or more");
        string name = args[json + 2];
        HashAlgorithm first = Create(name);
        if (first == null) return Usage("unknown algorithm");
        byte[] data;
        try {
            data = File.ReadAllBytes(args[json + 3]);
        } catch (Exception error) when (error is IOException || error is UnauthorizedAccessException) {
            return Usage("cannot read FILE: " + error.Message);
        }
        var mono = Type.GetType("Mono.Runtime");
        if (json == 1)
            Console.WriteLine("{{\"runtime\":\"{0}\",\"version\":\"{1}\",\"provider\":\"{2}\",\"algorithm\":\"{3}\",\"bytes\":{4}}}",
                mono == null ? ".NET" : "Mono", Version(mono), first.GetType().FullName, name, data.Length);
        var process = Process.GetCurrentProcess();
        for (int i = -warmup; i < repeat; i++) {
            process.Refresh();
            long cpu = process.TotalProcessorTime.Ticks, wall = Stopwatch.GetTimestamp();
            byte[] digest;
            using (HashAlgorithm hash = Create(name)) digest = hash.ComputeHash(data);
            wall = Stopwatch.GetTimestamp() - wall;
            process.Refresh();
            cpu = process.TotalProcessorTime.Ticks - cpu;
            if (i < 0) continue;
            double ns = wall * 1e9 / Stopwatch.Frequency;
            string hex = BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant();
            if (json == 1)
                Console.WriteLine("{{\"index\":{0},\"digest\":\"{1}\",\"wall_ns\":{2:F0},\"cpu_ns\":{3}}}", i, hex, ns, cpu * 100);
            else
                Console.WriteLine("{0} {1} {2}", i, hex, (long)(ns / 1e6));
        }
        return 0;
    }

    static string Version(Type mono) {
        if (mono == null) return Environment.Version.ToString();
        var method = mono.GetMethod("GetDisplayName", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static);
        return method == null ? Environment.Version.ToString() : (string)method.Invoke(null, null);
    }
}
