/* pfh bench runner: C, libcrypto's EVP interface.  Protocol: ../README.md */
#define _GNU_SOURCE
#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void usage(const char *reason) {
    fprintf(stderr, "hash: %s\nusage: hash [--json] REPEAT WARMUP ALGO FILE\n"
                    "ALGO: md5 sha1 sha256 sha512 sha3-256\n", reason);
    exit(2);
}

static void fail(const char *reason) {
    fprintf(stderr, "hash: %s\n", reason);
    exit(1);
}

static const EVP_MD *algorithm(const char *name) {
    if (!strcmp(name, "md5")) return EVP_md5();
    if (!strcmp(name, "sha1")) return EVP_sha1();
    if (!strcmp(name, "sha256")) return EVP_sha256();
    if (!strcmp(name, "sha512")) return EVP_sha512();
    if (!strcmp(name, "sha3-256")) return EVP_sha3_256();
    return NULL;
}

static long count(const char *text, long least) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == 0 || *end || value < least) usage("REPEAT must be 1 or more, WARMUP 0 or more");
    return value;
}

static unsigned char *read_whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) usage("cannot open FILE");
    size_t capacity = 1 << 20, used = 0, got;
    unsigned char *data = malloc(capacity);
    while (data && (got = fread(data + used, 1, capacity - used, file)) > 0) {
        used += got;
        if (used == capacity) data = realloc(data, capacity *= 2);
    }
    if (!data) fail("out of memory");
    if (ferror(file)) usage("cannot read FILE");
    fclose(file);
    *length = used;
    return data;
}

static int64_t now(clockid_t clock) {
    struct timespec t;
    if (clock_gettime(clock, &t)) fail("no such clock");
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv) {
    int json = argc > 1 && !strcmp(argv[1], "--json");
    if (argc - json != 5) usage("four operands are needed");
    argv += json;
    long repeat = count(argv[1], 1), warmup = count(argv[2], 0);
    const EVP_MD *md = algorithm(argv[3]);
    if (!md) usage("unknown algorithm");
    size_t length;
    unsigned char *data = read_whole(argv[4], &length), digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;

    if (json)
        printf("{\"runtime\":\"C %s\",\"version\":\"%s\",\"provider\":\"%s\",\"algorithm\":\"%s\",\"bytes\":%zu}\n",
#if defined(__clang__)
               "clang",
#else
               "gcc",
#endif
               __VERSION__, OpenSSL_version(OPENSSL_VERSION), argv[3], length);
    for (long i = -warmup; i < repeat; i++) {
        int64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        int good = context && EVP_DigestInit_ex(context, md, NULL) && EVP_DigestUpdate(context, data, length) &&
                   EVP_DigestFinal_ex(context, digest, &size);
        EVP_MD_CTX_free(context);
        wall = now(CLOCK_MONOTONIC) - wall;
        cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        if (!good) fail("libcrypto refused");
        if (i < 0) continue;
        char hex[2 * EVP_MAX_MD_SIZE + 1];
        for (unsigned k = 0; k < size; k++) sprintf(hex + 2 * k, "%02x", digest[k]);
        if (json)
            printf("{\"index\":%ld,\"digest\":\"%s\",\"wall_ns\":%" PRId64 ",\"cpu_ns\":%" PRId64 "}\n", i, hex, wall, cpu);
        else
            printf("%ld %s %" PRId64 "\n", i, hex, wall / 1000000);
    }
    free(data);
    return fflush(stdout) ? 1 : 0;
}
