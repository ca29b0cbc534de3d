#define _GNU_SOURCE
#include "BlockingCalls.h"
#include "CFibers.h"
#include "Support.h"

extern void *swift_task_getCurrent(void);

uintptr_t cfibers_current_task(void) { return (uintptr_t)swift_task_getCurrent(); }

#if CFIBERS_IS_SUPPORTED

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

void cfibers_switch(void **saved, void *next);
void cfibers_entry(void);
extern const char cfibers_end[];
const uintptr_t *cfibers_scan(
    const uintptr_t *word, const uintptr_t *end, uintptr_t low, uintptr_t size);

// MARK: - The runtime's thread-locals

/// A library's block of thread-locals, as `__tls_get_addr` names it.
struct tls_block {
  unsigned long module;
  unsigned long offset;
  size_t words;
};

extern void *__tls_get_addr(void *index);

static struct tls_block blocks[CFIBERS_LIBRARIES];

/// The words that are swapped: the block, and the position in it.
static struct {
  int library;
  size_t index;
} chosen[CFIBERS_SLOTS];

/// The exported functions that hold the lock on a task's status records while they call handlers.
static const char *const lock_holder_names[] = {
    "swift_task_cancel", "swift_task_escalate", "swift_taskGroup_cancelAll",
    "swift_task_cancel_group_child_tasks"};

enum { LOCK_HOLDERS = sizeof lock_holder_names / sizeof *lock_holder_names };

static struct {
  uintptr_t start;
  uintptr_t end;
} lock_holders[LOCK_HOLDERS];

/// Where the runtime's internal function that takes this lock returns to from a call under it.
static uintptr_t locked_call;

/// Contains all these addresses.
static struct {
  uintptr_t start;
  uintptr_t size;
} locked_range;

struct block_search {
  uintptr_t address;
  struct tls_block *block;
};

/// The code of the runtime's libraries.
static struct {
  uintptr_t start;
  uintptr_t end;
} runtime_code[CFIBERS_LIBRARIES];

bool cfibers_is_runtime(uintptr_t address) {
  for (int i = 0; i < CFIBERS_LIBRARIES; i++)
    if (address >= runtime_code[i].start && address < runtime_code[i].end) return true;
  return false;
}

/// Looks whether an object of the process contains the address, and notes its thread-locals.
static int match_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct block_search *search = context;
  const ElfW(Phdr) *code = NULL;
  const ElfW(Phdr) *locals = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address >= start
        && search->address < start + header->p_memsz)
      code = header;
    if (header->p_type == PT_TLS) locals = header;
  }
  if (code == NULL) return 0;
  size_t library = (size_t)(search->block - blocks);
  runtime_code[library].start = info->dlpi_addr + code->p_vaddr;
  runtime_code[library].end = runtime_code[library].start + code->p_memsz;
  // The field came late into the structure, so its size says whether it is there.
  size_t needed = offsetof(struct dl_phdr_info, dlpi_tls_modid) + sizeof(info->dlpi_tls_modid);
  if (locals != NULL && size >= needed) {
    search->block->module = info->dlpi_tls_modid;
    search->block->words = locals->p_memsz / sizeof(uintptr_t);
  }
  return 1;
}

static bool find_block(const char *symbol, struct tls_block *block) {
  void *address = dlsym(RTLD_DEFAULT, symbol);
  if (address == NULL) return false;
  struct block_search search = {(uintptr_t)address, block};
  dl_iterate_phdr(match_object, &search);
  return block->module != 0;
}

static bool find_lock_holder(size_t index) {
  // Not the definition in the executable, see RuntimeCalls.S.
  void *address = dlsym(RTLD_NEXT, lock_holder_names[index]);
  Dl_info info;
  const ElfW(Sym) *entry = NULL;
  if (address == NULL || dladdr1(address, &info, (void **)&entry, RTLD_DL_SYMENT) == 0
      || entry == NULL || entry->st_size == 0)
    return false;
  lock_holders[index].start = (uintptr_t)address;
  lock_holders[index].end = (uintptr_t)address + entry->st_size;
  return true;
}

/// Whether the processor keeps return addresses on a second stack, which we do not switch.
static bool has_shadow_stack(void) {
  unsigned long features = 0;
#if defined(__x86_64__)
  enum { ARCH_SHSTK_STATUS = 0x5005 };
  if (syscall(SYS_arch_prctl, ARCH_SHSTK_STATUS, &features) != 0) return false;
#else
  enum { GET_SHADOW_STACK_STATUS = 74 };
  if (prctl(GET_SHADOW_STACK_STATUS, &features, 0, 0, 0) != 0) return false;
#endif
  return (features & 1) != 0;
}

static size_t page_size;

