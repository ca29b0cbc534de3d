#ifndef TRANSPORT_BASELINE_H
#define TRANSPORT_BASELINE_H

/// Gets a URL `count` times, one after the other; returns the bytes of content, or -1.
long baseline_sequential(const char *url, long count);

/// Gets a URL `count` times, `width` at a time; returns the bytes of content, or -1.
long baseline_concurrent(const char *url, long count, int width);

#endif
