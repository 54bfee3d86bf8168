#include "coordinator/identity/authority_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "common/platform/process.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::coordinator::identity {
namespace {

using std::chrono::hours;
using tests::ManualClock;
using tests::TemporaryFolder;

std::string read(const std::string& file) { return *platform::readFile(file, 65536); }

unsigned mode(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST(FleetIdentity, TheSecondStartHasTheIdentityOfTheFirst) {
  TemporaryFolder folder;
  ManualClock clock;
  auto first = loadOrCreate(folder.path(), clock);
  ASSERT_TRUE(first) << first.error().message;
  clock.advance(hours(24));
  auto second = loadOrCreate(folder.path(), clock);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->authority.certificatePem, first->authority.certificatePem);
  EXPECT_EQ(second->authority.keyPem, first->authority.keyPem);
  EXPECT_EQ(second->coordinator.certificatePem, first->coordinator.certificatePem);
  EXPECT_EQ(second->coordinator.keyPem, first->coordinator.keyPem);
  ASSERT_EQ(first->credentials.size(), 2u);
  ASSERT_EQ(second->credentials.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second->credentials[i].serial, first->credentials[i].serial);
    EXPECT_EQ(second->credentials[i].subject, first->credentials[i].subject);
  }
  EXPECT_EQ(first->credentials[0].role, "coordinator");
  EXPECT_EQ(first->credentials[1].role, "operator");
  EXPECT_FALSE(first->credentials[1].revoked);
}

TEST(FleetIdentity, FoldersAndFilesAreForTheOwnerAlone) {
  TemporaryFolder folder;
  ASSERT_TRUE(loadOrCreate(folder.path(), ManualClock()));
  std::size_t files = 0;
  std::string pki = folder.path() + "/pki";
  EXPECT_EQ(mode(pki), 0700u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(pki)) {
    EXPECT_EQ(mode(entry.path()), entry.is_directory() ? 0700u : 0600u) << entry.path();
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 8u);  // ca.pem, ca.key; two folders of certificate, key and ca
}

TEST(FleetIdentity, HalfAnAuthorityIsRefusedAndLeftAsItIs) {
  for (const char* lost : {"ca.pem", "ca.key"}) {
    TemporaryFolder folder;
    ASSERT_TRUE(loadOrCreate(folder.path(), ManualClock()));
    std::string pki = folder.path() + "/pki/";
    std::filesystem::remove(pki + lost);
    auto again = loadOrCreate(folder.path(), ManualClock());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, base::ErrorCode::kInvalid);
    std::string kept = lost == std::string("ca.pem") ? "ca.key" : "ca.pem";
    EXPECT_NE(again.error().message.find(pki + kept), std::string::npos) << again.error().message;
    EXPECT_FALSE(platform::exists(pki + lost));
  }
}

TEST(FleetIdentity, ADamagedFileIsNamedAndLeftAsItIs) {
  TemporaryFolder folder;
  ASSERT_TRUE(loadOrCreate(folder.path(), ManualClock()));
  for (const char* name : {"ca.pem", "ca.key", "coordinator/certificate.pem", "coordinator/key.pem",
                           "operator/certificate.pem", "operator/key.pem"}) {
    std::string file = folder.path() + "/pki/" + name;
    std::string good = read(file);
    for (const char* content : {"", "not a PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n"}) {
      ASSERT_TRUE(platform::writePrivateFile(file, content));
      auto again = loadOrCreate(folder.path(), ManualClock());
      ASSERT_FALSE(again) << name << " '" << content << "'";
      EXPECT_EQ(again.error().code, base::ErrorCode::kInvalid) << name;
      EXPECT_NE(again.error().message.find(file), std::string::npos) << again.error().message;
      EXPECT_EQ(read(file), content);
    }
    ASSERT_TRUE(platform::writePrivateFile(file, good));
  }
  EXPECT_TRUE(loadOrCreate(folder.path(), ManualClock()));
}

