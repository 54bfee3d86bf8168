#include "tests/chaos/member.h"

#include <signal.h>

#include "tests/chaos/failure.h"

namespace fleetmark::chaos {

namespace {

constexpr auto kRestartPause = std::chrono::milliseconds(300);

}  // namespace

void Member::launch() {
  process_ = must(platform::spawn(options_), "starting " + name_);
  leaving_ = false;
}

void Member::start() {
  wanted_ = true;
  if (!process_) launch();
}

void Member::kill() {
  wanted_ = false;
  if (!process_) return;
  // The program alone: what it started must end by itself.
  ::kill(static_cast<pid_t>(process_->pid()), SIGKILL);
  if (!process_->wait(std::chrono::seconds(20))) throw HarnessFailure(name_ + " can't be killed");
  process_.reset();
}

void Member::terminate() {
  wanted_ = false;
  leaving_ = true;
  if (process_) ::kill(static_cast<pid_t>(process_->pid()), SIGTERM);
}

void Member::signal(int number) {
  if (process_) ::kill(static_cast<pid_t>(process_->pid()), number);
}

bool Member::ended(std::chrono::steady_clock::duration limit) {
  if (process_ && !process_->wait(limit)) return false;
  process_.reset();
  return true;
}

std::string Member::tend() {
  auto now = std::chrono::steady_clock::now();
  if (!process_) {
    if (wanted_ && now >= notBefore_) launch();
    return {};
  }
  auto status = process_->wait(base::Nanos(0));
  if (!status) return {};
  process_.reset();
  if (leaving_) return {};
  notBefore_ = now + kRestartPause;
  return wanted_ ? name_ + " ended by itself with " + status->describe() : std::string();
}

}  // namespace fleetmark::chaos
