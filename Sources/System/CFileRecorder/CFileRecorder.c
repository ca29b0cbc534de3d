#define _GNU_SOURCE
#include "CFileRecorder.h"

#include <errno.h>

static const char *const names[] = {
    "mark",     "open",   "creat",     "mkstemp",   "write",           "pwrite",   "writev",
    "pwritev",  "copy_file_range", "sendfile", "splice", "ftruncate", "truncate", "fallocate",
    "fsync",    "fdatasync", "sync",   "syncfs",    "rename",          "unlink",   "link",
    "symlink",  "mkdir",  "rmdir",     "mmap",      "dup",
};

enum {
  CALL_MARK, CALL_OPEN, CALL_CREAT, CALL_MKSTEMP, CALL_WRITE, CALL_PWRITE, CALL_WRITEV,
  CALL_PWRITEV, CALL_COPY, CALL_SENDFILE, CALL_SPLICE, CALL_FTRUNCATE, CALL_TRUNCATE, CALL_FALLOCATE,
  CALL_FSYNC, CALL_FDATASYNC, CALL_SYNC, CALL_SYNCFS, CALL_RENAME, CALL_UNLINK, CALL_LINK,
  CALL_SYMLINK, CALL_MKDIR, CALL_RMDIR, CALL_MMAP, CALL_DUP,
};

const char *file_event_call_name(uint32_t call) {
  return call < sizeof names / sizeof *names ? names[call] : "?";
}

// A sanitizer replaces the same functions.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(PLATFORM_PORTABLE) && !defined(SANITIZED)

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Definitions in the executable replace those of the C library: the dynamic linker searches the executable
// first. They are weak, so that a statically linked C library wins over them instead of clashing.
#define REPLACED __attribute__((weak, visibility("default")))

// The C library's own function: the next definition in the search order (dlsym(3), RTLD_NEXT).
#define ORIGINAL(name) \
  ({ \
    static _Atomic(void *) cache; \
    void *function = atomic_load_explicit(&cache, memory_order_relaxed); \
    if (function == NULL) { \
      function = dlsym(RTLD_NEXT, #name); \
      atomic_store_explicit(&cache, function, memory_order_relaxed); \
    } \
    (__typeof__(name) *)function; \
  })

// MARK: - State

enum { MAX_DESCRIPTORS = 65536 };

static _Atomic(bool) is_recording;
static _Atomic(bool) skips_sync;
static char root[PATH_MAX];
static size_t root_length;
static char unsynced[PATH_MAX];

// The file that a descriptor belongs to (st_ino), or 0 if it is not below the folder.
static _Atomic(uint64_t) tracked[MAX_DESCRIPTORS];

static unsigned char *events;
static size_t events_size;
static size_t events_capacity;
static bool is_out_of_memory;

// Held while a recorded call runs, so that the recording has the order in which calls took effect. A function
// of the C library may call another one that is replaced as well.
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void enter(void) { pthread_mutex_lock(&lock); }

static void leave(void) {
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
}

static bool records(void) {
  return atomic_load_explicit(&is_recording, memory_order_relaxed);
}

static bool tracks(int descriptor) {
  return records() && descriptor >= 0 && descriptor < MAX_DESCRIPTORS
      && atomic_load_explicit(&tracked[descriptor], memory_order_relaxed) != 0;
}

static void set_tracked(int descriptor, uint64_t file) {
  if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) {
    atomic_store_explicit(&tracked[descriptor], file, memory_order_relaxed);
  }
}

// MARK: - Events

static void *reserve(size_t size) {
  size_t padded = (size + 7) & ~(size_t)7;
  if (is_out_of_memory) return NULL;
  if (events_size + padded > events_capacity) {
    size_t capacity = (events_size + padded) * 2 + 65536;
    void *grown = realloc(events, capacity);
    if (grown == NULL) {
      is_out_of_memory = true;
      return NULL;
    }
    events = grown;
    events_capacity = capacity;
  }
  void *place = events + events_size;
  memset(place, 0, padded);
  events_size += padded;
  return place;
}

static void append(
    file_event_kind kind, uint32_t call, uint64_t file, int64_t offset, const char *path,
    const char *other, const void *bytes, size_t count) {
  if (!records()) return;
  int error = errno;
  size_t path_length = path == NULL ? 0 : strlen(path);
  size_t other_length = other == NULL ? 0 : strlen(other);
  unsigned char *place = reserve(sizeof(file_event) + path_length + other_length + count);
  if (place != NULL) {
    file_event event = {
        kind, (uint32_t)path_length, (uint32_t)other_length, call, file, offset, count,
    };
    memcpy(place, &event, sizeof event);
    place += sizeof event;
    if (path_length != 0) memcpy(place, path, path_length);
    place += path_length;
    if (other_length != 0) memcpy(place, other, other_length);
    place += other_length;
    if (count != 0) memcpy(place, bytes, count);
  }
  errno = error;
}

