// dladdr, RTLD_DEFAULT and POLLRDHUP are extensions in glibc and musl.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

platform_system platform_current_system(void) {
#if defined(__linux__)
  return PLATFORM_LINUX;
#elif defined(__APPLE__) && TARGET_OS_OSX
  return PLATFORM_MACOS;
#elif defined(__APPLE__)
  return PLATFORM_APPLE_MOBILE;
#else
  return PLATFORM_OTHER;
#endif
}

// MARK: - Threads

// `pthread_t` is `unsigned long` in glibc, and a pointer in musl and on Darwin.
_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a thread's handle must fit");

int platform_thread_start(
    platform_thread *thread, size_t stack_size, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code != 0) return code;
  if (stack_size != 0) code = pthread_attr_setstacksize(&attributes, stack_size);
  pthread_t handle;
  if (code == 0) code = pthread_create(&handle, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  if (code == 0) thread->handle = (uintptr_t)handle;
  return code;
}

void platform_thread_join(platform_thread thread) { pthread_join((pthread_t)thread.handle, NULL); }

void platform_thread_detach(platform_thread thread) { pthread_detach((pthread_t)thread.handle); }

uintptr_t platform_thread_id(void) { return (uintptr_t)pthread_self(); }

// MARK: - Time

int64_t platform_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// MARK: - Symbols

void *platform_symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

const char *platform_symbol_name(const void *address) {
  Dl_info info;
  return dladdr((void *)address, &info) != 0 ? info.dli_sname : NULL;
}

// MARK: - Limits

// The resources are an enumeration in glibc and macros elsewhere.
int platform_limit_file_size(uint64_t bytes) {
  struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
  return setrlimit(RLIMIT_FSIZE, &limit);
}

// MARK: - Sockets

// Keeps a socket from new programs, and its writes from raising SIGPIPE where that is an option.
static int configured(int socket) {
  if (socket < 0) return socket;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
  int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return socket;
}

int platform_tcp_socket(void) { return configured(socket(AF_INET, SOCK_STREAM, 0)); }

int platform_accept(int listener) { return configured(accept(listener, NULL, NULL)); }

ptrdiff_t platform_send(int socket, const void *bytes, size_t count) {
#if defined(MSG_NOSIGNAL) && !defined(PLATFORM_PORTABLE)
  return send(socket, bytes, count, MSG_NOSIGNAL);
#else
  return send(socket, bytes, count, 0);
#endif
}

short platform_poll_peer_end(void) {
#if !defined(POLLRDHUP)
  return POLLIN;
#elif defined(PLATFORM_PORTABLE)
  return POLLIN | POLLRDHUP;
#else
  return POLLRDHUP;
#endif
}