const char *cfibers_prepare(void) {
  // A sanitizer may be linked in although this file was compiled without it.
  if (dlsym(RTLD_DEFAULT, "__tsan_init") != NULL || dlsym(RTLD_DEFAULT, "__asan_init") != NULL
      || dlsym(RTLD_DEFAULT, "__msan_init") != NULL || dlsym(RTLD_DEFAULT, "__hwasan_init") != NULL)
    return "a sanitizer watches the stacks of this process";
  if (has_shadow_stack()) return "the processor's shadow stack is enabled";
  if (!find_block("swift_task_getCurrent", &blocks[CFIBERS_CONCURRENCY])
      || !find_block("swift_beginAccess", &blocks[CFIBERS_CORE]))
    return "the Swift runtime's thread-locals were not found; is it linked statically?";
  if (blocks[CFIBERS_CONCURRENCY].module == blocks[CFIBERS_CORE].module)
    return "the Swift runtime is linked statically";
  for (int i = 0; i < CFIBERS_LIBRARIES; i++)
    if (blocks[i].words > CFIBERS_MOST_WORDS)
      return "the Swift runtime has more thread-locals than this version knows";
  for (size_t i = 0; i < LOCK_HOLDERS; i++)
    if (!find_lock_holder(i))
      return "the Swift runtime does not export a function that calls cancellation handlers";
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  return NULL;
}

static uintptr_t *block_words(int library) {
  return __tls_get_addr(&blocks[library]);
}

size_t cfibers_read_words(int library, uintptr_t *words) {
  const uintptr_t *source = block_words(library);
  uintptr_t thread = (uintptr_t)syscall(SYS_gettid);
  // The runtime caches the thread's number at some time or other.
  for (size_t i = 0; i < blocks[library].words; i++) words[i] = source[i] == thread ? 0 : source[i];
  return blocks[library].words;
}

void cfibers_choose_words(const int *libraries, const size_t *indices) {
  for (int i = 0; i < CFIBERS_SLOTS; i++) {
    chosen[i].library = libraries[i];
    chosen[i].index = indices[i];
  }
}

bool cfibers_during_access(
    void *variable, void (*body)(void *, uintptr_t), void *context) {
  void (*begin)(void *, void *, uintptr_t, void *) = dlsym(RTLD_DEFAULT, "swift_beginAccess");
  void (*end)(void *) = dlsym(RTLD_DEFAULT, "swift_endAccess");
  if (begin == NULL || end == NULL) return false;
  enum { MODIFY = 1, TRACKING = 0x20 };
  // The runtime keeps an access in a buffer of three words until it ends.
  void *buffer[3] = {NULL, NULL, NULL};
  begin(variable, buffer, MODIFY | TRACKING, NULL);
  body(context, (uintptr_t)buffer);
  end(buffer);
  return true;
}

struct thread_body {
  void (*body)(void *);
  void *context;
};

static void *run_thread(void *argument) {
  struct thread_body *body = argument;
  body->body(body->context);
  return NULL;
}

bool cfibers_on_new_thread(void (*body)(void *), void *context) {
  struct thread_body argument = {body, context};
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_thread, &argument) != 0) return false;
  pthread_join(thread, NULL);
  return true;
}

// MARK: - Stacks

enum {
  // As the system gives main threads: subjects may recurse deeply. Only pages that are touched take
  // memory.
  STACK_SIZE = 8 << 20,
  // Free stacks that a thread keeps; the memory of others is returned.
  MOST_FREE_STACKS = 1024,
};

/// Lies at the upper end of its stack, in the same mapping.
struct cfibers_fiber {
  void *stack_pointer;
  void *resumer_stack_pointer;
  /// The runtime's words of the fiber while it is paused, those of its resumer while it runs.
  uintptr_t words[CFIBERS_SLOTS];
  void (*body)(void *);
  void *context;
  /// The fiber that has resumed this one, while it runs.
  struct cfibers_fiber *resumer;
  /// The thread's serial number: the memory of an ended thread's state may be used again.
  uint64_t thread;
  struct cfibers_fiber *next_free;
  bool has_finished;
  bool is_running;
};

struct thread_state {
  struct cfibers_fiber *current;
  struct cfibers_fiber *free;
  size_t free_count;
  size_t stack_count;
  /// Where this thread keeps the chosen words.
  uintptr_t *slots[CFIBERS_SLOTS];
  /// Counts threads from 1; 0 before the thread's first fiber.
  uint64_t serial;
};

static _Thread_local struct thread_state state;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Atomic(uint64_t) thread_count;

static void *mapping_start(struct cfibers_fiber *fiber) {
  return (char *)(fiber + 1) - STACK_SIZE - page_size;
}

static void unmap(struct cfibers_fiber *fiber) {
  munmap(mapping_start(fiber), STACK_SIZE + page_size);
}

