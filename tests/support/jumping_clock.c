/* Loaded before a command's own libraries: each look at the time of day finds it years, a day or an hour away; other clocks go on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
static long jump(void) {
  static const long jumps[] = {0, 315360000, -3600, -315360000, 86400};
  static unsigned at;
  return jumps[__atomic_fetch_add(&at, 1, __ATOMIC_RELAXED) % 5];
}
int clock_gettime(clockid_t clock, struct timespec *out) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, out);
  if (!failed && clock == CLOCK_REALTIME) out->tv_sec += jump();
  return failed;
}
time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}
