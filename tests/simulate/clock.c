/* Preloaded into redis-server: its wall clock is a number in a file, in microseconds, and its entropy is always the same.
 *
 * So TIME, the expiry of keys and the order of hashes are the simulation's. The monotonic clock, by which Redis only
 * measures how long things take, is left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *clock_us;

__attribute__((constructor)) static void open_clock(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  /* no server outlives its simulation */
    const char *path = getenv("SIMULATED_CLOCK");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0)
        _exit(97);
    void *page = mmap(NULL, sizeof *clock_us, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED)
        _exit(97);
    close(file);
    clock_us = page;
}

static int64_t now_us(void) { return clock_us ? *clock_us : 0; }

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    now->tv_sec = now_us() / 1000000;
    now->tv_usec = now_us() % 1000000;
    return 0;
}

time_t time(time_t *now) {
    time_t seconds = now_us() / 1000000;
    if (now)
        *now = seconds;
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        now->tv_sec = now_us() / 1000000;
        now->tv_nsec = now_us() % 1000000 * 1000;
        return 0;
    }
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, now);
}

static FILE *opened(const char *symbol, const char *path, const char *mode) {
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, symbol);
    return real(strcmp(path, "/dev/urandom") ? path : "/dev/zero", mode);
}

FILE *fopen(const char *path, const char *mode) { return opened("fopen", path, mode); }

FILE *fopen64(const char *path, const char *mode) { return opened("fopen64", path, mode); }