static void append_unknown(uint32_t call, const char *path, const char *what) {
  append(FILE_EVENT_UNKNOWN, call, 0, 0, path, what, NULL, 0);
}

// MARK: - Paths

// Writes the absolute path without '.', '..' and double slashes. Symbolic links are not followed: a store that
// reaches its files through one is noticed, because its recording is not complete.
static bool resolve(int folder, const char *path, char *out) {
  char joined[PATH_MAX * 2];
  if (path == NULL) return false;
  size_t length = strlen(path);
  if (length >= PATH_MAX) return false;
  if (path[0] == '/') {
    memcpy(joined, path, length + 1);
  } else {
    ssize_t base;
    if (folder == AT_FDCWD) {
      if (getcwd(joined, PATH_MAX) == NULL) return false;
      base = (ssize_t)strlen(joined);
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      base = readlink(link, joined, PATH_MAX - 1);
      if (base < 0) return false;
    }
    joined[base] = '/';
    memcpy(joined + base + 1, path, length + 1);
  }
  size_t end = 0;
  for (const char *part = joined; *part != 0;) {
    while (*part == '/') part++;
    size_t size = strcspn(part, "/");
    if (size == 0) break;
    if (size == 2 && part[0] == '.' && part[1] == '.') {
      while (end > 0 && out[--end] != '/') {}
    } else if (size != 1 || part[0] != '.') {
      if (end + 1 + size >= PATH_MAX) return false;
      out[end++] = '/';
      memcpy(out + end, part, size);
      end += size;
    }
    part += size;
  }
  out[end] = 0;
  return true;
}

// The part of an absolute path below the folder, empty for the folder itself, or null if it is outside.
static const char *below(const char *absolute) {
  if (strncmp(absolute, root, root_length) != 0) return NULL;
  if (absolute[root_length] == 0) return absolute + root_length;
  return absolute[root_length] == '/' ? absolute + root_length + 1 : NULL;
}

// Resolves a path into `space`; null if nothing is recorded or the path is outside the folder.
static const char *recorded_path(int folder, const char *path, char *space) {
  if (!records()) return NULL;
  int error = errno;
  const char *result = resolve(folder, path, space) ? below(space) : NULL;
  errno = error;
  return result;
}

// The present path of an open file, relative to the folder; null if it is outside or has none.
static const char *path_of(int descriptor, char *space) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, space, PATH_MAX - 1);
  if (length < 0) return NULL;
  space[length] = 0;
  return below(space);
}

// The status of a tracked descriptor. If it was closed unseen and belongs to another file now, it is no longer
// tracked.
static bool get_status(int descriptor, struct stat *status) {
  int error = errno;
  bool is_same = fstat(descriptor, status) == 0 && status->st_ino == tracked[descriptor];
  if (!is_same) set_tracked(descriptor, 0);
  errno = error;
  return is_same;
}

// MARK: - Recording

static void reset(void) {
  events_size = 0;
  is_out_of_memory = false;
  for (int i = 0; i < MAX_DESCRIPTORS; i++) set_tracked(i, 0);
}

bool file_recorder_is_supported(void) { return true; }

int file_recorder_start(const char *folder) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  if (length >= sizeof root) return ENAMETOOLONG;
  enter();
  int code = records() ? EBUSY : 0;
  if (code == 0) {
    memcpy(root, folder, length);
    root[length] = 0;
    root_length = length;
    reset();
    atomic_store(&is_recording, true);
  }
  leave();
  return code;
}

void file_recorder_mark(int64_t number) {
  enter();
  append(FILE_EVENT_MARK, CALL_MARK, 0, number, NULL, NULL, NULL, 0);
  leave();
}

const void *file_recorder_stop(size_t *count) {
  enter();
  atomic_store(&is_recording, false);
  *count = events_size;
  const void *result = is_out_of_memory ? NULL : events_size == 0 ? (const void *)names : events;
  leave();
  return result;
}

void file_recorder_skip_sync(const char *prefix) {
  enter();
  atomic_store(&skips_sync, false);
  if (strlen(prefix) < sizeof unsynced) {
    strcpy(unsynced, prefix);
    atomic_store(&skips_sync, true);
  }
  leave();
}

