/* Wine 8 lacks this library, from which Rust's standard library takes one function. For tests under Wine only. */
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG); /* advapi32: RtlGenRandom */
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T size) {
    for (; size > 1 << 20; to += 1 << 20, size -= 1 << 20)
        if (!SystemFunction036(to, 1 << 20)) return FALSE;
    return SystemFunction036(to, (ULONG)size);
}
