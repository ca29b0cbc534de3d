// accept4, dladdr, memmem, RTLD_DEFAULT and POLLRDHUP are extensions in glibc and musl.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

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

// MARK: - Samples

/// Where a sampled thread stands.
static struct {
  uintptr_t addresses[128];
  size_t count;
  bool parks;
  int has_answered;
} sample;

// Defined by the linker: the code of the program itself.
extern const char __executable_start[] __attribute__((weak));
extern const char etext[] __attribute__((weak));

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *context) {
  (void)context;
  if (sample.count == sizeof sample.addresses / sizeof *sample.addresses) return _URC_END_OF_STACK;
  sample.addresses[sample.count++] = (uintptr_t)_Unwind_GetIP(frame);
  return _URC_NO_REASON;
}

static void answer_sample(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  int saved = errno;
  uintptr_t counter = 0;
#if defined(__linux__) && defined(__x86_64__)
  counter = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__linux__) && defined(__aarch64__)
  counter = (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
#endif
  _Unwind_Backtrace(add_frame, NULL);
  // The first frames are those of the signal.
  size_t first = 0;
  while (first < sample.count && sample.addresses[first] != counter) first++;
  if (first < sample.count) {
    sample.count -= first;
    memmove(sample.addresses, sample.addresses + first, sample.count * sizeof(uintptr_t));
  }
  // Code of the program holds no lock of the C library, such as that of the heap.
  bool parks = sample.parks && counter >= (uintptr_t)__executable_start
      && counter < (uintptr_t)etext;
  __atomic_store_n(&sample.has_answered, parks ? 2 : 1, __ATOMIC_RELEASE);
  while (parks) pause();
  errno = saved;
}

void platform_allow_samples(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGURG);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

size_t platform_sample_thread(
    uintptr_t thread, bool parks, bool *has_parked, uintptr_t *addresses, size_t room) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  sample.count = 0;
  sample.parks = parks;
  __atomic_store_n(&sample.has_answered, 0, __ATOMIC_RELEASE);
  struct sigaction action = {0}, before;
  action.sa_sigaction = answer_sample;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGURG, &action, &before);
  int answer = 0;
  if (pthread_kill((pthread_t)thread, SIGURG) == 0)
    for (int wait = 0; wait < 1000 && answer == 0; wait++) {
      struct timespec millisecond = {0, 1000000};
      nanosleep(&millisecond, NULL);
      answer = __atomic_load_n(&sample.has_answered, __ATOMIC_ACQUIRE);
    }
  size_t count = answer == 0 ? 0 : sample.count < room ? sample.count : room;
  memcpy(addresses, sample.addresses, count * sizeof *addresses);
  *has_parked = answer == 2;
  // A thread that answers too late must not end the process.
  if (answer != 0) sigaction(SIGURG, &before, NULL);
  pthread_mutex_unlock(&one_at_a_time);
  return count;
}

/// The frames of a call stack.
struct frames {
  uintptr_t *addresses;
  size_t count;
  size_t room;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *frame, void *context) {
  struct frames *frames = context;
  if (frames->count == frames->room) return _URC_END_OF_STACK;
  frames->addresses[frames->count++] = (uintptr_t)_Unwind_GetIP(frame);
  return _URC_NO_REASON;
}

size_t platform_call_stack(uintptr_t *addresses, size_t room) {
  struct frames frames = {addresses, 0, room};
  _Unwind_Backtrace(note_frame, &frames);
  return frames.count;
}

// MARK: - Time

int64_t platform_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void platform_wall_clock(int64_t *seconds, int32_t *nanoseconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *seconds = now.tv_sec;
  *nanoseconds = (int32_t)now.tv_nsec;
}

// MARK: - Files

#if defined(O_PATH)
#define SEARCH_ONLY O_PATH
#else
#define SEARCH_ONLY O_SEARCH
#endif

