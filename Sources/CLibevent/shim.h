#ifndef FOOTFALL_CLIBEVENT_SHIM_H
#define FOOTFALL_CLIBEVENT_SHIM_H
/* Because event-config.h defines _GNU_SOURCE itself: settle the C library's feature macros first, or
   fd_set here clashes with the one in Swift's Glibc module. */
#include <features.h>
#include <sys/select.h>
#include <event2/event.h>
#include <event2/util.h>
#endif
