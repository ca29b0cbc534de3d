#include "Switch.h"

// void cfibers_switch(void **saved, void *next)
//
// Saves the registers that a callee must preserve and the SIMD control word on the current stack,
// stores the stack pointer in *saved, and returns on the stack `next`, which was saved in the same
// way. The caller treats it as a function call, so no other register matters. The control word of
// the x87 unit is not saved: Swift code does not change it.
//
// cfibers_entry is where a new stack starts. The function to call and its argument are in two
// callee-saved registers of the initial frame, see initial_frame in CFibers.c. Backtraces end here:
// the frame pointer is 0, and the unwinder is told that there is no return address.
//
// const uintptr_t *cfibers_scan(const uintptr_t *word, const uintptr_t *end, uintptr_t low,
//                               uintptr_t size)
//
// Returns the first word that is at least `low` and less than `low + size`, or `end`. It is here
// because packages cannot have C optimised in a debug build, where it would be 20 times slower.

#if CFIBERS_HAS_SWITCH && defined(__x86_64__)

        .text
        .globl cfibers_switch
        .hidden cfibers_switch
        .type cfibers_switch, @function
        .p2align 4
cfibers_switch:
        .cfi_startproc
        pushq %rbp
        pushq %rbx
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        subq $8, %rsp
        stmxcsr (%rsp)
        movl (%rsp), %eax
        movq %rsp, (%rdi)
        movq %rsi, %rsp
        // Loading the control word is slow, and it hardly ever differs.
        cmpl (%rsp), %eax
        je 1f
        ldmxcsr (%rsp)
1:
        addq $8, %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbx
        popq %rbp
        // Not `ret`: the processor predicts a return to the caller, which this is not.
        popq %rcx
        jmpq *%rcx
        .cfi_endproc
        .size cfibers_switch, .-cfibers_switch

        .globl cfibers_entry
        .hidden cfibers_entry
        .type cfibers_entry, @function
        .p2align 4
cfibers_entry:
        .cfi_startproc
        .cfi_undefined rip
        movq %rbx, %rdi
        callq *%r12
        ud2
        .cfi_endproc
        .size cfibers_entry, .-cfibers_entry
        .globl cfibers_end
        .hidden cfibers_end
cfibers_end:

        .globl cfibers_scan
        .hidden cfibers_scan
        .type cfibers_scan, @function
        .p2align 4
cfibers_scan:
        .cfi_startproc
        movq %rdi, %rax
1:
        cmpq %rsi, %rax
        jae 2f
        movq (%rax), %r8
        subq %rdx, %r8
        cmpq %rcx, %r8
        jb 3f
        addq $8, %rax
        jmp 1b
2:
        movq %rsi, %rax
3:
        ret
        .cfi_endproc
        .size cfibers_scan, .-cfibers_scan

#elif CFIBERS_HAS_SWITCH && defined(__aarch64__)

        .text
        .globl cfibers_switch
        .hidden cfibers_switch
        .type cfibers_switch, %function
        .p2align 4
cfibers_switch:
        .cfi_startproc
        hint #34                      // bti c
        sub sp, sp, #176
        stp x29, x30, [sp, #0]
        stp x19, x20, [sp, #16]
        stp x21, x22, [sp, #32]
        stp x23, x24, [sp, #48]
        stp x25, x26, [sp, #64]
        stp x27, x28, [sp, #80]
        stp d8, d9, [sp, #96]
        stp d10, d11, [sp, #112]
        stp d12, d13, [sp, #128]
        stp d14, d15, [sp, #144]
        mrs x9, fpcr
        str x9, [sp, #160]
        mov x10, sp
        str x10, [x0]
        mov sp, x1
        ldr x11, [sp, #160]
        // Writing the control register is slow, and it hardly ever differs.
        cmp x9, x11
        b.eq 1f
        msr fpcr, x11
1:
        ldp x29, x30, [sp, #0]
        ldp x19, x20, [sp, #16]
        ldp x21, x22, [sp, #32]
        ldp x23, x24, [sp, #48]
        ldp x25, x26, [sp, #64]
        ldp x27, x28, [sp, #80]
        ldp d8, d9, [sp, #96]
        ldp d10, d11, [sp, #112]
        ldp d12, d13, [sp, #128]
        ldp d14, d15, [sp, #144]
        add sp, sp, #176
        ret
        .cfi_endproc
        .size cfibers_switch, .-cfibers_switch

        .globl cfibers_entry
        .hidden cfibers_entry
        .type cfibers_entry, %function
        .p2align 4
cfibers_entry:
        .cfi_startproc
        .cfi_undefined x30
        hint #36                      // bti j
        mov x0, x19
        blr x20
        brk #1
        .cfi_endproc
        .size cfibers_entry, .-cfibers_entry
        .globl cfibers_end
        .hidden cfibers_end
cfibers_end:

        .globl cfibers_scan
        .hidden cfibers_scan
        .type cfibers_scan, %function
        .p2align 4
cfibers_scan:
        .cfi_startproc
        hint #34                      // bti c
1:
        cmp x0, x1
        b.hs 2f
        ldr x4, [x0]
        sub x4, x4, x2
        cmp x4, x3
        b.lo 3f
        add x0, x0, #8
        b 1b
2:
        mov x0, x1
3:
        ret
        .cfi_endproc
        .size cfibers_scan, .-cfibers_scan

#endif

#if defined(__ELF__)
        .section .note.GNU-stack,"",%progbits
#endif
