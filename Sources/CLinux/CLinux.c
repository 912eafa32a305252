#define _GNU_SOURCE
#include "CLinux.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

int clinux_accept4(int fd, struct sockaddr *address, socklen_t *length) {
  return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_event_is_active(const void *event) {
  return (((const struct event *)event)->ev_evcallback.evcb_flags & EVLIST_ACTIVE) != 0;
}

int clinux_set_pipe_size(int fd, int bytes) { return fcntl(fd, F_SETPIPE_SZ, bytes); }

long clinux_splice(int from, int to, unsigned long count) {
  return splice(from, NULL, to, NULL, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