// MARK: - Opening

static int opened(
    int descriptor, uint32_t call, const char *path, int flags, bool existed, off_t size_before) {
  struct stat status;
  if (descriptor < 0) return descriptor;
  int error = errno;
  if (descriptor >= MAX_DESCRIPTORS) append_unknown(call, path, "a descriptor above 65535");
  if (fstat(descriptor, &status) == 0) {
    set_tracked(descriptor, status.st_ino);
    bool has_no_name = (flags & O_TMPFILE) == O_TMPFILE;
    if (S_ISREG(status.st_mode)) {
      if (has_no_name || !existed) {
        append(
            FILE_EVENT_CREATE, call, status.st_ino, 0, has_no_name ? "" : path, NULL, NULL, 0);
      } else if ((flags & O_TRUNC) != 0 && (flags & O_ACCMODE) != O_RDONLY && size_before != 0) {
        append(FILE_EVENT_RESIZE, call, status.st_ino, 0, path, NULL, NULL, 0);
      }
    }
  }
  errno = error;
  return descriptor;
}

#define OPENING(call, folder, path, flags, real) \
  char space[PATH_MAX]; \
  const char *relative = recorded_path(folder, path, space); \
  if (relative == NULL) { \
    int outside = (real); \
    if (records()) set_tracked(outside, 0); \
    return outside; \
  } \
  enter(); \
  struct stat before; \
  int error = errno; \
  bool existed = fstatat(folder, path, &before, 0) == 0; \
  errno = error; \
  int descriptor = opened((real), call, relative, flags, existed, existed ? before.st_size : 0); \
  leave(); \
  return descriptor

static mode_t mode_argument(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE
      ? (mode_t)va_arg(arguments, int) : 0;
}

#define MODE \
  va_list arguments; \
  va_start(arguments, flags); \
  mode_t mode = mode_argument(flags, arguments); \
  va_end(arguments)

REPLACED int open(const char *path, int flags, ...) {
  MODE;
  OPENING(CALL_OPEN, AT_FDCWD, path, flags, ORIGINAL(open)(path, flags, mode));
}

REPLACED int open64(const char *path, int flags, ...) {
  MODE;
  OPENING(CALL_OPEN, AT_FDCWD, path, flags, ORIGINAL(open64)(path, flags, mode));
}

REPLACED int openat(int folder, const char *path, int flags, ...) {
  MODE;
  OPENING(CALL_OPEN, folder, path, flags, ORIGINAL(openat)(folder, path, flags, mode));
}

REPLACED int openat64(int folder, const char *path, int flags, ...) {
  MODE;
  OPENING(CALL_OPEN, folder, path, flags, ORIGINAL(openat64)(folder, path, flags, mode));
}

// What open(2) becomes with _FORTIFY_SOURCE.
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

REPLACED int __open_2(const char *path, int flags) {
  OPENING(CALL_OPEN, AT_FDCWD, path, flags, ORIGINAL(__open_2)(path, flags));
}

REPLACED int __open64_2(const char *path, int flags) {
  OPENING(CALL_OPEN, AT_FDCWD, path, flags, ORIGINAL(__open64_2)(path, flags));
}

REPLACED int __openat_2(int folder, const char *path, int flags) {
  OPENING(CALL_OPEN, folder, path, flags, ORIGINAL(__openat_2)(folder, path, flags));
}

REPLACED int __openat64_2(int folder, const char *path, int flags) {
  OPENING(CALL_OPEN, folder, path, flags, ORIGINAL(__openat64_2)(folder, path, flags));
}

REPLACED int creat(const char *path, mode_t mode) {
  OPENING(
      CALL_CREAT, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, ORIGINAL(creat)(path, mode));
}

REPLACED int creat64(const char *path, mode_t mode) {
  OPENING(
      CALL_CREAT, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, ORIGINAL(creat64)(path, mode));
}

// The name is known only after the call.
#define TEMPORARY(real) \
  if (!records()) return (real); \
  enter(); \
  int descriptor = (real); \
  char space[PATH_MAX]; \
  const char *relative = descriptor < 0 ? NULL : recorded_path(AT_FDCWD, template, space); \
  if (relative != NULL) { \
    opened(descriptor, CALL_MKSTEMP, relative, O_CREAT | O_RDWR, false, 0); \
  } else { \
    set_tracked(descriptor, 0); \
  } \
  leave(); \
  return descriptor

