#define _GNU_SOURCE
#include "CLinux.h"

#include <stddef.h>
#include <sys/socket.h>

int clinux_accept4(int fd) { return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }
