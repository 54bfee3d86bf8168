// OpenSSL's own command is the judge of what our code makes, and the maker of what it must refuse.
#include "common/crypto/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace fleetmark::crypto {
namespace {

using base::ErrorCode;
using std::chrono::hours;
using testing::HasSubstr;

base::WallTime now() { return base::SystemClock().wall(); }

class CertificateTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(folder_), nullptr);
    if (run("version") != 0) GTEST_SKIP() << "the openssl command is not there";
    ca_ = makeCa("test CA", validity_).value();
    write("ca.pem", ca_.certificatePem);
    write("ca.key", ca_.keyPem);
  }
  void TearDown() override {
    const std::string command = std::string("rm -r ") + folder_;
    EXPECT_EQ(std::system(command.c_str()), 0);
  }

  std::string path(const std::string& name) const { return std::string(folder_) + "/" + name; }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
  }
  std::string readFile(const std::string& name) {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // openssl with these arguments in the folder; output_ is what it said.
  int run(const std::string& arguments) {
    const std::string command =
        std::string("cd ") + folder_ + " && openssl " + arguments + " 2>&1 </dev/null";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    output_.clear();
    char buffer[4096];
    while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) {
      output_.append(buffer, size);
    }
    const int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  SignSpec clientSpec() const {
    return {"agent:x:" + serial_, serial_, validity_, CertificateUse::kClient, ""};
  }

  char folder_[24] = "/tmp/fm-cert-XXXXXX";
  std::string output_;
  Validity validity_{now() - hours(1), now() + hours(24)};
  CertificateAuthority ca_;
  std::string serial_ = newSerialHex();
};

TEST_F(CertificateTest, CaIsOneForOpenssl) {
  EXPECT_EQ(run("verify -x509_strict -check_ss_sig -CAfile ca.pem ca.pem"), 0) << output_;
  ASSERT_EQ(run("x509 -in ca.pem -noout -text"), 0);
  EXPECT_THAT(output_, HasSubstr("CA:TRUE, pathlen:0"));
  EXPECT_THAT(output_, HasSubstr("Certificate Sign, CRL Sign"));
  EXPECT_THAT(output_, HasSubstr("ASN1 OID: prime256v1"));
  EXPECT_THAT(output_, HasSubstr("ecdsa-with-SHA256"));
}

TEST_F(CertificateTest, ClientCertificateVerifiesAsClientOnly) {
  const std::string key = makeKeyPem().value();
  const auto made = signRequest(ca_, makeRequestPem(key, "a wish").value(), clientSpec()).value();
  write("leaf.pem", made.certificatePem);
  EXPECT_EQ(run("verify -x509_strict -purpose sslclient -CAfile ca.pem leaf.pem"), 0) << output_;
  EXPECT_NE(run("verify -x509_strict -purpose sslserver -CAfile ca.pem leaf.pem"), 0);
  ASSERT_EQ(run("x509 -in leaf.pem -noout -subject -serial -nameopt RFC2253"), 0);
  EXPECT_THAT(output_, HasSubstr("subject=CN=agent:x:" + serial_ + "\n"));
  std::string upper = serial_;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_THAT(output_, HasSubstr("serial=" + upper));
}

TEST_F(CertificateTest, ServerCertificateVerifiesForItsNameOnly) {
  SignSpec spec = clientSpec();
  spec.use = CertificateUse::kServer;
  spec.dnsName = "fleetmark-coordinator";
  const auto request = makeRequestPem(makeKeyPem().value(), "server").value();
  write("leaf.pem", signRequest(ca_, request, spec).value().certificatePem);
  const std::string verify = "verify -x509_strict -CAfile ca.pem -purpose ";
  EXPECT_EQ(run(verify + "sslserver -verify_hostname fleetmark-coordinator leaf.pem"), 0)
      << output_;
  EXPECT_NE(run(verify + "sslserver -verify_hostname elsewhere leaf.pem"), 0);
  EXPECT_NE(run(verify + "sslclient leaf.pem"), 0);
}

TEST_F(CertificateTest, LeafCanNotSign) {
  const std::string key = makeKeyPem().value();
  const auto leaf = signRequest(ca_, makeRequestPem(key, "x").value(), clientSpec()).value();
  const auto second = signRequest({leaf.certificatePem, key},
                                  makeRequestPem(makeKeyPem().value(), "y").value(), clientSpec())
                          .value();
  write("middle.pem", leaf.certificatePem);
  write("leaf.pem", second.certificatePem);
  EXPECT_NE(run("verify -CAfile ca.pem -untrusted middle.pem leaf.pem"), 0) << output_;
}

TEST_F(CertificateTest, NothingOfTheRequestButItsKeyIsTaken) {
  write("request.cnf",
        "[req]\ndistinguished_name=dn\nprompt=no\nreq_extensions=ext\n"
        "[dn]\nCN=coordinator:main:00\nO=Evil\n"
        "[ext]\nbasicConstraints=CA:TRUE\nsubjectAltName=DNS:fleetmark-coordinator\n"
        "extendedKeyUsage=serverAuth\n");
  ASSERT_EQ(run("req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem "
                "-config request.cnf -out r.pem"),
            0)
      << output_;
  const auto made = signRequest(ca_, readFile("r.pem"), clientSpec()).value();
  write("leaf.pem", made.certificatePem);
  ASSERT_EQ(run("x509 -in leaf.pem -noout -text"), 0);
  for (const char* trace : {"Evil", "coordinator", "CA:TRUE", "Server Authentication"}) {
    EXPECT_EQ(output_.find(trace), std::string::npos) << trace;
  }
}

