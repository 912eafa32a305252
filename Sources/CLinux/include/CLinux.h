#ifndef FOOTFALL_CLINUX_H
#define FOOTFALL_CLINUX_H

/* Because accept4 is declared only under _GNU_SOURCE, which no header that Swift imports may define. */
int clinux_accept4(int fd);

#endif
