#ifndef FOOTFALL_CSQLITE_SHIM_H
#define FOOTFALL_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
