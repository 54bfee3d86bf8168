#include "tests/agent/platform/mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "common/platform/files.h"
#include "common/platform/posix/errors.h"
#include "common/platform/process.h"

namespace fleetmark::agent::testing {

namespace {

using platform::fromErrno;

base::Result<std::string> mountPoint() { return platform::makeTemporaryFolder("fm-mount-"); }

base::Status runTool(const std::string& program, std::vector<std::string> arguments) {
  platform::SpawnOptions options;
  options.program = program;
  options.arguments = std::move(arguments);
  FM_TRY_ASSIGN(auto child, platform::spawn(options));
  auto status = child->wait(std::chrono::minutes(1));
  if (status && status->clean()) return {};
  return base::unsupported(program + ": " + (status ? status->describe() : "hangs"));
}

base::Status mountAt(const std::string& source, const std::string& path, const std::string& type,
                     unsigned long flags, const std::string& data) {
  if (::mount(source.c_str(), path.c_str(), type.c_str(), flags, data.c_str()) != 0) {
    int error = errno;
    ::rmdir(path.c_str());
    return fromErrno(error, "mounting " + type);
  }
  return {};
}

}  // namespace

base::Status ownMountNamespace() {
  static const base::Status once = []() -> base::Status {
    if (::unshare(CLONE_NEWNS) != 0) return fromErrno(errno, "a mount namespace of its own");
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      return fromErrno(errno, "making mounts private");
    }
    return {};
  }();
  return once;
}

TestMount::TestMount(TestMount&& other) noexcept
    : path_(std::exchange(other.path_, "")), scratch_(std::exchange(other.scratch_, "")) {}

TestMount::~TestMount() {
  if (!path_.empty()) {
    ::umount2(path_.c_str(), MNT_DETACH);
    ::rmdir(path_.c_str());
  }
  if (!scratch_.empty()) static_cast<void>(platform::removeTree(scratch_));
}

base::Result<TestMount> TestMount::tmpfs(base::Bytes size) {
  FM_TRY(ownMountNamespace());
  FM_TRY_ASSIGN(auto path, mountPoint());
  FM_TRY(mountAt("tmpfs", path, "tmpfs", 0, "size=" + std::to_string(size.count)));
  TestMount out;
  out.path_ = path;
  return out;
}

base::Result<TestMount> TestMount::readOnlyView(const std::string& folder) {
  FM_TRY(ownMountNamespace());
  FM_TRY_ASSIGN(auto path, mountPoint());
  FM_TRY(mountAt(folder, path, "none", MS_BIND, ""));
  TestMount out;
  out.path_ = path;
  if (::mount(nullptr, path.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
    return fromErrno(errno, "making a mount read-only");
  }
  return out;
}

base::Result<TestMount> TestMount::overlayOn(const std::string& upperParent) {
  FM_TRY(ownMountNamespace());
  std::string scratch = upperParent + "/fm-overlay-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) return fromErrno(errno, "a scratch folder");
  TestMount out;
  out.scratch_ = scratch;
  for (const char* name : {"/lower", "/upper", "/work"}) {
    FM_TRY(platform::makePrivateFolder(scratch + name));
  }
  FM_TRY_ASSIGN(auto path, mountPoint());
  FM_TRY(mountAt("overlay", path, "overlay", 0,
                 "lowerdir=" + scratch + "/lower,upperdir=" + scratch +
                     "/upper,workdir=" + scratch + "/work"));
  out.path_ = path;
  return out;
}

base::Result<TestMount> TestMount::ext4Image(const std::string& parent, base::Bytes size) {
  FM_TRY(ownMountNamespace());
  std::string scratch = parent + "/fm-image-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) return fromErrno(errno, "a scratch folder");
  TestMount out;
  out.scratch_ = scratch;
  const std::string image = scratch + "/image";
  FM_TRY(platform::writePrivateFile(image, ""));
  if (::truncate(image.c_str(), size.count) != 0) return fromErrno(errno, "an image file");
  FM_TRY(runTool("/usr/sbin/mkfs.ext4", {"-q", "-F", "-m", "0", "-O", "^has_journal", image}));
  FM_TRY_ASSIGN(auto path, mountPoint());
  auto mounted = runTool("/usr/bin/mount", {"-o", "loop", image, path});
  if (!mounted.has_value()) {
    ::rmdir(path.c_str());
    return mounted.error();
  }
  out.path_ = path;
  return out;
}

}  // namespace fleetmark::agent::testing
