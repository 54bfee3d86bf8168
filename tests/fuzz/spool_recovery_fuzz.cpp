// A whole spool file that an earlier start of the agent left. The proofs of its records are put
// right first, so that what they hold is reached.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "agent/core/spool.h"
#include "common/rpc/agent_codec.h"
#include "tests/fuzz/spool_bytes.h"
#include "tests/fuzz/target.h"

namespace fleetmark::fuzz {
namespace {

namespace fs = std::filesystem;
using namespace agent::core;

// In memory where that can be had: a spool syncs each record.
class Folder {
 public:
  Folder() {
    std::error_code failed;
    fs::path parent = fs::is_directory("/dev/shm", failed) ? "/dev/shm" : fs::temp_directory_path();
    path_ = parent / ("fleetmark-fuzz-spool-" + std::to_string(::getpid()));
  }
  ~Folder() { clear(); }
  void clear() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// Everything the uploader would ask for.
std::string contentOf(const Spool& spool) {
  std::string out;
  for (const auto& entry : spool.entries()) {
    require(entry.recovered, "what was found is from an earlier start");
    out += rpc::encodeAssignment(entry.assignment) + "|" + std::to_string(entry.chunks);
    for (std::uint32_t number = 0; number < entry.chunks; ++number) {
      auto chunk = spool.chunk(entry.key, number);
      out += answered(chunk) ? rpc::encodeSampleChunk(*chunk) : "?";
    }
    if (entry.completed) {
      auto completion = spool.completion(entry.key);
      out += rpc::encodeCompletion(sure(completion, "a completed attempt has its completion"));
      require(completion->chunkCount == entry.chunks, "the completion counts the chunks");
    }
  }
  return out;
}

}  // namespace
}  // namespace fleetmark::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  using namespace fleetmark::fuzz;
  static const Folder folder;
  static const base::SystemClock clock;
  folder.clear();
  fs::create_directories(folder.path());
  fs::permissions(folder.path(), fs::perms::owner_all);
  std::ofstream(folder.path() + "/00000000000000000001-1-1.spool", std::ios::binary)
      << withProofs(asText(data, size));
  std::string before;
  {
    auto spool = Spool::open({folder.path()}, clock);
    before = contentOf(*sure(spool, "a damaged file does not stop the agent"));
  }
  auto spool = Spool::open({folder.path()}, clock);
  require(contentOf(*sure(spool, "nor does what it was made into")) == before,
          "what was recovered is the same at the next start");
  for (const auto& entry : (*spool)->entries()) {
    require((*spool)->drop(entry.key).has_value(), "an attempt that was answered for goes");
  }
  require((*spool)->entries().empty(), "nothing is left");
  return 0;
}
