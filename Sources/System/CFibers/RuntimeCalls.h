#ifndef C_FIBERS_RUNTIME_CALLS_H
#define C_FIBERS_RUNTIME_CALLS_H

#include "Support.h"

// The functions of the Swift runtime that `RuntimeCalls.S` defines in the executable, and the effect
// of each. The dynamic linker binds the program's calls to these definitions, and the runtime's own
// calls to the originals. CALL(symbol, effect)
#define CFIBERS_RUNTIME_CALLS(CALL)                                                                  \
  /* Task.init, Task.detached, Task.immediate, addTask */                                            \
  CALL(swift_task_create, CFIBERS_CREATES_TASK)                                                      \
  /* Task.immediate */                                                                               \
  CALL(swift_task_immediate, CFIBERS_STARTS_IMMEDIATELY)                                             \
  /* Task.cancel() */                                                                                \
  CALL($sScT6cancelyyF, CFIBERS_CANCELS)                                                             \
  CALL(swift_task_cancel, CFIBERS_CANCELS)                                                           \
  /* cancelAll() of the four kinds of group */                                                       \
  CALL($sScG9cancelAllyyF, CFIBERS_CANCELS)                                                          \
  CALL($sScg9cancelAllyyF, CFIBERS_CANCELS)                                                          \
  CALL($ss19DiscardingTaskGroupV9cancelAllyyF, CFIBERS_CANCELS)                                      \
  CALL($ss27ThrowingDiscardingTaskGroupV9cancelAllyyF, CFIBERS_CANCELS)                              \
  CALL(swift_taskGroup_cancelAll, CFIBERS_CANCELS)                                                   \
  /* Task.isCancelled and Task.checkCancellation(), of the current and of another task */            \
  CALL($sScTss5NeverORszABRs_rlE11isCancelledSbvgZ, CFIBERS_READS_CANCELLATION)                      \
  CALL($sScTss5NeverORszABRs_rlE17checkCancellationyyKFZ, CFIBERS_READS_CANCELLATION)                \
  CALL($sScT11isCancelledSbvg, CFIBERS_READS_CANCELLATION)                                           \
  CALL(swift_task_isCancelled, CFIBERS_READS_CANCELLATION)                                           \
  CALL($sScG11isCancelledSbvg, CFIBERS_READS_CANCELLATION)                                           \
  CALL($sScg11isCancelledSbvg, CFIBERS_READS_CANCELLATION)                                           \
  CALL($ss19DiscardingTaskGroupV11isCancelledSbvg, CFIBERS_READS_CANCELLATION)                       \
  CALL($ss27ThrowingDiscardingTaskGroupV11isCancelledSbvg, CFIBERS_READS_CANCELLATION)               \
  /* isEmpty of the two kinds of group whose children leave it when they end */                      \
  CALL($ss19DiscardingTaskGroupV7isEmptySbvg, CFIBERS_READS_CHILDREN)                                \
  CALL($ss27ThrowingDiscardingTaskGroupV7isEmptySbvg, CFIBERS_READS_CHILDREN)                        \
  /* AsyncStream.Continuation and AsyncThrowingStream.Continuation: yield(_:), yield(with:), yield(), \
     finish() */                                                                                     \
  CALL($sScS12ContinuationV5yieldyAB11YieldResultOyx__GxnF, CFIBERS_WAKES)                           \
  CALL($sScS12ContinuationV5yield4withAB11YieldResultOyx__Gs0E0Oyxs5NeverOG_tF, CFIBERS_WAKES)       \
  CALL($sScS12ContinuationV5yieldAB11YieldResultOyyt__GyytRszlF, CFIBERS_WAKES)                      \
  CALL($sScS12ContinuationV6finishyyF, CFIBERS_WAKES)                                                \
  CALL($sScs12ContinuationV5yieldyAB11YieldResultOyxq___GxnF, CFIBERS_WAKES)                         \
  CALL(                                                                                              \
      $sScs12ContinuationV5yield4withAB11YieldResultOyxs5Error_p__Gs0E0OyxsAG_pG_tsAG_pRs_rlF,       \
      CFIBERS_WAKES)                                                                                 \
  CALL($sScs12ContinuationV5yieldAB11YieldResultOyytq___GyytRszrlF, CFIBERS_WAKES)                   \
  CALL($sScs12ContinuationV6finish8throwingyq_Sgn_tF, CFIBERS_WAKES)                                 \
  /* CheckedContinuation and UnsafeContinuation */                                                   \
  CALL($sScC6resume9returningyxn_tF, CFIBERS_WAKES)                                                  \
  CALL($sScC6resume8throwingyq_n_tF, CFIBERS_WAKES)                                                  \
  CALL(swift_continuation_resume, CFIBERS_WAKES)                                                     \
  CALL(swift_continuation_throwingResume, CFIBERS_WAKES)                                             \
  CALL(swift_continuation_throwingResumeWithError, CFIBERS_WAKES)

// The two variants of `withTaskExecutorPreference`. Both take the executor as second and third argument,
// after the place of the result. CALL(symbol)
#define CFIBERS_PREFERENCE_CALLS(CALL)                                                               \
  CALL($ss26withTaskExecutorPreference_9isolation9operationxSch_pSg_ScA_pSgYixyYaq_YKXEtYaq_YKs5ErrorR_r0_lF) \
  CALL($ss26withTaskExecutorPreference_9operationxSch_pSg_xyYaYbKXEtYaKs8SendableRzlF)

// The two variants of `withTaskCancellationHandler`. CALL(symbol)
#define CFIBERS_HANDLER_CALLS(CALL)                                                                  \
  CALL($ss27withTaskCancellationHandler9operation8onCancel9isolationxxyYaKXE_yyYbXEScA_pSgYitYaKlF) \
  CALL($ss27withTaskCancellationHandler9operation8onCancelxxyYaKXE_yyYbXEtYaKlF)

#endif
