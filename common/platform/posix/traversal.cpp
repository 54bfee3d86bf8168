#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "common/platform/files.h"
#include "common/platform/posix/errors.h"

namespace fleetmark::platform {

namespace {

struct Person {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;
};

base::Result<Person> fromEntry(int error, const struct passwd* found, const std::string& who) {
  if (error != 0) return fromErrno(error, "can't look up " + who);
  if (found == nullptr) return base::notFound("no " + who + " on this host; create it");
  return Person{found->pw_uid, found->pw_gid, found->pw_dir};
}

base::Result<Person> findByName(const std::string& name) {
  std::vector<char> buffer(64 * 1024);
  struct passwd entry {};
  struct passwd* found = nullptr;
  int error = ::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  return fromEntry(error, found, "user '" + name + "'");
}

bool canEnter(const struct stat& about, const Person& user) {
  if (about.st_uid == user.uid) return (about.st_mode & S_IXUSR) != 0;
  if (about.st_gid == user.gid) return (about.st_mode & S_IXGRP) != 0;
  return (about.st_mode & S_IXOTH) != 0;
}

bool isOwnHome(const std::string& folder) {
  std::vector<char> buffer(64 * 1024);
  struct passwd entry {};
  struct passwd* found = nullptr;
  int error = ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
  auto self = fromEntry(error, found, "own user");
  return self && std::filesystem::path(self->home).lexically_normal() == folder;
}

}  // namespace

base::Status letEnter(const std::string& path, const std::string& user) {
  FM_TRY_ASSIGN(Person person, findByName(user));
  std::filesystem::path way;
  for (const auto& part : std::filesystem::path(path).lexically_normal()) {
    way /= part;
    if (part.empty()) continue;
    struct stat about {};
    if (::stat(way.c_str(), &about) != 0) {
      return fromErrno(errno, "can't look at '" + way.string() + "'");
    }
    if (canEnter(about, person)) continue;
    bool ours = about.st_uid == ::geteuid() && (about.st_mode & 0067) == 0;
    if (!ours || isOwnHome(way.string())) {
      return base::denied("user '" + user + "' can't enter '" + way.string() + "' on the way to '" +
                          path + "'; use a folder elsewhere, such as one in /var/lib");
    }
    if (::chown(way.c_str(), static_cast<uid_t>(-1), person.gid) != 0 ||
        ::chmod(way.c_str(), 0710) != 0) {
      return fromErrno(errno, "can't let user '" + user + "' enter '" + way.string() + "'");
    }
  }
  return {};
}

}  // namespace fleetmark::platform
