/// Observations of earlier runs about work on other threads, which shorten later waits.
struct OutsideExperience {
  /// A wait timed out without a job from another thread.
  var waitedInVain = false
  /// Another thread has enqueued a job.
  var hasForeign = false
}
