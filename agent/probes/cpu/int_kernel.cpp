#include "agent/probes/cpu/int_kernel.h"

namespace fleetmark::agent::probes::cpu {

namespace {

// Marsaglia's xorshift with 13, 17, 5: fills the data set alike everywhere.
class Filler {
 public:
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

 private:
  std::uint32_t state_ = 0x20261130;
};

// Well-formed and broken numbers for the state machine.
constexpr std::array<std::string_view, 16> kWords{
    "5012",   "1234",     "-874",   "+122",     "35.54400", ".1234500", "-110.700", "+0.64400",
    "5.5e+3", "-.123e-2", "-87e+8", "+0.6e-12", "T0.3e-1F", "-T.T++Tq", "1T3.4e4z", "34.0e-T^"};

enum State : std::uint8_t {
  kStart,
  kSign,
  kInteger,
  kPoint,
  kFraction,
  kExponent,
  kExponentSign,
  kScientific,
  kBroken,
  kStates
};

bool isDigit(std::uint8_t letter) { return letter >= '0' && letter <= '9'; }
bool isSign(std::uint8_t letter) { return letter == '+' || letter == '-'; }

State step(State state, std::uint8_t letter) {
  switch (state) {
    case kStart:
      if (isDigit(letter)) return kInteger;
      if (isSign(letter)) return kSign;
      return letter == '.' ? kPoint : kBroken;
    case kSign:
      if (isDigit(letter)) return kInteger;
      return letter == '.' ? kPoint : kBroken;
    case kInteger:
      if (isDigit(letter)) return kInteger;
      if (letter == '.') return kFraction;
      return letter == 'e' ? kExponent : kBroken;
    case kPoint:
      return isDigit(letter) ? kFraction : kBroken;
    case kFraction:
      if (isDigit(letter)) return kFraction;
      return letter == 'e' ? kExponent : kBroken;
    case kExponent:
      if (isSign(letter)) return kExponentSign;
      return isDigit(letter) ? kScientific : kBroken;
    case kExponentSign:
    case kScientific:
      return isDigit(letter) ? kScientific : kBroken;
    case kBroken:
    case kStates:
      return kBroken;
  }
  return kBroken;
}

}  // namespace

IntKernel::IntKernel() : data_{} {
  Filler filler;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    std::uint32_t random = filler.next();
    data_.nodes[i] = {static_cast<std::uint16_t>(i + 1 < kNodes ? i + 1 : kEnd),
                      static_cast<std::uint16_t>(random & 0x7fff), static_cast<std::uint16_t>(i),
                      static_cast<std::uint16_t>(random >> 16)};
  }
  for (auto& cell : data_.a) cell = static_cast<std::uint16_t>(filler.next() >> 20);
  for (auto& cell : data_.b) cell = static_cast<std::uint16_t>(filler.next() >> 20);
  std::size_t at = 0;
  while (at < kTextBytes) {
    for (char letter : kWords[filler.next() >> 28]) {
      if (at + 1 < kTextBytes) data_.text[at++] = static_cast<std::uint8_t>(letter);
    }
    data_.text[at++] = ',';
  }
}

std::uint32_t IntKernel::crc(std::uint32_t state, std::uint32_t value, int bytes) {
  state = ~state;
  for (int bit = 0; bit < bytes * 8; ++bit) {
    std::uint32_t odd = (state ^ value) & 1U;
    state = (state >> 1) ^ (odd != 0 ? 0xedb88320U : 0U);
    value >>= 1;
  }
  return ~state;
}

std::uint32_t IntKernel::iterate() {
  std::uint32_t state = listWork(0);
  state = matrixWork(state);
  return textWork(state);
}

std::uint16_t IntKernel::reversed(std::uint16_t head) {
  std::uint16_t done = kEnd;
  while (head != kEnd) {
    std::uint16_t next = data_.nodes[head].next;
    data_.nodes[head].next = done;
    done = head;
    head = next;
  }
  return done;
}

