#define _GNU_SOURCE
#include "CSlowNames.h"

#include <stddef.h>

void slow_names_enable(void) {}

#ifdef __linux__

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

// Replaces the C library's getaddrinfo: the name after-500-ms.slow.invalid resolves to 127.0.0.1
// after 500 ms, and the C library resolves all other names.
__attribute__((visibility("default"))) int getaddrinfo(
    const char *node, const char *service, const struct addrinfo *hints,
    struct addrinfo **result) {
  static const char suffix[] = "-ms.slow.invalid";
  lookup real = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
  if (!real) return EAI_SYSTEM;
  int milliseconds = 0;
  size_t length = node ? strlen(node) : 0;
  if (length >= sizeof suffix && !strcmp(node + length - (sizeof suffix - 1), suffix)
      && sscanf(node, "after-%d-", &milliseconds) == 1 && milliseconds >= 0) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    // A signal interrupts the sleep, and then `left` holds the rest of it.
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
    return real("127.0.0.1", service, hints, result);
  }
  return real(node, service, hints, result);
}

#endif
