/* For tests under Wine: holds a file open and shares nothing of it, or only reading, until standard input ends.
 *
 *   hold.exe FILE alone|reading
 */
#include <stdio.h>
#include <string.h>
#include <windows.h>
int main(int count, char **words) {
    if (count != 3) return 2;
    DWORD share = strcmp(words[2], "reading") ? 0 : FILE_SHARE_READ;
    HANDLE file = CreateFileA(words[1], GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts("held");
    fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
