// A fuzz target without a fuzzer: its corpus, and mutations of it that are the same each time.
//
//   fuzz_NAME CORPUS COUNT LAST     exit code 0: every input was answered
//
// LAST is a file that holds the input while it is looked at; when the target ends the process or
// hangs, that is the one.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> readCorpus(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string next() {
    std::string input = any();
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input);
    return input;
  }

 private:
  static constexpr std::size_t kMostBytes = 16 * 1024;

  // The engine's numbers are the same everywhere, those of the distributions are not.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const std::string& any() { return corpus_[below(corpus_.size())]; }

  void change(std::string& input) {
    static constexpr std::array<unsigned char, 8> kBytes{0, 1, 2, 0x20, 0x7f, 0x80, 0xc0, 0xff};
    if (input.empty()) input = any();
    if (input.empty()) input = "0";
    std::size_t at = below(input.size());
    std::size_t length = 1 + below(std::min<std::size_t>(input.size() - at, 16));
    switch (below(7)) {
      case 0:
        input[at] ^= static_cast<char>(1u << below(8));
        break;
      case 1:
        input[at] = static_cast<char>(random_());
        break;
      case 2:
        input.replace(at, length, length, static_cast<char>(kBytes[below(kBytes.size())]));
        break;
      case 3:
        input.erase(at, length);
        break;
      case 4:
        input.insert(below(input.size()), input.substr(at, length));
        break;
      case 5:
        input.resize(at);
        break;
      default: {
        const std::string& other = any();
        std::size_t from = below(other.size());
        input.insert(at, other.substr(from, 1 + below(64)));
      }
    }
    input.resize(std::min(input.size(), kMostBytes));
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: " << argv[0] << " CORPUS COUNT LAST\n";
    return 2;
  }
  auto corpus = readCorpus(argv[1]);
  if (corpus.empty()) {
    std::cerr << "no corpus in " << argv[1] << "\n";
    return 1;
  }
  std::cout << "the input that is looked at stands in " << argv[3] << std::endl;
  // Kept open: a file that is truncated and closed each time is written out each time.
  int last = ::open(argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (last < 0) {
    std::cerr << "cannot write " << argv[3] << "\n";
    return 1;
  }
  auto look = [&](const std::string& input) {
    if (::pwrite(last, input.data(), input.size(), 0) < 0 ||
        ::ftruncate(last, static_cast<off_t>(input.size())) != 0) {
      std::cerr << "cannot write " << argv[3] << "\n";
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  };
  for (const auto& input : corpus) look(input);
  Mutator mutator(corpus);
  const unsigned long count = std::stoul(argv[2]);
  for (unsigned long i = 0; i < count; ++i) look(mutator.next());
  fs::remove(argv[3]);
  std::cout << corpus.size() << " inputs of the corpus and " << count << " mutations answered\n";
  return 0;
}
