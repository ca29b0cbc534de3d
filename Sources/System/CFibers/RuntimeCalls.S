#include "RuntimeCalls.h"

// Defines the functions of `RuntimeCalls.h` so that the program's calls of them are seen.
//
// Each definition calls cfibers_before_call(number, arguments), then the original, which that
// function returns, then cfibers_after_call(number). Arguments and results are kept in between: all
// registers that Swift passes or returns values in. None of the functions has arguments on the stack.
// They are weak, so that a statically linked runtime wins.

#if CFIBERS_IS_SUPPORTED && defined(__x86_64__)

        .text
        .set call_number, 0

        .macro watch name
        .weak "\name"
        .type "\name", @function
        .p2align 4
"\name":
        .cfi_startproc
        movl $call_number, %r11d
        jmp cfibers_watched_call
        .cfi_endproc
        .size "\name", .-"\name"
        .set call_number, call_number + 1
        .endm

        .type cfibers_watched_call, @function
        .p2align 4
cfibers_watched_call:
        .cfi_startproc
        endbr64
        pushq %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq %rsp, %rbp
        .cfi_def_cfa_register rbp
        subq $208, %rsp
        movq %r11, -8(%rbp)
        movq %rdi, -80(%rbp)
        movq %rsi, -72(%rbp)
        movq %rdx, -64(%rbp)
        movq %rcx, -56(%rbp)
        movq %r8, -48(%rbp)
        movq %r9, -40(%rbp)
        movq %rax, -32(%rbp)
        movq %r10, -24(%rbp)
        movups %xmm0, -208(%rbp)
        movups %xmm1, -192(%rbp)
        movups %xmm2, -176(%rbp)
        movups %xmm3, -160(%rbp)
        movups %xmm4, -144(%rbp)
        movups %xmm5, -128(%rbp)
        movups %xmm6, -112(%rbp)
        movups %xmm7, -96(%rbp)
        movl %r11d, %edi
        leaq -80(%rbp), %rsi
        callq cfibers_before_call
        movq %rax, %r11
        movq -80(%rbp), %rdi
        movq -72(%rbp), %rsi
        movq -64(%rbp), %rdx
        movq -56(%rbp), %rcx
        movq -48(%rbp), %r8
        movq -40(%rbp), %r9
        movq -32(%rbp), %rax
        movq -24(%rbp), %r10
        movups -208(%rbp), %xmm0
        movups -192(%rbp), %xmm1
        movups -176(%rbp), %xmm2
        movups -160(%rbp), %xmm3
        movups -144(%rbp), %xmm4
        movups -128(%rbp), %xmm5
        movups -112(%rbp), %xmm6
        movups -96(%rbp), %xmm7
        callq *%r11
        movq %rax, -80(%rbp)
        movq %rdx, -72(%rbp)
        movq %rcx, -64(%rbp)
        movq %r8, -56(%rbp)
        movups %xmm0, -208(%rbp)
        movups %xmm1, -192(%rbp)
        movups %xmm2, -176(%rbp)
        movups %xmm3, -160(%rbp)
        movl -8(%rbp), %edi
        callq cfibers_after_call
        movq -80(%rbp), %rax
        movq -72(%rbp), %rdx
        movq -64(%rbp), %rcx
        movq -56(%rbp), %r8
        movups -208(%rbp), %xmm0
        movups -192(%rbp), %xmm1
        movups -176(%rbp), %xmm2
        movups -160(%rbp), %xmm3
        leave
        .cfi_def_cfa rsp, 8
        retq
        .cfi_endproc
        .size cfibers_watched_call, .-cfibers_watched_call

#define CALL(symbol, effect) watch #symbol;
        CFIBERS_RUNTIME_CALLS(CALL)

// void swift_task_switch(context in r14, function, executor: identity and implementation)
//
// A task that goes from one actor to another leaves the first before it arrives at the second. The
// engine must be able to run another task in between, so cfibers_before_switch may replace the
// arguments by a switch to no actor, after which cfibers_detour makes the original one.

        .weak swift_task_switch
        .type swift_task_switch, @function
        .p2align 4