// Bottom-up merge sort on the links; stable.
std::uint16_t IntKernel::sorted(std::uint16_t head, SortBy by) {
  auto& nodes = data_.nodes;
  auto valueOf = [&](std::uint16_t node) {
    return by == SortBy::kKey ? nodes[node].key : nodes[node].rank;
  };
  for (std::size_t width = 1;; width *= 2) {
    std::uint16_t left = head;
    std::uint16_t tail = kEnd;
    std::size_t merges = 0;
    head = kEnd;
    while (left != kEnd) {
      ++merges;
      std::uint16_t right = left;
      std::size_t leftCount = 0;
      while (leftCount < width && right != kEnd) {
        ++leftCount;
        right = nodes[right].next;
      }
      std::size_t rightCount = width;
      while (leftCount > 0 || (rightCount > 0 && right != kEnd)) {
        bool takeLeft =
            leftCount > 0 && (rightCount == 0 || right == kEnd || valueOf(left) <= valueOf(right));
        std::uint16_t taken = takeLeft ? left : right;
        if (takeLeft) {
          left = nodes[left].next;
          --leftCount;
        } else {
          right = nodes[right].next;
          --rightCount;
        }
        if (tail == kEnd) {
          head = taken;
        } else {
          nodes[tail].next = taken;
        }
        tail = taken;
      }
      left = right;
    }
    if (tail != kEnd) nodes[tail].next = kEnd;
    if (merges <= 1) return head;
  }
}

std::uint32_t IntKernel::listWork(std::uint32_t state) {
  auto& nodes = data_.nodes;
  // Half of these keys exist; the others run to the end.
  for (std::uint32_t search = 0; search < 16; ++search) {
    std::uint16_t wanted = nodes[search * 5].key;
    if (search % 2 == 1) wanted = static_cast<std::uint16_t>(wanted | 0x8000);
    std::uint16_t node = head_;
    std::uint32_t steps = 0;
    while (node != kEnd && nodes[node].key != wanted) {
      node = nodes[node].next;
      ++steps;
    }
    state = crc(state, steps, 1);
  }
  head_ = reversed(head_);
  head_ = sorted(head_, SortBy::kKey);
  std::uint32_t place = 0;
  for (std::uint16_t node = head_; node != kEnd; node = nodes[node].next) {
    if (place++ % 4 == 0) state = crc(state, nodes[node].info, 2);
  }
  head_ = sorted(head_, SortBy::kRank);
  return state;
}

std::uint32_t IntKernel::matrixWork(std::uint32_t state) {
  auto& [nodes, a, b, c, text] = data_;
  constexpr std::uint16_t kAdded = 0x155;
  for (auto& cell : a) cell = static_cast<std::uint16_t>(cell + kAdded);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<std::uint32_t>(a[i]) * 0x2545U;
  for (std::size_t row = 0; row < kSide; ++row) {
    for (std::size_t column = 0; column < kSide; ++column) {
      std::uint32_t sum = c[row * kSide + column];
      for (std::size_t k = 0; k < kSide; ++k) {
        std::uint32_t product =
            static_cast<std::uint32_t>(a[row * kSide + k]) * b[k * kSide + column];
        sum += ((product >> 2) & 0xfU) * ((product >> 5) & 0x7fU) + product;
      }
      c[row * kSide + column] = sum;
    }
  }
  for (auto& cell : a) cell = static_cast<std::uint16_t>(cell - kAdded);
  for (std::size_t row = 0; row < kSide; ++row) {
    std::uint32_t folded = 0;
    for (std::size_t column = 0; column < kSide; ++column) {
      folded = (folded << 3 | folded >> 29) ^ c[row * kSide + column];
    }
    state = crc(state, folded, 4);
  }
  return state;
}

std::uint32_t IntKernel::scan(std::uint32_t state) const {
  std::array<std::uint32_t, kStates> ends{};
  std::array<std::uint32_t, kStates> visits{};
  State now = kStart;
  for (std::uint8_t letter : data_.text) {
    if (letter == ',') {
      ++ends[now];
      now = kStart;
    } else {
      now = step(now, letter);
      ++visits[now];
    }
  }
  for (std::size_t i = 0; i < kStates; ++i) state = crc(state, ends[i] << 16 | visits[i], 4);
  return state;
}

std::uint32_t IntKernel::textWork(std::uint32_t state) {
  constexpr std::size_t kStride = 7;
  auto damage = [&] {
    for (std::size_t i = 0; i < kTextBytes; i += kStride) {
      if (data_.text[i] != ',') data_.text[i] = static_cast<std::uint8_t>(data_.text[i] ^ 0x40U);
    }
  };
  state = scan(state);
  damage();
  state = scan(state);
  damage();  // the same bytes flip back: 0x40 turns none of them into a comma or out of one
  return state;
}

}  // namespace fleetmark::agent::probes::cpu