TEST(FleetIdentity, ALostKeyOfACertificateIsNamed) {
  TemporaryFolder folder;
  ASSERT_TRUE(loadOrCreate(folder.path(), ManualClock()));
  std::filesystem::remove(folder.path() + "/pki/coordinator/key.pem");
  auto again = loadOrCreate(folder.path(), ManualClock());
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("coordinator/key.pem"), std::string::npos);
}

TEST(FleetIdentity, AKeyWithoutItsCertificateIsReplaced) {  // killed between the two files
  TemporaryFolder folder;
  ASSERT_TRUE(loadOrCreate(folder.path(), ManualClock()));
  std::filesystem::remove(folder.path() + "/pki/coordinator/certificate.pem");
  EXPECT_TRUE(loadOrCreate(folder.path(), ManualClock()));
  EXPECT_TRUE(platform::exists(folder.path() + "/pki/coordinator/certificate.pem"));
}

// A certificate lives 365 days and is renewed in the last 30: day 334 keeps it, day 336 does not.
TEST(FleetIdentity, ACertificateIsRenewedInItsLastThirtyDays) {
  TemporaryFolder folder;
  ManualClock clock;
  auto first = loadOrCreate(folder.path(), clock);
  ASSERT_TRUE(first);
  clock.advance(hours(24 * 334));
  auto kept = loadOrCreate(folder.path(), clock);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->coordinator.certificatePem, first->coordinator.certificatePem);
  clock.advance(hours(24 * 2));
  auto renewed = loadOrCreate(folder.path(), clock);
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->authority.certificatePem, first->authority.certificatePem);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NE(renewed->credentials[i].serial, first->credentials[i].serial);
    ASSERT_TRUE(renewed->credentials[i].expiresAt);
    EXPECT_GT(*renewed->credentials[i].expiresAt, clock.wall() + hours(24 * 364));
  }
  EXPECT_NE(renewed->coordinator.keyPem, first->coordinator.keyPem);
  EXPECT_EQ(read(folder.path() + "/pki/coordinator/certificate.pem"),
            renewed->coordinator.certificatePem);
}

TEST(FleetIdentity, CertificatesOfAnotherAuthorityAreReplaced) {
  TemporaryFolder first;
  TemporaryFolder second;
  auto fleet = loadOrCreate(first.path(), ManualClock());
  auto other = loadOrCreate(second.path(), ManualClock());
  ASSERT_TRUE(fleet);
  ASSERT_TRUE(other);
  for (const char* name : {"/pki/ca.pem", "/pki/ca.key"}) {
    ASSERT_TRUE(platform::writePrivateFile(second.path() + name, read(first.path() + name)));
  }
  auto joined = loadOrCreate(second.path(), ManualClock());
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(joined->authority.certificatePem, fleet->authority.certificatePem);
  EXPECT_NE(joined->coordinator.certificatePem, other->coordinator.certificatePem);
  EXPECT_EQ(read(second.path() + "/pki/operator/ca.pem"), fleet->authority.certificatePem);
}

// `openssl verify` as a judge from outside.
TEST(FleetIdentity, OpensslAcceptsTheCertificatesForTheirPurpose) {
  const std::string openssl = "/usr/bin/openssl";
  if (!platform::exists(openssl)) GTEST_SKIP() << "the openssl program is not installed";
  TemporaryFolder folder;
  ASSERT_TRUE(loadOrCreate(folder.path(), base::SystemClock()));
  std::string pki = folder.path() + "/pki/";
  auto verify = [&](const std::string& purpose, const std::string& who) {
    std::string command = openssl + " verify -x509_strict -purpose " + purpose + " -CAfile '" +
                          pki + "ca.pem' '" + pki + who + "/certificate.pem' >/dev/null 2>&1";
    return std::system(command.c_str());
  };
  EXPECT_EQ(verify("sslserver", "coordinator"), 0);
  EXPECT_EQ(verify("sslclient", "operator"), 0);
  EXPECT_NE(verify("sslclient", "coordinator"), 0);
  EXPECT_NE(verify("sslserver", "operator"), 0);
}

}  // namespace
}  // namespace fleetmark::coordinator::identity