REPLACED int mkstemp(char *template) { TEMPORARY(ORIGINAL(mkstemp)(template)); }
REPLACED int mkstemp64(char *template) { TEMPORARY(ORIGINAL(mkstemp64)(template)); }
REPLACED int mkostemp(char *template, int flags) { TEMPORARY(ORIGINAL(mkostemp)(template, flags)); }
REPLACED int mkostemp64(char *template, int flags) {
  TEMPORARY(ORIGINAL(mkostemp64)(template, flags));
}
REPLACED int mkstemps(char *template, int suffix) { TEMPORARY(ORIGINAL(mkstemps)(template, suffix)); }
REPLACED int mkstemps64(char *template, int suffix) {
  TEMPORARY(ORIGINAL(mkstemps64)(template, suffix));
}
REPLACED int mkostemps(char *template, int suffix, int flags) {
  TEMPORARY(ORIGINAL(mkostemps)(template, suffix, flags));
}
REPLACED int mkostemps64(char *template, int suffix, int flags) {
  TEMPORARY(ORIGINAL(mkostemps64)(template, suffix, flags));
}

// MARK: - Descriptors

REPLACED int close(int descriptor) {
  if (tracks(descriptor)) set_tracked(descriptor, 0);
  return ORIGINAL(close)(descriptor);
}

static int duplicated(int from, int to) {
  if (records() && to >= 0 && from >= 0 && from < MAX_DESCRIPTORS) {
    uint64_t file = tracked[from];
    if (file != 0 && to >= MAX_DESCRIPTORS) {
      append_unknown(CALL_DUP, NULL, "a descriptor above 65535");
    }
    set_tracked(to, file);
  }
  return to;
}

REPLACED int dup(int descriptor) { return duplicated(descriptor, ORIGINAL(dup)(descriptor)); }

REPLACED int dup2(int from, int to) { return duplicated(from, ORIGINAL(dup2)(from, to)); }

REPLACED int dup3(int from, int to, int flags) {
  return duplicated(from, ORIGINAL(dup3)(from, to, flags));
}

#define CONTROL(real) \
  va_list arguments; \
  va_start(arguments, command); \
  void *argument = va_arg(arguments, void *); \
  va_end(arguments); \
  int result = (real)(descriptor, command, argument); \
  bool duplicates = command == F_DUPFD || command == F_DUPFD_CLOEXEC; \
  return duplicates ? duplicated(descriptor, result) : result

REPLACED int fcntl(int descriptor, int command, ...) { CONTROL(ORIGINAL(fcntl)); }
REPLACED int fcntl64(int descriptor, int command, ...) { CONTROL(ORIGINAL(fcntl64)); }

// MARK: - Writing

// Records a write, and its synchronization if the file was opened with O_SYNC or O_DSYNC.
static void wrote(
    int descriptor, uint32_t call, uint64_t file, off_t offset, const void *bytes, size_t count) {
  char space[PATH_MAX];
  const char *path = path_of(descriptor, space);
  append(FILE_EVENT_WRITE, call, file, offset, path, NULL, bytes, count);
  int flags = ORIGINAL(fcntl)(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_DSYNC) != 0) {
    append(FILE_EVENT_SYNC, call, file, 0, path, NULL, NULL, 0);
  }
}

// Records bytes that are only in the file, by reading them again.
static void wrote_unseen(int descriptor, uint32_t call, uint64_t file, off_t offset, size_t count) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int reader = ORIGINAL(open)(link, O_RDONLY | O_CLOEXEC);
  unsigned char *bytes = malloc(count);
  size_t done = 0;
  while (reader >= 0 && bytes != NULL && done < count) {
    ssize_t part = pread(reader, bytes + done, count - done, offset + (off_t)done);
    if (part <= 0) break;
    done += (size_t)part;
  }
  if (done == count) {
    wrote(descriptor, call, file, offset, bytes, count);
  } else {
    append_unknown(call, NULL, "bytes that can't be read again");
  }
  free(bytes);
  if (reader >= 0) ORIGINAL(close)(reader);
}

REPLACED ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (!tracks(descriptor)) return ORIGINAL(write)(descriptor, bytes, size);
  enter();
  struct stat status;
  bool is_tracked = get_status(descriptor, &status);
  ssize_t count = ORIGINAL(write)(descriptor, bytes, size);
  if (count > 0 && is_tracked) {
    // The position after the call is right for O_APPEND as well.
    off_t end = lseek(descriptor, 0, SEEK_CUR);
    wrote(descriptor, CALL_WRITE, status.st_ino, end - count, bytes, (size_t)count);
  }
  leave();
  return count;
}