swift_task_switch:
        .cfi_startproc
        leaq cfibers_before_switch(%rip), %rax
        jmp cfibers_change_arguments
        .cfi_endproc
        .size swift_task_switch, .-swift_task_switch

        .globl cfibers_detour
        .hidden cfibers_detour
        .type cfibers_detour, @function
        .p2align 4
cfibers_detour:
        .cfi_startproc
        endbr64
        leaq cfibers_after_detour(%rip), %rax
        jmp cfibers_change_arguments
        .cfi_endproc
        .size cfibers_detour, .-cfibers_detour

// withTaskExecutorPreference(result, executor: object and witnesses, …) and withTaskCancellationHandler, context
// in r14
//
// cfibers_before_preference may replace the executor.

        .macro watch_entry name, before
        .weak "\name"
        .type "\name", @function
        .p2align 4
"\name":
        .cfi_startproc
        movl $entry_number, %r11d
        leaq \before(%rip), %rax
        jmp cfibers_change_arguments
        .cfi_endproc
        .size "\name", .-"\name"
        .set entry_number, entry_number + 1
        .endm

#define PREFERENCE_CALL(symbol) watch_entry #symbol, cfibers_before_preference;
#define HANDLER_CALL(symbol) watch_entry #symbol, cfibers_before_handler;
        .set entry_number, 0
        CFIBERS_PREFERENCE_CALLS(PREFERENCE_CALL)
        .set entry_number, 0
        CFIBERS_HANDLER_CALLS(HANDLER_CALL)

// Calls the function in rax with the place of the arguments, which it may change, and the number in r11.
// Continues with the function that it returns. All other arguments stay, on the stack as well.

        .type cfibers_change_arguments, @function
        .p2align 4
cfibers_change_arguments:
        .cfi_startproc
        pushq %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq %rsp, %rbp
        .cfi_def_cfa_register rbp
        subq $48, %rsp
        movq %rdi, -48(%rbp)
        movq %rsi, -40(%rbp)
        movq %rdx, -32(%rbp)
        movq %rcx, -24(%rbp)
        movq %r8, -16(%rbp)
        movq %r9, -8(%rbp)
        leaq -48(%rbp), %rdi
        movl %r11d, %esi
        callq *%rax
        movq -48(%rbp), %rdi
        movq -40(%rbp), %rsi
        movq -32(%rbp), %rdx
        movq -24(%rbp), %rcx
        movq -16(%rbp), %r8
        movq -8(%rbp), %r9
        leave
        .cfi_def_cfa rsp, 8
        jmpq *%rax
        .cfi_endproc
        .size cfibers_change_arguments, .-cfibers_change_arguments

#elif CFIBERS_IS_SUPPORTED && defined(__aarch64__)

        .text
        .set call_number, 0

        .macro watch name
        .weak "\name"
        .type "\name", %function
        .p2align 4
"\name":
        .cfi_startproc
        hint #34                      // bti c
        mov w16, #call_number
        b cfibers_watched_call
        .cfi_endproc
        .size "\name", .-"\name"
        .set call_number, call_number + 1
        .endm

        .type cfibers_watched_call, %function
        .p2align 4
