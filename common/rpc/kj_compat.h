// What differs between Cap'n Proto 0.9.2 (Debian 12) and 1.x (Debian 13), in one place. Everything
// else in the tree uses what both share.
#pragma once

#include <capnp/common.h>
#include <kj/common.h>
#include <kj/compat/tls.h>

#include <utility>

// Around a class that derives from one of KJ's interfaces: they have no virtual destructor, since
// kj::Own carries the way to destroy what it owns.
#if defined(__GNUC__)
#define FM_KJ_CLASS_BEGIN \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wnon-virtual-dtor\"")
#define FM_KJ_CLASS_END _Pragma("GCC diagnostic pop")
#else
#define FM_KJ_CLASS_BEGIN
#define FM_KJ_CLASS_END
#endif

namespace fleetmark::rpc {

// The value inside a Maybe, or null. Stands in for KJ_IF_MAYBE (0.9) and KJ_IF_SOME (1.x), and
// borrows: the Maybe must outlive the pointer.
template <typename T>
T* someOf(kj::Maybe<T>& maybe) {
#ifdef KJ_IF_SOME
  KJ_IF_SOME(value, maybe) { return &value; }
#else
  KJ_IF_MAYBE (value, maybe) {
    return value;
  }
#endif
  return nullptr;
}

template <typename T>
const T* someOf(const kj::Maybe<T>& maybe) {
#ifdef KJ_IF_SOME
  KJ_IF_SOME(value, maybe) { return &value; }
#else
  KJ_IF_MAYBE (value, maybe) {
    return value;
  }
#endif
  return nullptr;
}

// A call that may be dropped when its caller goes away. From 1.0 on this is an annotation of the
// schema ($Cxx.allowCancellation) and nothing is left to do here.
template <typename Context>
void allowCancellation([[maybe_unused]] Context& context) {
#if CAPNP_VERSION < 1000000
  context.allowCancellation();
#endif
}

// 0.9.2 has no enumerator for TLS 1.3; its table of versions is indexed by the one after TLS 1.2.
inline kj::TlsVersion tls13() {
#if CAPNP_VERSION < 1000000
  return static_cast<kj::TlsVersion>(static_cast<int>(kj::TlsVersion::TLS_1_2) + 1);
#else
  return kj::TlsVersion::TLS_1_3;
#endif
}

// Options can only be moved in 1.x.
inline kj::Own<kj::TlsContext> makeTlsContext(kj::TlsContext::Options&& options) {
  return kj::heap<kj::TlsContext>(std::move(options));
}

}  // namespace fleetmark::rpc