// On Linux, a file that was opened with O_APPEND ignores the offset (pwrite(2)).
static off_t actual_offset(int descriptor, off_t offset, const struct stat *before) {
  int flags = ORIGINAL(fcntl)(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_APPEND) != 0 ? before->st_size : offset;
}

#define PWRITE(name) \
  if (!tracks(descriptor)) return ORIGINAL(name)(descriptor, bytes, size, offset); \
  enter(); \
  struct stat status; \
  bool is_tracked = get_status(descriptor, &status); \
  ssize_t count = ORIGINAL(name)(descriptor, bytes, size, offset); \
  if (count > 0 && is_tracked) { \
    wrote( \
        descriptor, CALL_PWRITE, status.st_ino, actual_offset(descriptor, offset, &status), bytes, \
        (size_t)count); \
  } \
  leave(); \
  return count

REPLACED ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  PWRITE(pwrite);
}

REPLACED ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  PWRITE(pwrite64);
}

REPLACED ssize_t writev(int descriptor, const struct iovec *parts, int part_count) {
  if (!tracks(descriptor)) return ORIGINAL(writev)(descriptor, parts, part_count);
  enter();
  struct stat status;
  bool is_tracked = get_status(descriptor, &status);
  ssize_t count = ORIGINAL(writev)(descriptor, parts, part_count);
  if (count > 0 && is_tracked) {
    off_t end = lseek(descriptor, 0, SEEK_CUR);
    wrote_unseen(descriptor, CALL_WRITEV, status.st_ino, end - count, (size_t)count);
  }
  leave();
  return count;
}

static void synchronized(int descriptor, uint32_t call);

// An offset of -1 means the file's position (pwritev2(2)), whose flags RWF_SYNC and RWF_DSYNC synchronize.
#define PWRITEV(real, flags) \
  if (!tracks(descriptor)) return (real); \
  enter(); \
  struct stat status; \
  bool is_tracked = get_status(descriptor, &status); \
  ssize_t count = (real); \
  if (count > 0 && is_tracked) { \
    off_t start = offset == -1 ? lseek(descriptor, 0, SEEK_CUR) - count \
                               : actual_offset(descriptor, offset, &status); \
    wrote_unseen(descriptor, CALL_PWRITEV, status.st_ino, start, (size_t)count); \
    if (((flags) & (RWF_SYNC | RWF_DSYNC)) != 0) synchronized(descriptor, CALL_PWRITEV); \
  } \
  leave(); \
  return count

REPLACED ssize_t pwritev(int descriptor, const struct iovec *parts, int part_count, off_t offset) {
  PWRITEV(ORIGINAL(pwritev)(descriptor, parts, part_count, offset), 0);
}

REPLACED ssize_t pwritev64(
    int descriptor, const struct iovec *parts, int part_count, off64_t offset) {
  PWRITEV(ORIGINAL(pwritev64)(descriptor, parts, part_count, offset), 0);
}

REPLACED ssize_t pwritev2(
    int descriptor, const struct iovec *parts, int part_count, off_t offset, int flags) {
  PWRITEV(ORIGINAL(pwritev2)(descriptor, parts, part_count, offset, flags), flags);
}

REPLACED ssize_t pwritev64v2(
    int descriptor, const struct iovec *parts, int part_count, off64_t offset, int flags) {
  PWRITEV(ORIGINAL(pwritev64v2)(descriptor, parts, part_count, offset, flags), flags);
}

// A signal handler may write, and dlsym(3) is not for signal handlers: the first calls are made here.
__attribute__((constructor)) static void look_up_originals(void) {
  ssize_t written = write(-1, "", 0);
  (void)written;
  close(open("", O_RDONLY));
}

// MARK: - Copying

// `offset` points to the offset in the target, or is null for the target's position. The call advances both.
#define COPYING(call, target, offset, real) \
  if (!tracks(target)) return (real); \
  enter(); \
  struct stat status; \
  bool is_tracked = get_status(target, &status); \
  ssize_t count = (real); \
  if (count > 0 && is_tracked) { \
    const off64_t *position = (offset); \
    off_t end = position == NULL ? lseek(target, 0, SEEK_CUR) : *position; \
    wrote_unseen(target, call, status.st_ino, end - count, (size_t)count); \
  } \
  leave(); \
  return count

