// pfh bench runner: Java, java.security.MessageDigest.  Protocol: ../README.md
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;

public final class Hash {
    static final Map<String, String> NAMES =
        Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512", "sha3-256", "SHA3-256");

    static void usage(String reason) {
        System.err.println("hash: " + reason + "\nusage: hash [--json] REPEAT WARMUP ALGO FILE\n"
            + "ALGO: md5 sha1 sha256 sha512 sha3-256");
        System.exit(2);
    }

    static int count(String text, int least) {
        try {
            int value = Integer.parseInt(text);
            if (value >= least) return value;
        } catch (NumberFormatException e) { /* reported below */ }
        usage("REPEAT must be 1 or more, WARMUP 0 or more");
        return 0;
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) text.append(String.format("%02x", b));
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        int json = args.length > 0 && args[0].equals("--json") ? 1 : 0;
        if (args.length - json != 4) usage("four operands are needed");
        int repeat = count(args[json], 1), warmup = count(args[json + 1], 0);
        String name = NAMES.get(args[json + 2]);
        if (name == null) usage("unknown algorithm");
        byte[] data = null;
        try {
            data = Files.readAllBytes(Path.of(args[json + 3]));
        } catch (java.io.IOException e) {
            usage("cannot read FILE");
        }
        // CPU time of this thread: that of the process counts in steps of 10 ms on JDK 17.
        var threads = ManagementFactory.getThreadMXBean();
        var provider = MessageDigest.getInstance(name).getProvider();
        if (json == 1)
            System.out.printf("{\"runtime\":\"%s\",\"version\":\"%s\",\"provider\":\"%s\",\"algorithm\":\"%s\",\"bytes\":%d}%n",
                System.getProperty("java.vm.name"), Runtime.version(),
                provider.getName() + " " + provider.getVersionStr(), args[json + 2], data.length);
        for (int i = -warmup; i < repeat; i++) {
            long cpu = threads.getCurrentThreadCpuTime(), wall = System.nanoTime();
            MessageDigest hash = MessageDigest.getInstance(name);
            hash.update(data);
            byte[] digest = hash.digest();
            wall = System.nanoTime() - wall;
            cpu = threads.getCurrentThreadCpuTime() - cpu;
            if (i < 0) continue;
            if (json == 1)
                System.out.printf("{\"index\":%d,\"digest\":\"%s\",\"wall_ns\":%d,\"cpu_ns\":%d}%n", i, hex(digest), wall, cpu);
            else
                System.out.printf("%d %s %d%n", i, hex(digest), wall / 1_000_000);
        }
    }
}
