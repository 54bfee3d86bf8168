// What is wrong with a campaign file, all of it at once: one line a fault,
// `quick.yaml:14:9: unknown key 'sample' under disk; did you mean 'samples'?`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace fleetmark::coordinator::loader {

// As people and editors count: lines and columns from 1, a column is one character (code point).
struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

class Issues {
 public:
  static constexpr std::size_t kMost = 20;
  static constexpr std::size_t kMostCounted = 200;

  explicit Issues(std::string_view fileName);
  void add(Place place, const std::string& message);
  bool any() const { return !faults_.empty(); }
  std::size_t count() const { return faults_.size(); }
  // More would only be counted: a reader may stop.
  bool full() const { return faults_.size() >= kMostCounted; }
  // By place; after the first kMost only the number of the others. kInvalid.
  base::Error toError() const;

 private:
  struct Fault {
    Place place;
    std::string message;
  };
  std::string fileName_;
  std::vector<Fault> faults_;
};

// 'text' in quotes for a message: at most 40 characters, control characters made visible.
std::string quoted(std::string_view text);
// "a, b, c"
std::string joined(const std::vector<std::string_view>& words);
// "; did you mean 'samples'?" or, where nothing is near, "; known: file, path, samples".
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace fleetmark::coordinator::loader