TEST_F(CertificateTest, RefusesWeakAndUnknownKeys) {
  const std::string make = "req -new -nodes -subj /CN=x -keyout k.pem -out r.pem -newkey ";
  for (const char* kind : {"rsa:1024", "rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-384",
                           "ec -pkeyopt ec_paramgen_curve:secp224r1", "ed25519"}) {
    ASSERT_EQ(run(make + kind), 0) << output_;
    const auto refused = signRequest(ca_, readFile("r.pem"), clientSpec());
    ASSERT_FALSE(refused) << kind;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(refused.error().message, HasSubstr("P-256"));
  }
}

TEST_F(CertificateTest, RefusesARequestThatIsNotSignedByItsKey) {
  // Two requests of the same length, one with the signature of the other.
  ASSERT_EQ(run("req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x "
                "-keyout k.pem -outform DER -out r.der"),
            0);
  std::string der = readFile("r.der");
  der.back() = static_cast<char>(der.back() ^ 1);
  write("r.der", der);
  ASSERT_EQ(run("req -inform DER -in r.der -out r.pem"), 0) << output_;
  const auto refused = signRequest(ca_, readFile("r.pem"), clientSpec());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(refused.error().message, HasSubstr("not signed by the key in it"));
}

TEST_F(CertificateTest, RefusesGarbage) {
  for (const std::string& text :
       {std::string(), std::string("garbage"), ca_.certificatePem, ca_.keyPem,
        std::string(
            "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"),
        std::string(70'000, 'A')}) {
    EXPECT_EQ(signRequest(ca_, text, clientSpec()).error().code, ErrorCode::kInvalid);
  }
  EXPECT_EQ(describe("garbage").error().code, ErrorCode::kInvalid);
  EXPECT_EQ(describe(ca_.keyPem).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(makeRequestPem("garbage", "x").error().code, ErrorCode::kInvalid);
}

TEST_F(CertificateTest, EncryptedKeyIsRefusedAndNobodyIsAsked) {
  ASSERT_EQ(run("pkcs8 -topk8 -in ca.key -passout pass:x -out locked.key"), 0) << output_;
  EXPECT_EQ(makeRequestPem(readFile("locked.key"), "x").error().code, ErrorCode::kInvalid);
}

TEST_F(CertificateTest, RefusesMalformedSpecs) {
  const auto request = makeRequestPem(makeKeyPem().value(), "x").value();
  const auto refusedWith = [&](auto change) {
    SignSpec spec = clientSpec();
    change(spec);
    const auto result = signRequest(ca_, request, spec);
    return !result && result.error().code == ErrorCode::kInvalid;
  };
  EXPECT_FALSE(refusedWith([](SignSpec&) {}));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.commonName = ""; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.commonName = std::string(65, 'a'); }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.commonName = "a\nb"; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.serialHex = ""; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.serialHex = "00"; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.serialHex = "ff"; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.serialHex = "xy"; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.validity.notAfter = s.validity.notBefore; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.dnsName = "x"; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) { s.use = CertificateUse::kServer; }));
  EXPECT_TRUE(refusedWith([](SignSpec& s) {
    s.use = CertificateUse::kServer;
    s.dnsName = "a,DNS:b";
  }));
}

TEST_F(CertificateTest, CaOfTwoHalvesIsAnInternalError) {
  const auto request = makeRequestPem(makeKeyPem().value(), "x").value();
  const CertificateAuthority mixed{ca_.certificatePem, makeKeyPem().value()};
  EXPECT_EQ(signRequest(mixed, request, clientSpec()).error().code, ErrorCode::kInternal);
}

TEST_F(CertificateTest, DescribeReadsWhatOpensslMade) {
  ASSERT_EQ(run("req -x509 -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem "
                "-subj /CN=agent:x:0b0c -set_serial 0x0b0c -days 1 -out c.pem"),
            0)
      << output_;
  const auto info = describe(readFile("c.pem")).value();
  EXPECT_EQ(info.commonName, "agent:x:0b0c");
  EXPECT_EQ(info.issuer, "agent:x:0b0c");
  EXPECT_EQ(info.serialHex, "0b0c");
  EXPECT_EQ(info.notAfter - info.notBefore, hours(24));
  ASSERT_EQ(run("x509 -in c.pem -noout -enddate -dateopt iso_8601"), 0);
  std::string date = base::formatWall(info.notAfter);  // 2026-11-30T16:09:37.000Z
  EXPECT_THAT(output_, HasSubstr(date.substr(0, 10) + " " + date.substr(11, 8)));
}

TEST_F(CertificateTest, DatesAreKeptToTheSecondAlsoBeyond2050) {
  SignSpec spec = clientSpec();
  spec.validity.notAfter = base::fromUnixNanos(4'102'444'800'000'000'000);  // 2100-01-01
  const auto request = makeRequestPem(makeKeyPem().value(), "x").value();
  const auto info = describe(signRequest(ca_, request, spec).value().certificatePem).value();
  EXPECT_EQ(info.notAfter, spec.validity.notAfter);
  EXPECT_EQ(info.serialHex, serial_);
  EXPECT_EQ(info.issuer, "test CA");
}

TEST(Serial, IsPositiveAndFitsACommonName) {
  for (int i = 0; i < 1000; ++i) {
    const std::string serial = newSerialHex();
    EXPECT_EQ(serial.size(), 14u);
    EXPECT_LT(serial[0], '8');
    EXPECT_NE(serial.substr(0, 2), "00");
  }
}

}  // namespace
}  // namespace fleetmark::crypto
