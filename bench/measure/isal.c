/* isa-l_crypto's multi-buffer hashes over messages in the cache: what bench/run isal compiles and runs beside pfh.
 *
 *     isal ROUNDS NAME        NAME: md5, sha1, sha256 or sha512
 *
 * 128 messages of 4 KiB, the same bytes as in `shash hot`, through the context manager's init, submit and flush: by the
 * library's own dispatcher and by the entry points of single instruction sets that it exports and this CPU can run. They take
 * turns. A line of JSON for each: nanoseconds of processor time per byte, minimum and median over the rounds, and the digests of
 * one more pass, in order and in one hexadecimal string.
 *
 * The entry points are no part of the library's interface: they have a leading underscore since version 2.25 and none before.
 * Both are declared weak, so that one that is missing is a null pointer. */

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <isa-l_crypto.h>

enum { MESSAGES = 128, SIZE = 4096, SKEW = 64, POOL = 1 << 20, ENTRIES = 8 };

typedef void (*any)(void);

/* One way to hash them all. */
struct entry {
    const char *by;
    void (*pass)(const struct entry *);
    any init, submit, flush;
    double *samples;
};

static unsigned char pool[POOL];
static struct entry entries[ENTRIES];
static int count;
/* Passes per sample, as many as in shash: lest what the candidate before left in the CPU weighs in what is timed. */
static const int passes = (8 << 20) / (MESSAGES * SIZE) + 1;

/* Skewed, lest all begin at the same place in a page and compete for the same cache sets. */
static const unsigned char *message(int i) { return pool + (size_t)i * (SIZE + SKEW); }

static void add(const char *by, void (*pass)(const struct entry *), any init, any submit, any flush) {
    if (init && submit && flush)
        entries[count++] = (struct entry){by, pass, init, submit, flush, NULL};
}

/* A digest's words are numbers: MD5's are written with the low byte first, SHA's with the high one. */
static void print_word(unsigned long long word, int bytes, int low_first) {
    for (int i = 0; i < bytes; i++)
        printf("%02x", (unsigned)(word >> 8 * (low_first ? i : bytes - 1 - i)) & 0xff);
}

