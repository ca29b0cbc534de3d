// The journal format, the matrix and the verdicts.