REPLACED ssize_t copy_file_range(
    int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size, unsigned flags) {
  COPYING(
      CALL_COPY, to, to_offset,
      ORIGINAL(copy_file_range)(from, from_offset, to, to_offset, size, flags));
}

REPLACED ssize_t sendfile(int to, int from, off_t *from_offset, size_t size) {
  COPYING(CALL_SENDFILE, to, NULL, ORIGINAL(sendfile)(to, from, from_offset, size));
}

REPLACED ssize_t sendfile64(int to, int from, off64_t *from_offset, size_t size) {
  COPYING(CALL_SENDFILE, to, NULL, ORIGINAL(sendfile64)(to, from, from_offset, size));
}

REPLACED ssize_t splice(
    int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size, unsigned flags) {
  COPYING(
      CALL_SPLICE, to, to_offset, ORIGINAL(splice)(from, from_offset, to, to_offset, size, flags));
}

// MARK: - Sizes

static void resized(int descriptor, uint32_t call) {
  struct stat status;
  char space[PATH_MAX];
  if (!get_status(descriptor, &status)) return;
  append(
      FILE_EVENT_RESIZE, call, status.st_ino, status.st_size, path_of(descriptor, space), NULL,
      NULL, 0);
}

#define RESIZING(call, real) \
  if (!tracks(descriptor)) return (real); \
  enter(); \
  int result = (real); \
  if (result == 0) resized(descriptor, call); \
  leave(); \
  return result

REPLACED int ftruncate(int descriptor, off_t size) {
  RESIZING(CALL_FTRUNCATE, ORIGINAL(ftruncate)(descriptor, size));
}

REPLACED int ftruncate64(int descriptor, off64_t size) {
  RESIZING(CALL_FTRUNCATE, ORIGINAL(ftruncate64)(descriptor, size));
}

REPLACED int posix_fallocate(int descriptor, off_t offset, off_t size) {
  RESIZING(CALL_FALLOCATE, ORIGINAL(posix_fallocate)(descriptor, offset, size));
}

REPLACED int posix_fallocate64(int descriptor, off64_t offset, off64_t size) {
  RESIZING(CALL_FALLOCATE, ORIGINAL(posix_fallocate64)(descriptor, offset, size));
}

#define ALLOCATING(real) \
  if (!tracks(descriptor)) return (real); \
  enter(); \
  int result = (real); \
  if (result == 0) { \
    if ((mode & ~FALLOC_FL_KEEP_SIZE) != 0) { \
      char space[PATH_MAX]; \
      append_unknown(CALL_FALLOCATE, path_of(descriptor, space), "a mode of fallocate(2)"); \
    } \
    resized(descriptor, CALL_FALLOCATE); \
  } \
  leave(); \
  return result

REPLACED int fallocate(int descriptor, int mode, off_t offset, off_t size) {
  ALLOCATING(ORIGINAL(fallocate)(descriptor, mode, offset, size));
}

REPLACED int fallocate64(int descriptor, int mode, off64_t offset, off64_t size) {
  ALLOCATING(ORIGINAL(fallocate64)(descriptor, mode, offset, size));
}

#define TRUNCATING(real) \
  char space[PATH_MAX]; \
  const char *relative = recorded_path(AT_FDCWD, path, space); \
  if (relative == NULL) return (real); \
  enter(); \
  int result = (real); \
  struct stat status; \
  if (result == 0 && stat(path, &status) == 0) { \
    append(FILE_EVENT_RESIZE, CALL_TRUNCATE, status.st_ino, status.st_size, relative, NULL, NULL, 0); \
  } \
  leave(); \
  return result

REPLACED int truncate(const char *path, off_t size) { TRUNCATING(ORIGINAL(truncate)(path, size)); }
REPLACED int truncate64(const char *path, off64_t size) {
  TRUNCATING(ORIGINAL(truncate64)(path, size));
}

// MARK: - Synchronizing

static bool is_sync_skipped(int descriptor) {
  if (!atomic_load_explicit(&skips_sync, memory_order_relaxed)) return false;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = 0;
  return strncmp(path, unsynced, strlen(unsynced)) == 0;
}

static void synchronized(int descriptor, uint32_t call) {
  struct stat status;
  char space[PATH_MAX];
  enter();
  if (get_status(descriptor, &status)) {
    const char *path = path_of(descriptor, space);
    bool is_folder = S_ISDIR(status.st_mode);
    append(
        is_folder ? FILE_EVENT_SYNC_FOLDER : FILE_EVENT_SYNC, call, status.st_ino, 0, path, NULL,
        NULL, 0);
  }
  leave();
}

