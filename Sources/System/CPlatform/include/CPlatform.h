// Every place where operating systems differ, for all modules of this package.
//
// A function is here only if its body, or a constant's type or value, differs between Darwin, Glibc and Musl.
// What POSIX defines alike is called directly, through Foundation or a header that this one includes.
// `Scripts/check-imports` keeps platform conditions and C libraries out of all other files.

#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// An operating system.
typedef enum __attribute__((enum_extensibility(closed))) : int32_t {
  PLATFORM_LINUX __attribute__((swift_name("linux"))),
  PLATFORM_MACOS __attribute__((swift_name("macOS"))),
  PLATFORM_APPLE_MOBILE __attribute__((swift_name("appleMobile"))),
  PLATFORM_OTHER __attribute__((swift_name("other")))
} platform_system __attribute__((swift_name("OperatingSystem")));

/// The system that this code was compiled for.
platform_system platform_current_system(void)
    __attribute__((swift_name("getter:OperatingSystem.current()")));

/// A thread, as returned by pthread_create(3). `pthread_t` is a number or a pointer.
typedef struct {
  uintptr_t handle;
} platform_thread;

/// Starts a thread.
///
/// Source: pthread_create(3), pthread_attr_setstacksize(3).
///
/// - Parameters:
///   - stack_size: The stack's size in bytes, or 0 for the system's default.
/// - Returns: 0, or an error number.
int platform_thread_start(
    platform_thread *_Nonnull thread, size_t stack_size,
    void *_Nullable (*_Nonnull body)(void *_Nullable), void *_Nullable argument);

/// Waits until a thread has ended. Source: pthread_join(3).
void platform_thread_join(platform_thread thread);

/// Lets the system release a thread's resources when it ends. Source: pthread_detach(3).
void platform_thread_detach(platform_thread thread);

/// A number that no other running thread has. Source: pthread_self(3).
uintptr_t platform_thread_id(void);

/// Interrupts a thread of this process, and copies the addresses of its functions, the innermost first.
///
/// - Parameters:
///   - thread: Its `platform_thread_id`.
///   - parks: Whether the thread sleeps for ever from then on, if it runs code of the program itself.
///   - has_parked: Set to whether it does.
///   - addresses: Space for `room` addresses.
/// - Returns: The number of addresses; 0 if the thread does not answer within a second.
///
/// Source: pthread_kill(3), with SIGURG, which programs do not use and which ends none.
size_t platform_sample_thread(
    uintptr_t thread, _Bool parks, _Bool *_Nonnull has_parked, uintptr_t *_Nonnull addresses,
    size_t room);

/// Copies the return addresses on the calling thread's stack, the innermost first, and returns their number.
size_t platform_call_stack(uintptr_t *_Nonnull addresses, size_t room);

/// Lets `platform_sample_thread` interrupt the calling thread and those that it starts. Threads of libdispatch,
/// and those that they start, block signals.
void platform_allow_samples(void);

/// The monotonic clock, in nanoseconds from an arbitrary start. Source: clock_gettime(3).
int64_t platform_monotonic_nanoseconds(void);

/// The system's clock: seconds since the beginning of 1970, and nanoseconds. Source: clock_gettime(3).
void platform_wall_clock(int64_t *_Nonnull seconds, int32_t *_Nonnull nanoseconds);

/// Opens a directory for nothing but looking up names in it, which needs no permission to read it. A link is an error.
/// Source: open(2), `O_PATH` on Linux and `O_SEARCH` elsewhere.
int platform_open_directory(int directory, const char *_Nonnull name);

/// When an entry of a directory changed, without following a link. Source: fstatat(2).
int platform_modification_time(
    int directory, const char *_Nonnull name, int64_t *_Nonnull seconds, int32_t *_Nonnull nanoseconds);

/// Sets when an entry of a directory changed, and leaves when it was read. A link is not followed. Source: utimensat(2).
int platform_set_modification_time(
    int directory, const char *_Nonnull name, int64_t seconds, int32_t nanoseconds);

/// Whether bytes contain other bytes, of which there is at least one. Source: memmem(3), which
/// glibc declares only as an extension.
_Bool platform_contains(
    const void *_Nonnull bytes, size_t count, const void *_Nonnull part, size_t part_count);

/// The address of an exported symbol of any image, or null. Source: dlsym(3), RTLD_DEFAULT.
void *_Nullable platform_symbol(const char *_Nonnull name);

/// The exported symbol at or before an address, or null. Source: dladdr(3).
const char *_Nullable platform_symbol_name(const void *_Nonnull address);

/// The path of the image that contains an address, and where it is loaded; null if there is none.
/// Source: dladdr(3).
const char *_Nullable platform_image(
    const void *_Nonnull address, const void *_Nullable *_Nonnull base);

/// Starts a program with its standard output and error in an open file.
///
/// The program starts with no signal blocked or ignored. Files without FD_CLOEXEC are inherited on Linux and
/// not on Darwin. Apple TV and Apple Watch have no posix_spawn(2).
///
/// Source: posix_spawn(2).
///
/// - Parameters:
///   - arguments: The arguments, the program's name first, and a null pointer.
///   - environment: The variables as `NAME=value`, and a null pointer.
///   - input: The standard input, or -1 for an empty one.
///   - output: The standard output and error.
/// - Returns: 0, or an error number; ENOTSUP if the system starts no programs.
int platform_spawn(
    pid_t *_Nonnull process, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int input, int output);

