// Private files and folders.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/base/result.h"

namespace fleetmark::platform {

// Makes the folder (and its parents) with mode 0700; an existing one must belong to this user.
base::Status makePrivateFolder(const std::string& path);
// Makes the folder and its parents where they are absent, as the user's umask says.
base::Status makeFolder(const std::string& path);
// Written to a temporary name beside it, mode 0600, fsync, renamed, folder fsync.
base::Status writePrivateFile(const std::string& path, const std::string& content);
// As above with mode 0644.
base::Status writePublicFile(const std::string& path, const std::string& content);
// At most maxBytes, else kInvalid. kNotFound, kDenied.
base::Result<std::string> readFile(const std::string& path, std::size_t maxBytes);
// A short private temporary folder (socket paths are limited to 107 bytes), 0700.
base::Result<std::string> makeTemporaryFolder(const std::string& prefix);
base::Status removeTree(const std::string& path);
base::Status changeOwner(const std::string& path, const std::string& user);  // recursive; root only
// Lets `user` reach the folder `path` (absolute): a folder on the way that is private to this user
// and is not its home becomes 0710 with the group of `user`. Root only. kDenied names the folder
// that is in the way.
base::Status letEnter(const std::string& path, const std::string& user);
bool exists(const std::string& path);
// Free bytes for this user on the file system of `path`.
base::Result<std::int64_t> freeBytes(const std::string& path);

// An exclusive lock held until destruction; kConflict names the holder's pid where it is known.
class FileLock {
 public:
  virtual ~FileLock() = default;
};
base::Result<std::unique_ptr<FileLock>> lockFile(const std::string& path);

}  // namespace fleetmark::platform