#define SYNCHRONIZING(call, name) \
  int error = errno; \
  int result = is_sync_skipped(descriptor) ? (errno = error, 0) : ORIGINAL(name)(descriptor); \
  if (result == 0 && tracks(descriptor)) synchronized(descriptor, call); \
  return result

REPLACED int fsync(int descriptor) { SYNCHRONIZING(CALL_FSYNC, fsync); }
REPLACED int fdatasync(int descriptor) { SYNCHRONIZING(CALL_FDATASYNC, fdatasync); }

// CFibers, where it is linked, sees other system calls.
extern long cfibers_handle_system_call(long number, const long *arguments, uintptr_t caller)
    __attribute__((weak));

// CFibers has the same function. Whichever the linker takes serves both.
REPLACED long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_fsync) return fsync((int)a[0]);
  if (number == SYS_fdatasync) return fdatasync((int)a[0]);
  if (cfibers_handle_system_call != NULL) {
    return cfibers_handle_system_call(number, a, (uintptr_t)__builtin_return_address(0));
  }
  return ORIGINAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void synchronized_all(uint32_t call) {
  if (!records()) return;
  enter();
  append(FILE_EVENT_SYNC_ALL, call, 0, 0, NULL, NULL, NULL, 0);
  leave();
}

REPLACED void sync(void) {
  ORIGINAL(sync)();
  synchronized_all(CALL_SYNC);
}

REPLACED int syncfs(int descriptor) {
  int result = is_sync_skipped(descriptor) ? 0 : ORIGINAL(syncfs)(descriptor);
  if (result == 0 && tracks(descriptor)) synchronized_all(CALL_SYNCFS);
  return result;
}

// MARK: - Names

static int renamed(
    int result, const char *from, const char *to, int to_folder, const char *to_path,
    unsigned flags) {
  if (result != 0) return result;
  if (from != NULL && to != NULL) {
    bool is_exchange = (flags & RENAME_EXCHANGE) != 0;
    append(
        is_exchange ? FILE_EVENT_EXCHANGE : FILE_EVENT_RENAME, CALL_RENAME, 0, 0, from, to, NULL,
        0);
    if ((flags & RENAME_WHITEOUT) != 0) append_unknown(CALL_RENAME, from, "RENAME_WHITEOUT");
  } else if (from != NULL) {
    struct stat status;
    bool is_file = fstatat(to_folder, to_path, &status, AT_SYMLINK_NOFOLLOW) == 0
        && !S_ISDIR(status.st_mode);
    if (is_file && flags == 0) {
      append(FILE_EVENT_UNLINK, CALL_RENAME, 0, 0, from, NULL, NULL, 0);
    } else {
      append_unknown(CALL_RENAME, from, "a folder that was moved out");
    }
  } else {
    append_unknown(CALL_RENAME, to, "a file that was moved in from another folder");
  }
  return result;
}

#define RENAMING(from_folder, from, to_folder, to, flags, real) \
  char from_space[PATH_MAX], to_space[PATH_MAX]; \
  const char *old = recorded_path(from_folder, from, from_space); \
  const char *new = recorded_path(to_folder, to, to_space); \
  if (old == NULL && new == NULL) return (real); \
  enter(); \
  int result = renamed((real), old, new, to_folder, to, flags); \
  leave(); \
  return result

REPLACED int rename(const char *from, const char *to) {
  RENAMING(AT_FDCWD, from, AT_FDCWD, to, 0, ORIGINAL(rename)(from, to));
}

REPLACED int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  RENAMING(
      from_folder, from, to_folder, to, 0, ORIGINAL(renameat)(from_folder, from, to_folder, to));
}

REPLACED int renameat2(
    int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  RENAMING(
      from_folder, from, to_folder, to, flags,
      ORIGINAL(renameat2)(from_folder, from, to_folder, to, flags));
}

// A name that is made or removed, and nothing else.
#define NAMING(kind, call, folder, path, other, real) \
  char space[PATH_MAX]; \
  const char *relative = recorded_path(folder, path, space); \
  if (relative == NULL) return (real); \
  enter(); \
  int result = (real); \
  if (result == 0) append(kind, call, 0, 0, relative, other, NULL, 0); \
  leave(); \
  return result

REPLACED int unlink(const char *path) {
  NAMING(FILE_EVENT_UNLINK, CALL_UNLINK, AT_FDCWD, path, NULL, ORIGINAL(unlink)(path));
}

