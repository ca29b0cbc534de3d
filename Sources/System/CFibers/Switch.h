#ifndef C_FIBERS_SWITCH_H
#define C_FIBERS_SWITCH_H

// The architectures and systems for which Switch.S has code.
#if defined(__linux__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))
#define CFIBERS_HAS_SWITCH 1
#else
#define CFIBERS_HAS_SWITCH 0
#endif

#endif
