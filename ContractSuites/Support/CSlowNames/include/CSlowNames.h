#ifndef CSLOWNAMES_H
#define CSLOWNAMES_H

/// Does nothing; a call makes the linker include this module's getaddrinfo.
void slow_names_enable(void);

#endif