REPLACED int unlinkat(int folder, const char *path, int flags) {
  bool is_folder = (flags & AT_REMOVEDIR) != 0;
  NAMING(
      is_folder ? FILE_EVENT_REMOVE_FOLDER : FILE_EVENT_UNLINK,
      is_folder ? CALL_RMDIR : CALL_UNLINK, folder, path, NULL,
      ORIGINAL(unlinkat)(folder, path, flags));
}

REPLACED int rmdir(const char *path) {
  NAMING(FILE_EVENT_REMOVE_FOLDER, CALL_RMDIR, AT_FDCWD, path, NULL, ORIGINAL(rmdir)(path));
}

REPLACED int remove(const char *path) {
  struct stat status;
  bool is_folder = records() && lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return is_folder ? rmdir(path) : records() ? unlink(path) : ORIGINAL(remove)(path);
}

REPLACED int mkdir(const char *path, mode_t mode) {
  NAMING(FILE_EVENT_MAKE_FOLDER, CALL_MKDIR, AT_FDCWD, path, NULL, ORIGINAL(mkdir)(path, mode));
}

REPLACED int mkdirat(int folder, const char *path, mode_t mode) {
  NAMING(
      FILE_EVENT_MAKE_FOLDER, CALL_MKDIR, folder, path, NULL, ORIGINAL(mkdirat)(folder, path, mode));
}

REPLACED char *mkdtemp(char *template) {
  if (!records()) return ORIGINAL(mkdtemp)(template);
  enter();
  char *result = ORIGINAL(mkdtemp)(template);
  char space[PATH_MAX];
  const char *relative = result == NULL ? NULL : recorded_path(AT_FDCWD, result, space);
  if (relative != NULL) {
    append(FILE_EVENT_MAKE_FOLDER, CALL_MKDIR, 0, 0, relative, NULL, NULL, 0);
  }
  leave();
  return result;
}

REPLACED int symlink(const char *target, const char *path) {
  NAMING(FILE_EVENT_SYMLINK, CALL_SYMLINK, AT_FDCWD, path, target, ORIGINAL(symlink)(target, path));
}

REPLACED int symlinkat(const char *target, int folder, const char *path) {
  NAMING(
      FILE_EVENT_SYMLINK, CALL_SYMLINK, folder, path, target,
      ORIGINAL(symlinkat)(target, folder, path));
}

#define LINKING(folder, path, real) \
  char space[PATH_MAX]; \
  const char *relative = recorded_path(folder, path, space); \
  if (relative == NULL) return (real); \
  enter(); \
  int result = (real); \
  struct stat status; \
  if (result == 0 && fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0) { \
    append(FILE_EVENT_LINK, CALL_LINK, status.st_ino, 0, relative, NULL, NULL, 0); \
  } \
  leave(); \
  return result

REPLACED int link(const char *from, const char *to) {
  LINKING(AT_FDCWD, to, ORIGINAL(link)(from, to));
}

REPLACED int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  LINKING(to_folder, to, ORIGINAL(linkat)(from_folder, from, to_folder, to, flags));
}

// MARK: - Mapping

static void mapped(int descriptor, int protection, int flags) {
  int error = errno;
  struct stat status;
  char space[PATH_MAX];
  // MAP_SHARED and MAP_SHARED_VALIDATE have this bit.
  if ((flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0
      && get_status(descriptor, &status)) {
    append(FILE_EVENT_MAP, CALL_MMAP, status.st_ino, 0, path_of(descriptor, space), NULL, NULL, 0);
  }
  errno = error;
}

#define MAPPING(name) \
  if (!tracks(descriptor)) { \
    return ORIGINAL(name)(address, size, protection, flags, descriptor, offset); \
  } \
  enter(); \
  void *result = ORIGINAL(name)(address, size, protection, flags, descriptor, offset); \
  if (result != MAP_FAILED) mapped(descriptor, protection, flags); \
  leave(); \
  return result

REPLACED void *mmap(
    void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  MAPPING(mmap);
}

REPLACED void *mmap64(
    void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
  MAPPING(mmap64);
}

#else

bool file_recorder_is_supported(void) { return false; }
int file_recorder_start(const char *folder) {
  (void)folder;
  return ENOTSUP;
}
void file_recorder_mark(int64_t number) { (void)number; }
const void *file_recorder_stop(size_t *count) {
  *count = 0;
  return NULL;
}
void file_recorder_skip_sync(const char *prefix) { (void)prefix; }

#endif
