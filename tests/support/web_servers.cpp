#include "tests/support/web_servers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/crypto/certificate.h"
#include "common/platform/files.h"
#include "tests/support/tcp_proxy.h"

namespace fleetmark::support {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr const char* kNginx = "/usr/sbin/nginx";
constexpr const char* kKinds[] = {"good", "expired", "other-name", "other-authority"};

void put(const std::string& path, const std::string& content) {
  FM_CHECK(platform::writePrivateFile(path, content).has_value());
}

crypto::CertificateAuthority authorityOf(const std::string& name, base::WallTime now) {
  auto made = crypto::makeCa(name, {now - hours(240), now + hours(24)});
  FM_CHECK(made.has_value());
  return *made;
}

// Bound but not listening, so that the port stays ours until nginx binds it with reuseport.
int reservePort(std::uint16_t& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  FM_CHECK(fd >= 0 && ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  FM_CHECK(::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  FM_CHECK(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port = ntohs(address.sin_port);
  return fd;
}

std::string randomText(std::int64_t bytes, std::uint64_t seed) {
  std::string out(static_cast<std::size_t>(bytes), '\0');
  base::SeededRandom(seed).fill({reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  return out;
}

void makePayloads(const std::string& folder) {
  const std::string block = randomText(1 << 20, 1);
  for (int mebibytes : {1, 2, 4}) {
    std::ofstream out(folder + "/ck" + std::to_string(mebibytes), std::ios::binary);
    for (int i = 0; i < mebibytes; ++i) out << block;
  }
  for (int bytes : {0, 1000, 3'000'000}) {
    std::ofstream out(folder + "/b" + std::to_string(bytes), std::ios::binary);
    out << randomText(bytes, 2);
  }
}

constexpr const char* kHead = R"(
daemon off;
master_process off;
error_log error.log;
pid nginx.pid;
events { worker_connections 64; }
http {
  log_format plain '$connection $request_method $request_uri $status $body_bytes_sent $content_length';
  access_log access.log plain;
  client_body_temp_path bodies;
  proxy_temp_path other; fastcgi_temp_path other; uwsgi_temp_path other; scgi_temp_path other;
  client_max_body_size 64m;
  client_body_buffer_size 33m;
  client_body_in_file_only on;
  server { listen unix:@FOLDER@/sink; access_log off; location / { return 200; } }
)";

// The body is read whole and answered by the server above, which is not sent it again.
constexpr const char* kServer = R"(
  server {
    listen 127.0.0.1:@LISTEN@ reuseport;
    root @FOLDER@/payload;
    location = /backend/garbage.php { rewrite ^ /ck$arg_ckSize break; }
    location = /cf/__down { rewrite ^ /b$arg_bytes break; }
    location ~ ^/(backend/empty.php|cf/__up)$ {
      proxy_pass http://unix:@FOLDER@/sink;
      proxy_method GET;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
    }
    location /early/ { return 200; }
    location /small/ { client_max_body_size 1k; proxy_pass http://unix:@FOLDER@/sink; }
    location /closed/ { deny all; }
  }
)";

std::string filled(std::string text, const std::string& name, const std::string& value) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    text.replace(at, name.size(), value);
    at += value.size();
  }
  return text;
}

}  // namespace

WebCertificates::WebCertificates(const std::string& folder) : folder_(folder) {
  const auto now = base::SystemClock().wall();
  const auto authority = authorityOf("test authority", now);
  const auto stranger = authorityOf("another authority", now);
  put(folder_ + "/ca.pem", authority.certificatePem);
  for (const std::string kind : kKinds) {
    auto key = crypto::makeKeyPem();
    FM_CHECK(key.has_value());
    auto request = crypto::makeRequestPem(*key, kind);
    FM_CHECK(request.has_value());
    const std::string name = kind == "other-name" ? "other.example" : "localhost";
    crypto::Validity validity{now - hours(1), now + hours(1)};
    if (kind == "expired") validity = {now - hours(100), now - hours(50)};
    auto made = crypto::signRequest(
        kind == "other-authority" ? stranger : authority, *request,
        {name, crypto::newSerialHex(), validity, crypto::CertificateUse::kServer, name});
    FM_CHECK(made.has_value());
    put(this->key(kind), *key);
    put(certificate(kind), made->certificatePem);
  }
}

bool nginxIsInstalled() { return ::access(kNginx, X_OK) == 0; }

Nginx::Nginx(const std::string& folder, const WebCertificates& certificates) : folder_(folder) {
  for (const char* part : {"/payload", "/bodies", "/other"}) {
    FM_CHECK(platform::makeFolder(folder_ + part).has_value());
  }
  makePayloads(folder_ + "/payload");
  std::string text = kHead;
  for (std::size_t i = 0; i < 5; ++i) {
    reserved_[i] = reservePort(ports_[i]);
    std::string listen = std::to_string(ports_[i]);
    if (i < 4) {
      listen += " ssl";
    }
    std::string server = filled(kServer, "@LISTEN@", listen);
    if (i < 4) {
      server = filled(server, "reuseport;",
                      "reuseport;\n    ssl_certificate " + certificates.certificate(kKinds[i]) +
                          ";\n    ssl_certificate_key " + certificates.key(kKinds[i]) + ";");
    }
    text += server;
  }
  text = (::geteuid() == 0 ? "user root;" : "") + filled(text, "@FOLDER@", folder_) + "}\n";
  put(folder_ + "/nginx.conf", text);
  platform::SpawnOptions options;
  options.program = kNginx;
  options.arguments = {"-p", folder_, "-e", folder_ + "/error.log", "-c", folder_ + "/nginx.conf"};
  options.stdoutFile = folder_ + "/error.log";
  auto process = platform::spawn(options);
  FM_CHECK(process.has_value());
  process_ = std::move(*process);
  for (;;) {  // until it listens or has ended
    const int fd = connectLoopback(ports_[4]);
    if (fd >= 0) {
      ::close(fd);
      return;
    }
    FM_CHECK(!process_->wait(std::chrono::milliseconds(5)) && "nginx ended, see its error.log");
  }
}

void Nginx::stop() {
  process_->terminate();
  FM_CHECK(process_->wait(seconds(30)).has_value());
}

Nginx::~Nginx() {
  for (int fd : reserved_) ::close(fd);
}

std::string Nginx::url(const std::string& kind) const {
  for (std::size_t i = 0; i < 4; ++i) {
    if (kind == kKinds[i]) return "https://localhost:" + std::to_string(ports_[i]) + "/";
  }
  FM_CHECK(false && "no such certificate");
  return {};
}

std::string Nginx::plainUrl() const {
  return "http://127.0.0.1:" + std::to_string(ports_[4]) + "/";
}

FaultServer::FaultServer(const std::string& folder, const WebCertificates& certificates)
    : folder_(folder) {
  const char* source = std::getenv("FLEETMARK_SOURCE");
  platform::SpawnOptions options;
  options.program = "/usr/bin/python3";
  options.arguments = {
      std::string(source == nullptr ? "." : source) + "/tests/support/http_faults.py",
      certificates.certificate("good"), certificates.key("good"), log()};
  options.pipeStdin = true;
  options.pipeStdout = true;
  auto process = platform::spawn(options);
  FM_CHECK(process.has_value());
  process_ = std::move(*process);
  while (port_.find('\n') == std::string::npos) {
    auto read = process_->readStdout(64, seconds(30));
    FM_CHECK(read.has_value() && !read->eof && !read->timedOut);
    port_ += read->bytes;
  }
  port_.resize(port_.find('\n'));
}

std::string FaultServer::url(const std::string& behaviour) const {
  return "https://localhost:" + port_ + "/" + behaviour + "/";
}

}  // namespace fleetmark::support
