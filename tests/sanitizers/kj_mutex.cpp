// Preset tsan only, part of common_rpc there: tells ThreadSanitizer of the locks inside libkj.
//
// What one thread hands to another over kj::Executor and cross-thread promises is guarded by
// kj::_::Mutex, a futex in Debian's libkj, which is not instrumented: each such value would be
// reported as a race. These definitions stand before the library's, call them and add the
// happens-before that a lock means. Nothing is suppressed, so a value that bypasses the lock is
// still found.
#include <dlfcn.h>
#include <kj/mutex.h>

#include <cstdlib>

extern "C" {
void __tsan_acquire(void* address);  // NOLINT: the sanitizer's names
void __tsan_release(void* address);  // NOLINT
}

namespace {

template <typename Function>
Function next(const char* mangled) {
  void* found = ::dlsym(RTLD_NEXT, mangled);
  if (found == nullptr) std::abort();  // another version of KJ: find its names with nm -D
  return reinterpret_cast<Function>(found);
}

}  // namespace

namespace kj::_ {

bool Mutex::lock(Exclusivity exclusivity, Maybe<Duration> timeout, LockSourceLocationArg location) {
  using Function = bool (*)(Mutex*, Exclusivity, Maybe<Duration>, LockSourceLocationArg);
  static const auto libkj = next<Function>(
      "_ZN2kj1_5Mutex4lockENS1_11ExclusivityENS_5MaybeINS_8QuantityIlNS0_"
      "15NanosecondLabelEEEEENS_18NoopSourceLocationE");
  bool locked = libkj(this, exclusivity, timeout, location);
  if (locked) __tsan_acquire(this);
  return locked;
}

void Mutex::unlock(Exclusivity exclusivity, Waiter* waiterToSkip) {
  using Function = void (*)(Mutex*, Exclusivity, void*);
  static const auto libkj = next<Function>("_ZN2kj1_5Mutex6unlockENS1_11ExclusivityEPNS1_6WaiterE");
  __tsan_release(this);
  libkj(this, exclusivity, waiterToSkip);
}

void Mutex::wait(Predicate& predicate, Maybe<Duration> timeout, LockSourceLocationArg location) {
  using Function = void (*)(Mutex*, Predicate&, Maybe<Duration>, LockSourceLocationArg);
  static const auto libkj = next<Function>(
      "_ZN2kj1_5Mutex4waitERNS1_9PredicateENS_5MaybeINS_8QuantityIlNS0_"
      "15NanosecondLabelEEEEENS_18NoopSourceLocationE");
  __tsan_release(this);
  libkj(this, predicate, timeout, location);
  __tsan_acquire(this);
}

}  // namespace kj::_
