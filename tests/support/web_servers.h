// Speed test servers for tests, on loopback with TLS: Debian's nginx, and http_faults.py that
// misbehaves. Their certificates are made here, by an authority of the object's own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/platform/process.h"

namespace fleetmark::support {

// Files of certificates for the name localhost, in a folder of the caller.
class WebCertificates {
 public:
  explicit WebCertificates(const std::string& folder);
  std::string authority() const { return folder_ + "/ca.pem"; }
  // kind: "good", "expired", "other-name" or "other-authority".
  std::string certificate(const std::string& kind) const { return folder_ + "/" + kind + ".pem"; }
  std::string key(const std::string& kind) const { return folder_ + "/" + kind + ".key"; }

 private:
  std::string folder_;
};

bool nginxIsInstalled();

// One process of nginx. Kept in memory are 33 MiB of an upload; an upload is answered after all of
// it, once it stands in a file of bodies().
//
//   /backend/garbage.php?ckSize=N  N one of 1, 2, 4: one random MiB, repeated
//   /backend/empty.php             POST stores, GET answers nothing
//   /cf/__down?bytes=N             N one of 0, 1000, 3000000: random
//   /cf/__up                       as empty.php
//   /early/, /small/, /closed/     answers before the body, takes 1 KiB at the most, 403
class Nginx {
 public:
  Nginx(const std::string& folder, const WebCertificates& certificates);
  // https://localhost:PORT/ with the certificate of that kind.
  std::string url(const std::string& kind = "good") const;
  std::string plainUrl() const;  // http://
  // A line a request: connection method uri status bytes_of_the_answer content_length
  std::string accessLog() const { return folder_ + "/access.log"; }
  void stop();  // then the log is whole
  std::string bodies() const { return folder_ + "/bodies"; }

 private:
  std::string folder_;
  std::uint16_t ports_[5] = {};
  int reserved_[5] = {-1, -1, -1, -1, -1};
  std::unique_ptr<platform::Process> process_;

 public:
  ~Nginx();
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;
};

class FaultServer {
 public:
  FaultServer(const std::string& folder, const WebCertificates& certificates);
  // https://localhost:PORT/BEHAVIOUR/
  std::string url(const std::string& behaviour) const;
  std::string log() const { return folder_ + "/faults.log"; }

 private:
  std::string folder_;
  std::string port_;
  std::unique_ptr<platform::Process> process_;
};

}  // namespace fleetmark::support