/* What of the library is the same for every function but for types and names. */
#define FUNCTION(hash, HASH, low_first)                                                                        \
    static HASH##_HASH_CTX_MGR hash##_manager __attribute__((aligned(64)));                                    \
    static HASH##_HASH_CTX hash##_contexts[MESSAGES];                                                          \
    static void hash##_pass(const struct entry *entry) {                                                       \
        __typeof__(&hash##_ctx_mgr_submit) submit = (__typeof__(submit))entry->submit;                         \
        __typeof__(&hash##_ctx_mgr_flush) flush = (__typeof__(flush))entry->flush;                             \
        ((__typeof__(&hash##_ctx_mgr_init))entry->init)(&hash##_manager);                                      \
        for (int i = 0; i < MESSAGES; i++) {                                                                   \
            hash_ctx_init(&hash##_contexts[i]);                                                                \
            submit(&hash##_manager, &hash##_contexts[i], message(i), SIZE, HASH_ENTIRE);                       \
        }                                                                                                      \
        while (flush(&hash##_manager))                                                                         \
            ;                                                                                                  \
    }                                                                                                          \
    static void hash##_clear(void) { memset(hash##_contexts, 0, sizeof hash##_contexts); }                     \
    static void hash##_digests(void) {                                                                         \
        for (int i = 0; i < MESSAGES; i++)                                                                     \
            for (int j = 0; j < HASH##_DIGEST_NWORDS; j++)                                                     \
                print_word(hash##_contexts[i].job.result_digest[j], sizeof(HASH##_WORD), low_first);           \
    }

#define MD5_WORD uint32_t
#define SHA1_WORD uint32_t
#define SHA256_WORD uint32_t
#define SHA512_WORD uint64_t

FUNCTION(md5, MD5, 1)
FUNCTION(sha1, SHA1, 0)
FUNCTION(sha256, SHA256, 0)
FUNCTION(sha512, SHA512, 0)

#define WEAK(hash, call, isa)                                                                \
    extern __typeof__(hash##_ctx_mgr_##call) hash##_ctx_mgr_##call##_##isa __attribute__((weak)); \
    extern __typeof__(hash##_ctx_mgr_##call) _##hash##_ctx_mgr_##call##_##isa __attribute__((weak));
#define FORCED(hash, isa) WEAK(hash, init, isa) WEAK(hash, submit, isa) WEAK(hash, flush, isa)

FORCED(md5, avx2)
FORCED(md5, avx512)
FORCED(sha1, sse_ni)
FORCED(sha1, avx2)
FORCED(sha1, avx512)
FORCED(sha1, avx512_ni)
FORCED(sha256, sse_ni)
FORCED(sha256, avx2)
FORCED(sha256, avx512)
FORCED(sha256, avx512_ni)
FORCED(sha512, avx2)
FORCED(sha512, avx2_ni)
FORCED(sha512, avx512)

#define EITHER(hash, call, isa) \
    (any)(_##hash##_ctx_mgr_##call##_##isa ? _##hash##_ctx_mgr_##call##_##isa : hash##_ctx_mgr_##call##_##isa)
#define ADD(hash, isa, can)                                                                                  \
    if (can)                                                                                                 \
        add("_" #isa, hash##_pass, EITHER(hash, init, isa), EITHER(hash, submit, isa), EITHER(hash, flush, isa))
#define ADD_DEFAULT(hash) \
    add("default", hash##_pass, (any)hash##_ctx_mgr_init, (any)hash##_ctx_mgr_submit, (any)hash##_ctx_mgr_flush)

/* Nanoseconds that this thread has run: what other programs take of the processor is not counted. */
static double processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int rounds = argc == 3 ? atoi(argv[1]) : 0;
    if (rounds < 1) {
        fprintf(stderr, "usage: isal ROUNDS md5|sha1|sha256|sha512\n");
        return 2;
    }
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(7, 0, &a, &b, &c, &d);
    int avx2 = __builtin_cpu_supports("avx2");
    int sha = b >> 29 & 1 && __builtin_cpu_supports("sse4.2");
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    __get_cpuid_count(7, 1, &a, &b, &c, &d);
    int sha512 = avx2 && a & 1;

    void (*clear)(void), (*digests)(void);
    if (!strcmp(argv[2], "md5")) {
        clear = md5_clear, digests = md5_digests;
        ADD_DEFAULT(md5);
        ADD(md5, avx2, avx2);
        ADD(md5, avx512, avx512);
    } else if (!strcmp(argv[2], "sha1")) {
        clear = sha1_clear, digests = sha1_digests;
        ADD_DEFAULT(sha1);
        ADD(sha1, sse_ni, sha);
        ADD(sha1, avx2, avx2);
        ADD(sha1, avx512, avx512);
        ADD(sha1, avx512_ni, avx512 && sha);
    } else if (!strcmp(argv[2], "sha256")) {
        clear = sha256_clear, digests = sha256_digests;
        ADD_DEFAULT(sha256);
        ADD(sha256, sse_ni, sha);
        ADD(sha256, avx2, avx2);
        ADD(sha256, avx512, avx512);
        ADD(sha256, avx512_ni, avx512 && sha);
    } else if (!strcmp(argv[2], "sha512")) {
        clear = sha512_clear, digests = sha512_digests;
        ADD_DEFAULT(sha512);
        ADD(sha512, avx2, avx2);
        ADD(sha512, avx2_ni, sha512);
        ADD(sha512, avx512, avx512);
    } else {
        fprintf(stderr, "isal: %s is none of its functions\n", argv[2]);
        return 2;
    }

    for (size_t i = 0; i < POOL; i++)
        pool[i] = (unsigned char)(i ^ i >> 9);
    for (int e = 0; e < count; e++) {
        entries[e].samples = calloc(rounds, sizeof(double));
        if (!entries[e].samples)
            return 1;
        entries[e].pass(&entries[e]);
    }
    const double bytes = (double)passes * MESSAGES * SIZE;
    for (int round = 0; round < rounds; round++)
        for (int e = 0; e < count; e++) {
            double start = processor_time();
            for (int pass = 0; pass < passes; pass++)
                entries[e].pass(&entries[e]);
            entries[e].samples[round] = (processor_time() - start) / bytes;
        }
    for (int e = 0; e < count; e++) {
        double *samples = entries[e].samples;
        qsort(samples, rounds, sizeof *samples, ascending);
        printf("{\"algorithm\":\"%s\",\"by\":\"%s\",\"min_ns_per_byte\":%.4f,\"median_ns_per_byte\":%.4f,\"digests\":\"", argv[2],
               entries[e].by, samples[0], samples[rounds / 2]);
        /* Of this entry, not those that another left. */
        clear();
        entries[e].pass(&entries[e]);
        digests();
        printf("\"}\n");
    }
    return 0;
}