static void leave_thread(void *value) {
  struct thread_state *thread = value;
  while (thread->free != NULL) {
    struct cfibers_fiber *fiber = thread->free;
    thread->free = fiber->next_free;
    unmap(fiber);
  }
}

static void create_key(void) { pthread_key_create(&key, leave_thread); }

static void enter_thread(struct thread_state *thread) {
  pthread_once(&key_once, create_key);
  pthread_setspecific(key, thread);
  for (int i = 0; i < CFIBERS_SLOTS; i++)
    thread->slots[i] = block_words(chosen[i].library) + chosen[i].index;
  thread->serial = atomic_fetch_add(&thread_count, 1) + 1;
}

/// The first function on every fiber's stack. It serves one body after the other.
static void fiber_main(struct cfibers_fiber *fiber) {
  while (true) {
    fiber->body(fiber->context);
    fiber->has_finished = true;
    cfibers_switch(&fiber->stack_pointer, fiber->resumer_stack_pointer);
  }
}

/// Fills a new stack as if `cfibers_switch` had been called from `cfibers_entry`.
static void *initial_frame(struct cfibers_fiber *fiber) {
  // The structure's size is a multiple of 16, so both ABIs' alignment holds below it.
  _Static_assert(sizeof(struct cfibers_fiber) % 16 == 0, "the stack must be aligned");
  uintptr_t *top = (uintptr_t *)fiber;
#if defined(__x86_64__)
  uint32_t control;
  __asm__ volatile("stmxcsr %0" : "=m"(control));
  // From below: control word, r15, r14, r13, r12, rbx, rbp, address.
  uintptr_t *frame = top - 8;
  memset(frame, 0, 8 * sizeof *frame);
  frame[0] = control;
  frame[4] = (uintptr_t)fiber_main;
  frame[5] = (uintptr_t)fiber;
  frame[7] = (uintptr_t)cfibers_entry;
#else
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  // From below: x29, x30, x19 to x28, d8 to d15, fpcr, nothing.
  uintptr_t *frame = top - 22;
  memset(frame, 0, 22 * sizeof *frame);
  frame[1] = (uintptr_t)cfibers_entry;
  frame[2] = (uintptr_t)fiber;
  frame[3] = (uintptr_t)fiber_main;
  frame[20] = control;
#endif
  return frame;
}