int platform_open_directory(int directory, const char *name) {
  return openat(directory, name, SEARCH_ONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int platform_modification_time(
    int directory, const char *name, int64_t *seconds, int32_t *nanoseconds) {
  struct stat attributes;
  if (fstatat(directory, name, &attributes, AT_SYMLINK_NOFOLLOW) != 0) return -1;
#if defined(__APPLE__)
  struct timespec time = attributes.st_mtimespec;
#else
  struct timespec time = attributes.st_mtim;
#endif
  *seconds = time.tv_sec;
  *nanoseconds = (int32_t)time.tv_nsec;
  return 0;
}

int platform_set_modification_time(
    int directory, const char *name, int64_t seconds, int32_t nanoseconds) {
  struct timespec times[2] = {{0, UTIME_OMIT}, {(time_t)seconds, nanoseconds}};
  return utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW);
}

// MARK: - Memory

_Bool platform_contains(const void *bytes, size_t count, const void *part, size_t part_count) {
  return memmem(bytes, count, part, part_count) != NULL;
}

// MARK: - Symbols

void *platform_symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

const char *platform_symbol_name(const void *address) {
  Dl_info info;
  return dladdr((void *)address, &info) != 0 ? info.dli_sname : NULL;
}

const char *platform_image(const void *address, const void **base) {
  Dl_info info;
  if (dladdr((void *)address, &info) == 0) return NULL;
  *base = info.dli_fbase;
  return info.dli_fname;
}

// MARK: - Processes

#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)

static int spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *environment, int input,
    int output, short flags) {
  return ENOTSUP;
}

#define POSIX_SPAWN_SETPGROUP 0

#else

static int spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *environment, int input,
    int output, short flags) {
  posix_spawn_file_actions_t files;
  int code = posix_spawn_file_actions_init(&files);
  if (code != 0) return code;
  posix_spawnattr_t attributes;
  code = posix_spawnattr_init(&attributes);
  if (code != 0) {
    posix_spawn_file_actions_destroy(&files);
    return code;
  }
  // A thread of the caller may block SIGPIPE or ignore other signals; the program must not inherit that.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  // Darwin has no way to open every file with O_CLOEXEC at once.
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // 0 is the new process's own id; it counts only with POSIX_SPAWN_SETPGROUP.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, flags);
  code = input < 0 ? posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                   : posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34) && !defined(PLATFORM_PORTABLE)
  // What others opened without O_CLOEXEC stays here. Foundation's Process sees its program's end by the closing
  // of a socket, and would wait for this program as well.
  if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
  if (code == 0) code = posix_spawn(process, path, &files, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

#endif

int platform_spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *environment, int input,
    int output) {
  return spawn(process, path, arguments, environment, input, output, 0);
}

int platform_spawn_leader(
    pid_t *process, const char *path, char *const *arguments, char *const *environment, int input,
    int output) {
  return spawn(process, path, arguments, environment, input, output, POSIX_SPAWN_SETPGROUP);
}

