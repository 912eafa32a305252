#define _GNU_SOURCE
#include "CLinux.h"

#include <crypt.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
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

int clinux_password_matches(const char *password, const char *hash) {
  struct crypt_data *data = calloc(1, sizeof *data);
  if (!data) return -1;
  const char *made = crypt_r(password, hash, data);
  int matches = 0;
  /* A failure is a text that begins with an asterisk, which no hash does. */
  if (made && made[0] != '*' && strlen(made) == strlen(hash)) {
    volatile unsigned char difference = 0;
    for (size_t index = 0; hash[index]; index++) difference |= (unsigned char)made[index] ^ (unsigned char)hash[index];
    matches = difference == 0;
  }
  explicit_bzero(data, sizeof *data);
  free(data);
  return matches;
}

int clinux_hash_password(const char *password, unsigned long cost, char *hash, int size) {
  char setting[CRYPT_GENSALT_OUTPUT_SIZE];
  if (!crypt_gensalt_rn("$2b$", cost, NULL, 0, setting, sizeof setting)) return -1;
  struct crypt_data *data = calloc(1, sizeof *data);
  if (!data) return -1;
  const char *made = crypt_r(password, setting, data);
  int outcome = -1;
  if (made && made[0] != '*' && strlen(made) < (size_t)size) {
    memcpy(hash, made, strlen(made) + 1);
    outcome = 0;
  }
  explicit_bzero(data, sizeof *data);
  free(data);
  return outcome;
}
