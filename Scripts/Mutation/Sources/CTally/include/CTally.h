/// Returns one more.
static inline int c_tally_next(int count) { return count + 1; }
