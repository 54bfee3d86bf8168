// A table between an enum and its word, so that each enum is spelled once.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"

namespace fleetmark::model {

template <typename E, std::size_t N>
struct Words {
  std::array<std::pair<E, std::string_view>, N> entries;

  constexpr std::string_view word(E value) const {
    for (const auto& [known, text] : entries) {
      if (known == value) return text;
    }
    FM_CHECK(false && "enumerator without a word");
    return {};
  }
  constexpr std::optional<E> parse(std::string_view text) const {
    for (const auto& [known, word] : entries) {
      if (word == text) return known;
    }
    return std::nullopt;
  }
  std::vector<E> all() const {
    std::vector<E> out;
    for (const auto& entry : entries) out.push_back(entry.first);
    return out;
  }
};

}  // namespace fleetmark::model
