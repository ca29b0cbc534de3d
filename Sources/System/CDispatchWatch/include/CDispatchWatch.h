#ifndef C_DISPATCH_WATCH_H
#define C_DISPATCH_WATCH_H

/// Sets a function that is called before work is submitted to a dispatch queue, on the submitting thread.
///
/// On platforms without ELF (Darwin, Windows), symbols cannot be interposed this way and the function is
/// never called.
void watch_dispatch(void (*watcher)(void));

#endif
