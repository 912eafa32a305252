#ifndef FOOTFALL_CPCRE2_SHIM_H
#define FOOTFALL_CPCRE2_SHIM_H
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Swift imports neither PCRE2_SIZE_MAX-typed macros nor casts: this is PCRE2_UNSET as a number. */
static inline size_t footfall_pcre2_unset(void) { return PCRE2_UNSET; }
#endif
