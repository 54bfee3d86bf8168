// Runs a use case in one transaction and commits it.
#pragma once

#include <memory>
#include <utility>

#include "common/base/result.h"
#include "coordinator/ports/store.h"

namespace fleetmark::coordinator::service {

// How often a unit that lost a race (kConflict) is done again before the caller hears of it.
inline constexpr int kConflictTries = 5;

// fn(UnitOfWork&) -> Result<T>. Commits when fn is ok; an error of fn rolls back. A conflict,
// from fn or from the commit, runs fn again from the beginning.
template <typename Fn>
auto inUnit(ports::Database& database, ports::Durability durability, Fn&& fn)
    -> decltype(fn(std::declval<ports::UnitOfWork&>())) {
  using Out = decltype(fn(std::declval<ports::UnitOfWork&>()));
  for (int tries = 1;; ++tries) {
    auto unit = database.begin(durability);
    if (!unit) return Out(std::move(unit).error());
    Out out = fn(**unit);
    base::Error error;
    if (out.has_value()) {
      auto committed = (*unit)->commit();
      if (committed) return out;
      error = committed.error();
    } else {
      error = out.error();
    }
    if (error.code != base::ErrorCode::kConflict || tries >= kConflictTries) {
      return Out(std::move(error));
    }
  }
}

}  // namespace fleetmark::coordinator::service
