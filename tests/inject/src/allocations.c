// Refuses the allocations PFH_ALLOCATION to PFH_ALLOCATION + PFH_ALLOCATION_TIMES - 1 of a program,
// counted from 1, and writes to the file PFH_ALLOCATIONS how many there were. Preloaded over glibc.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_ulong seen;
static unsigned long first, times;

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("PFH_ALLOCATION"), *many = getenv("PFH_ALLOCATION_TIMES");
    times = many ? strtoul(many, NULL, 10) : 1;
    first = number ? strtoul(number, NULL, 10) : 0;
    atomic_store(&seen, 0);
}

__attribute__((destructor)) static void end(void) {
    const char *name = getenv("PFH_ALLOCATIONS");
    unsigned long count = atomic_load(&seen);
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", count);
        fclose(file);
    }
}

static int is_refused(void) {
    unsigned long number = atomic_fetch_add(&seen, 1) + 1;
    return first && number - first < times;
}

void *malloc(size_t size) {
    return is_refused() ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return is_refused() ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return is_refused() ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    return is_refused() ? (errno = ENOMEM, NULL) : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *result = memory;
    return 0;
}
