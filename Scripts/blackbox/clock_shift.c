/* Shifts the time of day of the program it is preloaded into by the seconds in the file that CLOCK_SHIFT names: a signed
   64-bit number, read anew at each call. The monotonic clocks stay as they are. libfaketime cannot be used: it changes the
   environment before main, from which the Swift runtime finds the arguments. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void map_shift(void) {
  const char *path = getenv("CLOCK_SHIFT");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(0, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) shift = page;
}

static int is_time_of_day(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*original)(clockid_t, struct timespec *);
  if (!original) original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = original ? original(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && shift && is_time_of_day(clock)) time->tv_sec += *shift;
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
