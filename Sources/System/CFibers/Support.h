#ifndef C_FIBERS_SUPPORT_H
#define C_FIBERS_SUPPORT_H

#include "Switch.h"

#if __has_include(<features.h>)
#include <features.h>  // Tells whether the C library is glibc.
#endif

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer) || __has_feature(hwaddress_sanitizer)
#define CFIBERS_HAS_SANITIZER 1
#else
#define CFIBERS_HAS_SANITIZER 0
#endif

#if CFIBERS_HAS_SWITCH && defined(__GLIBC__) && !CFIBERS_HAS_SANITIZER && !defined(PLATFORM_PORTABLE)
#define CFIBERS_IS_SUPPORTED 1
#else
#define CFIBERS_IS_SUPPORTED 0
#endif

#ifndef __ASSEMBLER__
#include <stdbool.h>

/// Reports an effect of `CFibers.h` to the handler of calls, and returns its answer.
__attribute__((visibility("hidden"))) bool cfibers_report(int effect, bool is_over);
#endif

#endif
