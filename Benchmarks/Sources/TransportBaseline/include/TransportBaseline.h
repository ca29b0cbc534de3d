#ifndef TRANSPORT_BASELINE_H
#define TRANSPORT_BASELINE_H

/// Gets a URL `count` times, sequentially. Returns the number of content bytes, or -1 on failure.
long baseline_sequential(const char *url, long count);

/// Gets a URL `count` times, `width` requests at a time. Returns the content bytes, or -1.
long baseline_concurrent(const char *url, long count, int width);

#endif