/// Like `platform_spawn`; the program leads a new process group, whose id is its process id. Source:
/// posix_spawnattr_setpgroup(3).
int platform_spawn_leader(
    pid_t *_Nonnull process, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int input, int output);

/// Waits until a child has ended, and keeps its process id from being used again.
///
/// Source: waitid(2), WNOWAIT.
///
/// - Returns: 0, or -1 with `errno` set.
int platform_wait_for_exit(pid_t process);

/// Waits until a child has ended, and keeps its process id from being used again.
///
/// Source: waitid(2), WNOWAIT.
///
/// - Parameters:
///   - signal: Set to the signal that ended the child, or to 0.
/// - Returns: The exit status, 0 after a signal.
int platform_peek_exit(pid_t process, int *_Nonnull signal);

/// Writes what is in the buffers of standard output and standard error, except in one that another thread has locked.
///
/// `fflush(NULL)` waits for the locks of all streams, and a thread that waits in `getline` holds one. Source:
/// ftrylockfile(3).
void platform_flush_output(void);

/// Releases the process id of a child that has ended. Source: waitpid(2).
///
/// - Parameters:
///   - signal: Set to the signal that ended the child, or to 0.
/// - Returns: The exit status, 0 after a signal.
int platform_exit_of(pid_t process, int *_Nonnull signal);

/// Sets the handler of an action, a field whose name differs. Source: sigaction(2).
void platform_set_handler(struct sigaction *_Nonnull action, void (*_Nonnull handler)(int));

/// Calls a handler when a signal is about to end this process because of a mistake of its own: SIGILL, SIGTRAP,
/// SIGSEGV, SIGBUS, SIGFPE and SIGABRT. Then the earlier handler gets the signal, or the signal ends the process.
///
/// The handler runs on the thread's alternate stack, if it has one, and must be async-signal-safe. A process
/// has one such handler. Source: sigaction(2).
void platform_on_crash(void (*_Nonnull handler)(int));

/// Limits the size in bytes of the files that this process writes. Source: setrlimit(2), RLIMIT_FSIZE.
///
/// - Returns: 0, or -1 with `errno` set.
int platform_limit_file_size(uint64_t bytes);

/// Limits the address space in bytes of this process. Source: setrlimit(2), RLIMIT_AS.
///
/// - Returns: 0, or -1 with `errno` set.
int platform_limit_memory(uint64_t bytes);

/// Creates a socket that new programs do not inherit.
///
/// Source: socket(2), fcntl(2).
///
/// - Returns: The socket, or -1 with `errno` set.
int platform_socket(int family, int type, int protocol);

/// Creates a TCP socket for IPv4 that new programs do not inherit.
///
/// Source: socket(2), fcntl(2).
///
/// - Returns: The socket, or -1 with `errno` set.
int platform_tcp_socket(void);

/// Claims a name for as long as a socket is open. No other process in the same network namespace can claim it.
///
/// Child processes do not inherit the socket. Source: the abstract names of unix(7), which only Linux has.
///
/// - Returns: The socket, or -1 with `errno` set: EADDRINUSE if the name is claimed, ENOTSUP on other systems.
int platform_claim_name(const char *_Nonnull name);

/// Accepts a connection that new programs do not inherit.
///
/// Source: accept(2), fcntl(2).
///
/// - Returns: The socket, or -1 with `errno` set.
int platform_accept(int listener);

/// Creates two connected stream sockets that new programs do not inherit.
///
/// Source: socketpair(2), fcntl(2).
///
/// - Parameters:
///   - ends: Space for two sockets.
/// - Returns: 0, or -1 with `errno` set.
int platform_connected_sockets(int *_Nonnull ends);

/// What holds the other end of a socket.
typedef enum __attribute__((enum_extensibility(closed))) : int32_t {
  /// Neither of the following.
  PLATFORM_PEER_OTHER __attribute__((swift_name("other"))),
  /// The process that is the parent of this one made the socket, with socketpair(2).
  PLATFORM_PEER_PARENT __attribute__((swift_name("parent"))),
  /// Another process made the socket with socketpair(2), and the other end is closed: a parent that has ended.
  PLATFORM_PEER_ENDED __attribute__((swift_name("ended")))
} platform_peer __attribute__((swift_name("SocketPeer")));

/// Finds out what holds the other end of a socket.
///
/// Source: socket(7), SO_PEERCRED; on Darwin unix(4), LOCAL_PEERPID. On other systems any socket is the parent's.
platform_peer platform_peer_of(int socket) __attribute__((swift_name("SocketPeer.init(of:)")));

/// Sends bytes; if the peer has closed, fails with EPIPE and raises no SIGPIPE.
///
/// Source: send(2): MSG_NOSIGNAL on Linux. Darwin has the socket option SO_NOSIGPIPE instead, which
/// `platform_socket` and `platform_accept` set.
///
/// - Returns: The number of bytes, or -1 with `errno` set.
ptrdiff_t platform_send(int socket, const void *_Nullable bytes, size_t count);

/// The poll(2) events to request for a FIN from the peer that arrives before unread bytes have been read.
///
/// Linux has POLLRDHUP. Darwin sets POLLHUP without being asked, but since macOS 15.4 only together with POLLIN;
/// so the caller must expect POLLIN without an end.
short platform_poll_peer_end(void);

#endif
