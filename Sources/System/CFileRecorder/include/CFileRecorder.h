// Records what a process does to the files of one folder, so that tests can rebuild the folder as of any
// moment.
//
// The functions of the C library that change files (write(2), rename(2), fsync(2), …) are replaced for the
// whole process, its shared libraries included. Without a recording they only pass calls on.

#ifndef CFILERECORDER_H
#define CFILERECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The kind of an event. A path is relative to the recorded folder, which itself is the empty path.
typedef enum __attribute__((enum_extensibility(closed))) : uint32_t {
  /// A new file. The path is empty for a file without a name (O_TMPFILE).
  FILE_EVENT_CREATE __attribute__((swift_name("create"))) = 1,
  /// `bytes` were written at `offset`.
  FILE_EVENT_WRITE __attribute__((swift_name("write"))),
  /// The size became `offset`.
  FILE_EVENT_RESIZE __attribute__((swift_name("resize"))),
  /// The file's bytes were synchronized.
  FILE_EVENT_SYNC __attribute__((swift_name("sync"))),
  /// The names in the folder `path` were synchronized.
  FILE_EVENT_SYNC_FOLDER __attribute__((swift_name("syncFolder"))),
  /// Everything was synchronized.
  FILE_EVENT_SYNC_ALL __attribute__((swift_name("syncAll"))),
  /// `path` was renamed to `other`.
  FILE_EVENT_RENAME __attribute__((swift_name("rename"))),
  /// `path` and `other` were exchanged.
  FILE_EVENT_EXCHANGE __attribute__((swift_name("exchange"))),
  /// The name of a file or symbolic link was removed.
  FILE_EVENT_UNLINK __attribute__((swift_name("unlink"))),
  /// `path` became another name of the file.
  FILE_EVENT_LINK __attribute__((swift_name("link"))),
  /// `path` became a symbolic link to `other`.
  FILE_EVENT_SYMLINK __attribute__((swift_name("symlink"))),
  FILE_EVENT_MAKE_FOLDER __attribute__((swift_name("makeFolder"))),
  FILE_EVENT_REMOVE_FOLDER __attribute__((swift_name("removeFolder"))),
  /// A shared writable mapping was made: what is written through it is not recorded.
  FILE_EVENT_MAP __attribute__((swift_name("map"))),
  /// Something that the recorder can't describe; `other` says what.
  FILE_EVENT_UNKNOWN __attribute__((swift_name("unknown"))),
  /// A mark of the caller, with its number in `offset`.
  FILE_EVENT_MARK __attribute__((swift_name("mark")))
} file_event_kind __attribute__((swift_name("FileEventKind")));

/// The beginning of an event in the recording. `path`, `other` and the bytes follow it without terminators.
/// The next event begins at the next multiple of 8.
typedef struct {
  file_event_kind kind;
  uint32_t path_length;
  uint32_t other_length;
  /// The name of the system call, in `file_event_call_name`.
  uint32_t call;
  /// Identifies the file (st_ino of stat(3type)), which another file has only after its end.
  uint64_t file;
  int64_t offset;
  uint64_t byte_count;
} file_event __attribute__((swift_name("FileEventHeader")));

/// The name of the function that made an event: `pwrite`.
const char *_Nonnull file_event_call_name(uint32_t call);

/// Whether this system and this build can record: Linux with glibc and without a sanitizer.
bool file_recorder_is_supported(void);

/// Starts to record. There is one recording at a time in a process.
///
/// - Parameters:
///   - folder: The absolute path of an existing folder without symbolic links.
/// - Returns: 0, or an error number: EBUSY during another recording, ENOTSUP, ENAMETOOLONG.
int file_recorder_start(const char *_Nonnull folder);

/// Adds a mark to the recording.
void file_recorder_mark(int64_t number);

/// Ends the recording.
///
/// - Parameters:
///   - count: Set to the recording's size in bytes.
/// - Returns: The events, valid until the next start; null if memory ran out.
const void *_Nullable file_recorder_stop(size_t *_Nonnull count);

/// Makes fsync(2) and its relatives return at once for files whose path begins with a prefix.
///
/// Recorded files need no synchronization, and images of them neither: what it does is computed.
///
/// - Parameters:
///   - prefix: The beginning of absolute paths, without symbolic links.
void file_recorder_skip_sync(const char *_Nonnull prefix);

#endif