static struct cfibers_fiber *map_fiber(struct thread_state *thread) {
  char *start = mmap(
      NULL, STACK_SIZE + page_size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (start == MAP_FAILED) return NULL;
  // The lowest page is where an overflow ends. A process may have too many mappings for it.
  if (mprotect(start, page_size, PROT_NONE) != 0) {
    munmap(start, STACK_SIZE + page_size);
    return NULL;
  }
  struct cfibers_fiber *fiber = (void *)(start + page_size + STACK_SIZE);
  fiber -= 1;
  fiber->thread = thread->serial;
  fiber->stack_pointer = initial_frame(fiber);
  thread->stack_count++;
  return fiber;
}

struct cfibers_fiber *cfibers_create(void (*body)(void *), void *context) {
  struct thread_state *thread = &state;
  if (thread->serial == 0) enter_thread(thread);
  struct cfibers_fiber *fiber = thread->free;
  if (fiber != NULL) {
    thread->free = fiber->next_free;
    thread->free_count--;
  } else {
    fiber = map_fiber(thread);
    if (fiber == NULL) return NULL;
  }
  fiber->body = body;
  fiber->context = context;
  fiber->has_finished = false;
  memset(fiber->words, 0, sizeof fiber->words);
  return fiber;
}

void cfibers_recycle(struct cfibers_fiber *fiber) {
  struct thread_state *thread = &state;
  if (fiber->thread != thread->serial) {
    // A fiber that never ran may be released on any thread.
    unmap(fiber);
    return;
  }
  if (thread->free_count >= MOST_FREE_STACKS) {
    thread->stack_count--;
    unmap(fiber);
    return;
  }
  fiber->next_free = thread->free;
  thread->free = fiber;
  thread->free_count++;
}

// MARK: - Switching

static void swap_words(struct thread_state *thread, struct cfibers_fiber *fiber) {
  for (int i = 0; i < CFIBERS_SLOTS; i++) {
    uintptr_t word = *thread->slots[i];
    *thread->slots[i] = fiber->words[i];
    fiber->words[i] = word;
  }
}

bool cfibers_resume(struct cfibers_fiber *fiber) {
  struct thread_state *thread = &state;
  fiber->resumer = thread->current;
  fiber->is_running = true;
  thread->current = fiber;
  swap_words(thread, fiber);
  cfibers_switch(&fiber->resumer_stack_pointer, fiber->stack_pointer);
  swap_words(thread, fiber);
  thread->current = fiber->resumer;
  fiber->is_running = false;
  return fiber->has_finished;
}

void cfibers_pause(void) {
  struct cfibers_fiber *fiber = state.current;
  cfibers_switch(&fiber->stack_pointer, fiber->resumer_stack_pointer);
}

struct cfibers_fiber *cfibers_current(void) { return state.current; }

bool cfibers_is_mine(const struct cfibers_fiber *fiber) { return fiber->thread == state.serial; }

bool cfibers_is_running(const struct cfibers_fiber *fiber) { return fiber->is_running; }

size_t cfibers_stack_count(void) { return state.stack_count; }

size_t cfibers_stack_size(void) { return STACK_SIZE; }

// MARK: - Locks of the runtime

static bool is_within(uintptr_t address, int holder) {
  // A return address is behind its call, so it may be the end of a function, but not its start.
  return address > lock_holders[holder].start && address <= lock_holders[holder].end;
}

static bool is_locked_call(uintptr_t address) {
  if (address == locked_call) return true;
  for (int i = 0; i < LOCK_HOLDERS; i++)
    if (is_within(address, i)) return true;
  return false;
}

struct stack_search {
  uintptr_t previous;
  bool is_found;
  bool is_complete;
};

static _Unwind_Reason_Code find_cancel(struct _Unwind_Context *frame, void *context) {
  struct stack_search *search = context;
  uintptr_t address = _Unwind_GetIP(frame);
  search->is_found = is_within(address, 0);
  if (search->is_found) return _URC_END_OF_STACK;
  search->previous = address;
  return _URC_NO_REASON;
}

static _Unwind_Reason_Code find_locked_call(struct _Unwind_Context *frame, void *context) {
  struct stack_search *search = context;
  uintptr_t address = _Unwind_GetIP(frame);
  search->is_found = is_locked_call(address);
  // cfibers_entry has one call, with nothing behind it.
  search->is_complete = address > (uintptr_t)cfibers_entry && address <= (uintptr_t)cfibers_end;
  return search->is_found || search->is_complete ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool cfibers_learn_runtime_lock(void) {
  struct stack_search search = {0, false, false};
  _Unwind_Backtrace(find_cancel, &search);
  // Where the compiler has inlined the function that takes the lock, this is the address of another
  // call, which is on the stack only while the lock is held, too.
  if (!search.is_found) return false;
  locked_call = search.previous;
  uintptr_t low = locked_call, high = locked_call;
  for (int i = 0; i < LOCK_HOLDERS; i++) {
    if (lock_holders[i].start < low) low = lock_holders[i].start;
    if (lock_holders[i].end > high) high = lock_holders[i].end;
  }
  locked_range.start = low;
  locked_range.size = high - low + 1;
  return true;
}

__attribute__((noinline)) bool cfibers_holds_runtime_lock(void) {
  const struct cfibers_fiber *fiber = state.current;
  if (fiber == NULL) return false;
  // Walking the frames exactly takes microseconds, so look first whether any word of the stack may
  // be such a return address. It may also be left over from an earlier call.
  const uintptr_t *end = (const uintptr_t *)fiber;
  const uintptr_t *word =
      cfibers_scan(__builtin_frame_address(0), end, locked_range.start, locked_range.size);
  while (word < end && !is_locked_call(*word))
    word = cfibers_scan(word + 1, end, locked_range.start, locked_range.size);
  if (word >= end) return false;
  struct stack_search search = {0, false, false};
  _Unwind_Backtrace(find_locked_call, &search);
  return search.is_found || !search.is_complete;
}

#else

const char *cfibers_prepare(void) {
#if CFIBERS_HAS_SANITIZER
  return "a sanitizer watches the stacks of this process";
#else
  return "this platform is not supported";
#endif
}

size_t cfibers_read_words(int library, uintptr_t *words) { return 0; }

void cfibers_choose_words(const int *libraries, const size_t *indices) {}

bool cfibers_during_access(
    void *variable, void (*body)(void *, uintptr_t), void *context) {
  return false;
}

bool cfibers_on_new_thread(void (*body)(void *), void *context) { return false; }

cfibers_fiber *cfibers_create(void (*body)(void *), void *context) { return NULL; }

bool cfibers_resume(cfibers_fiber *fiber) { return true; }

void cfibers_pause(void) {}

void cfibers_recycle(cfibers_fiber *fiber) {}

cfibers_fiber *cfibers_current(void) { return NULL; }

bool cfibers_is_mine(const cfibers_fiber *fiber) { return false; }

bool cfibers_is_running(const cfibers_fiber *fiber) { return false; }

bool cfibers_learn_runtime_lock(void) { return false; }

bool cfibers_holds_runtime_lock(void) { return false; }

size_t cfibers_stack_count(void) { return 0; }

size_t cfibers_stack_size(void) { return 0; }

#endif
