/// What the runs of a program so far have shown about work on other threads.
struct OutsideExperience {
  /// Nothing came although it was waited for.
  var waitedInVain = false
  /// Another thread has made a task go on.
  var hasForeign = false
}
