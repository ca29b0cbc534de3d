#ifndef C_DISPATCH_WATCH_H
#define C_DISPATCH_WATCH_H

/// Sets what is called, on the calling thread, before work is handed to a dispatch queue.
///
/// Where the linker lets no symbol be overridden, it is never called.
void watch_dispatch(void (*watcher)(void));

#endif
