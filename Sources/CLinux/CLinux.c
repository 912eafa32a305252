#define _GNU_SOURCE
#include "CLinux.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

int clinux_accept4(int fd, struct sockaddr *address, socklen_t *length) {
  return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_event_is_active(const void *event) {
  return (((const struct event *)event)->ev_evcallback.evcb_flags & EVLIST_ACTIVE) != 0;
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
