// The Glibc module does not export getopt_long(3).
#include <getopt.h>
