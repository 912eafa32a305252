#ifndef FOOTFALL_CLINUX_H
#define FOOTFALL_CLINUX_H

/* Because Swift's Glibc module leaves this header out. */
#include <sys/eventfd.h>
#include <sys/socket.h>

/* Because these are declared only under _GNU_SOURCE, which no header that Swift imports may define. */
int clinux_accept4(int fd, struct sockaddr *address, socklen_t *length);
void clinux_name_thread(const char *name);
int clinux_set_pipe_size(int fd, int bytes);
/* Moves bytes between a pipe and a socket inside the kernel; never blocks. Returns what splice(2) does. */
long clinux_splice(int from, int to, unsigned long count);

/* Because whether an event waits for its callback stands in a struct that Swift need not see. */
int clinux_event_is_active(const void *event);

/* Because crypt_data is too large a struct for Swift, because a comparison must take the same time wherever the first
   difference is, and because what was worked with must be wiped. 1 when the hash is the password's. */
int clinux_password_matches(const char *password, const char *hash);
/* Makes a bcrypt hash with a random salt; 0 when made. */
int clinux_hash_password(const char *password, unsigned long cost, char *hash, int size);

#endif