cfibers_watched_call:
        .cfi_startproc
        stp x29, x30, [sp, #-240]!
        .cfi_def_cfa_offset 240
        .cfi_offset x29, -240
        .cfi_offset x30, -232
        mov x29, sp
        .cfi_def_cfa_register x29
        str x16, [x29, #16]
        stp x0, x1, [x29, #32]
        stp x2, x3, [x29, #48]
        stp x4, x5, [x29, #64]
        stp x6, x7, [x29, #80]
        str x8, [x29, #96]
        stp q0, q1, [x29, #112]
        stp q2, q3, [x29, #144]
        stp q4, q5, [x29, #176]
        stp q6, q7, [x29, #208]
        mov w0, w16
        add x1, x29, #32
        bl cfibers_before_call
        mov x16, x0
        ldp x0, x1, [x29, #32]
        ldp x2, x3, [x29, #48]
        ldp x4, x5, [x29, #64]
        ldp x6, x7, [x29, #80]
        ldr x8, [x29, #96]
        ldp q0, q1, [x29, #112]
        ldp q2, q3, [x29, #144]
        ldp q4, q5, [x29, #176]
        ldp q6, q7, [x29, #208]
        blr x16
        stp x0, x1, [x29, #32]
        stp x2, x3, [x29, #48]
        stp q0, q1, [x29, #112]
        stp q2, q3, [x29, #144]
        ldr w0, [x29, #16]
        bl cfibers_after_call
        ldp x0, x1, [x29, #32]
        ldp x2, x3, [x29, #48]
        ldp q0, q1, [x29, #112]
        ldp q2, q3, [x29, #144]
        ldp x29, x30, [sp], #240
        .cfi_def_cfa sp, 0
        ret
        .cfi_endproc
        .size cfibers_watched_call, .-cfibers_watched_call

#define CALL(symbol, effect) watch #symbol;
        CFIBERS_RUNTIME_CALLS(CALL)

// void swift_task_switch(context in x22, function, executor: identity and implementation)

        .weak swift_task_switch
        .type swift_task_switch, %function
        .p2align 4
swift_task_switch:
        .cfi_startproc
        hint #34                      // bti c
        adrp x9, cfibers_before_switch
        add x9, x9, :lo12:cfibers_before_switch
        b cfibers_change_arguments
        .cfi_endproc
        .size swift_task_switch, .-swift_task_switch

        .globl cfibers_detour
        .hidden cfibers_detour
        .type cfibers_detour, %function
        .p2align 4
cfibers_detour:
        .cfi_startproc
        hint #34                      // bti c
        adrp x9, cfibers_after_detour
        add x9, x9, :lo12:cfibers_after_detour
        b cfibers_change_arguments
        .cfi_endproc
        .size cfibers_detour, .-cfibers_detour

// withTaskExecutorPreference and withTaskCancellationHandler, context in x22

        .macro watch_entry name, before
        .weak "\name"
        .type "\name", %function
        .p2align 4
"\name":
        .cfi_startproc
        hint #34                      // bti c
        adrp x9, \before
        add x9, x9, :lo12:\before
        mov w10, #entry_number
        b cfibers_change_arguments
        .cfi_endproc
        .size "\name", .-"\name"
        .set entry_number, entry_number + 1
        .endm

#define PREFERENCE_CALL(symbol) watch_entry #symbol, cfibers_before_preference;
#define HANDLER_CALL(symbol) watch_entry #symbol, cfibers_before_handler;
        .set entry_number, 0
        CFIBERS_PREFERENCE_CALLS(PREFERENCE_CALL)
        .set entry_number, 0
        CFIBERS_HANDLER_CALLS(HANDLER_CALL)

// The function to call is in x9, the number in x10.

        .type cfibers_change_arguments, %function
        .p2align 4
cfibers_change_arguments:
        .cfi_startproc
        stp x29, x30, [sp, #-80]!
        .cfi_def_cfa_offset 80
        .cfi_offset x29, -80
        .cfi_offset x30, -72
        mov x29, sp
        .cfi_def_cfa_register x29
        stp x0, x1, [x29, #16]
        stp x2, x3, [x29, #32]
        stp x4, x5, [x29, #48]
        stp x6, x7, [x29, #64]
        add x0, x29, #16
        mov w1, w10
        blr x9
        mov x16, x0
        ldp x0, x1, [x29, #16]
        ldp x2, x3, [x29, #32]
        ldp x4, x5, [x29, #48]
        ldp x6, x7, [x29, #64]
        ldp x29, x30, [sp], #80
        .cfi_def_cfa sp, 0
        br x16
        .cfi_endproc
        .size cfibers_change_arguments, .-cfibers_change_arguments

#endif

#if defined(__ELF__)
        .section .note.GNU-stack,"",%progbits
#endif
