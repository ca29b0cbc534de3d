#ifndef TRANSPORT_BASELINE_H
#define TRANSPORT_BASELINE_H

/// Gets a URL `count` times, sequentially. Returns the number of content bytes, or -1 on failure.
///
/// An https URL is read over HTTP/2, and `authorities` is the file of the certificates to trust.
long baseline_sequential(const char *url, const char *authorities, long count);

/// Gets a URL `count` times, `width` requests at a time. Returns the content bytes, or -1.
long baseline_concurrent(const char *url, const char *authorities, long count, int width);

#endif