static int wait_for_exit(pid_t process, siginfo_t *info) {
  int result;
  do {
    result = waitid(P_PID, (id_t)process, info, WEXITED | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  return result;
}

int platform_wait_for_exit(pid_t process) {
  siginfo_t info;
  return wait_for_exit(process, &info);
}

int platform_peek_exit(pid_t process, int *signal) {
  siginfo_t info = {0};
  wait_for_exit(process, &info);
  // Darwin has no manual page of waitid(2). Its kernel also puts the reason of an exit in the upper bits of
  // `si_status`; older ones have no number of a signal there (`waitid_nocancel` in bsd/kern/kern_exit.c).
  int status = info.si_status & 0xff;
  *signal = info.si_code == CLD_EXITED ? 0 : status != 0 ? status : SIGKILL;
  return info.si_code == CLD_EXITED ? status : 0;
}

int platform_exit_of(pid_t process, int *signal) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

// MARK: - Signals

void platform_set_handler(struct sigaction *action, void (*handler)(int)) {
  action->sa_handler = handler;
}

static const int crashes[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { crash_count = sizeof crashes / sizeof *crashes };
static struct sigaction earlier_actions[crash_count];
static void (*crash_handler)(int);

static void handle_crash(int number, siginfo_t *info, void *context) {
  (void)context;
  // Of several threads that crash, the first one ends the process, and the others wait for that.
  static _Bool is_crashing;
  while (__atomic_test_and_set(&is_crashing, __ATOMIC_SEQ_CST)) pause();
  crash_handler(number);
  for (int i = 0; i < crash_count; i++) sigaction(crashes[i], &earlier_actions[i], NULL);
  // The instruction that failed is repeated on return, and fails again. What abort(3) or another process sent is
  // not, nor is a breakpoint of x86: the signal stays blocked until this function returns.
  if (info->si_code <= 0 || number == SIGTRAP || number == SIGABRT) raise(number);
}

void platform_on_crash(void (*handler)(int)) {
  crash_handler = handler;
  struct sigaction action = {0};
  action.sa_sigaction = handle_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // A crash in the handler ends the process at once: signal(7), a forced signal that is blocked.
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < crash_count; i++) sigaddset(&action.sa_mask, crashes[i]);
  for (int i = 0; i < crash_count; i++) sigaction(crashes[i], &action, &earlier_actions[i]);
}

// MARK: - Limits

// The resources are an enumeration in glibc and macros elsewhere.
int platform_limit_file_size(uint64_t bytes) {
  struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
  return setrlimit(RLIMIT_FSIZE, &limit);
}

int platform_limit_memory(uint64_t bytes) {
  struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
  return setrlimit(RLIMIT_AS, &limit);
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

#if defined(SOCK_CLOEXEC) && !defined(PLATFORM_PORTABLE)
// In one step: a program that another thread starts meanwhile would inherit the socket.
static const int close_on_exec = SOCK_CLOEXEC;
#else
static const int close_on_exec = 0;
#endif

int platform_socket(int family, int type, int protocol) {
  return configured(socket(family, type | close_on_exec, protocol));
}

int platform_tcp_socket(void) { return platform_socket(AF_INET, SOCK_STREAM, 0); }

int platform_claim_name(const char *name) {
#ifdef __linux__
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  // A name that begins with a zero byte is abstract.
  size_t length = strlen(name);
  if (length > sizeof address.sun_path - 1) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path + 1, name, length);
  int holder = platform_socket(AF_UNIX, SOCK_STREAM, 0);
  if (holder < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  if (bind(holder, (struct sockaddr *)&address, size) == 0) return holder;
  int error = errno;
  close(holder);
  errno = error;
#else
  (void)name;
  errno = ENOTSUP;
#endif
  return -1;
}

int platform_accept(int listener) {
#if defined(SOCK_CLOEXEC) && !defined(PLATFORM_PORTABLE)
  return configured(accept4(listener, NULL, NULL, close_on_exec));
#else
  return configured(accept(listener, NULL, NULL));
#endif
}

int platform_connected_sockets(int *ends) {
  if (socketpair(AF_UNIX, SOCK_STREAM | close_on_exec, 0, ends) != 0) return -1;
  configured(ends[0]);
  configured(ends[1]);
  return 0;
}

platform_peer platform_peer_of(int socket) {
  pid_t maker = 0;
#if defined(SO_PEERCRED) && !defined(PLATFORM_PORTABLE)
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) maker = peer.pid;
#elif defined(LOCAL_PEERPID)
  socklen_t size = sizeof maker;
  if (getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, &maker, &size) != 0) maker = 0;
#else
  int type;
  socklen_t size = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0) maker = getppid();
#endif
  if (maker == 0) return PLATFORM_PEER_OTHER;
  if (maker == getppid()) return PLATFORM_PEER_PARENT;
  struct pollfd end = {.fd = socket};
  return poll(&end, 1, 0) == 1 && end.revents & POLLHUP ? PLATFORM_PEER_ENDED : PLATFORM_PEER_OTHER;
}

ptrdiff_t platform_send(int socket, const void *bytes, size_t count) {
#ifdef MSG_NOSIGNAL
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

void platform_flush_output(void) {
  FILE *streams[] = {stdout, stderr};
  for (size_t index = 0; index < 2; index++) {
    if (ftrylockfile(streams[index]) != 0) continue;
    fflush(streams[index]);
    funlockfile(streams[index]);
  }
}
