#ifndef CSLOWNAMES_H
#define CSLOWNAMES_H

/// Makes sure that the stand-in for getaddrinfo is linked.
void slow_names_enable(void);

#endif
