#ifndef FOOTFALL_CIDN2_SHIM_H
#define FOOTFALL_CIDN2_SHIM_H
#include <idn2.h>
#endif
