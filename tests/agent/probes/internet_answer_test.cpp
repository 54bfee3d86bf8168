#include "agent/probes/internet/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fleetmark::agent::probes::internet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

AnswerHead headOf(std::initializer_list<std::string_view> lines) {
  AnswerHead head;
  for (auto line : lines) EXPECT_TRUE(head.line(line));
  return head;
}

TEST(AnswerHead, AcceptsAPlainAnswer) {
  auto head = headOf({"HTTP/1.1 200 OK\r\n", "content-LENGTH:  12 \r\n", "\r\n"});
  EXPECT_TRUE(head.complete());
  EXPECT_EQ(head.contentLength(), 12);
  EXPECT_EQ(head.objection(), "");
}

TEST(AnswerHead, PassesOverInterimAnswersAndTrailers) {
  auto head = headOf({"HTTP/1.1 103 Early Hints\r\n", "Content-Length: 5\r\n", "\r\n"});
  EXPECT_FALSE(head.begun());
  EXPECT_FALSE(head.complete());
  EXPECT_TRUE(head.line("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(head.line("\r\n"));
  EXPECT_TRUE(head.line("Content-Encoding: gzip\r\n")) << "a trailer";
  EXPECT_EQ(head.objection(), "");
  EXPECT_FALSE(head.contentLength());
}

TEST(AnswerHead, SaysWhatIsWrong) {
  EXPECT_EQ(headOf({"HTTP/1.1 403 Forbidden\r\n"}).objection(), "answered 403 Forbidden");
  EXPECT_EQ(headOf({"HTTP/1.1 429 Too Many Requests\r\n", "Retry-After: 30\r\n"}).objection(),
            "answered 429 Too Many Requests, retry after 30");
  EXPECT_EQ(headOf({"HTTP/1.0 200 OK\r\n"}).objection(),
            "answered with HTTP/1.0, HTTP/1.1 was asked for");
  EXPECT_THAT(headOf({"HTTP/1.1 200 OK\r\n", "Content-Encoding: br\r\n"}).objection(),
              HasSubstr("content encoding br"));
  EXPECT_EQ(headOf({"HTTP/1.1 204 No Content\r\n"}).objection(), "answered 204 No Content");
}

TEST(AnswerHead, ShowsARedirectWithoutWhatMayBeSecret) {
  auto text =
      headOf({"HTTP/1.1 302 Found\r\n", "Location: https://b.example/x?token=abc\r\n"}).objection();
  EXPECT_THAT(text, HasSubstr("302 Found and pointed to https://b.example/x;"));
  EXPECT_THAT(text, Not(HasSubstr("abc")));
}

TEST(AnswerHead, IsBounded) {
  AnswerHead head;
  const std::string line = "X: " + std::string(30'000, 'x') + "\r\n";
  EXPECT_TRUE(head.line("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(head.line(line));
  EXPECT_TRUE(head.line(line));
  EXPECT_FALSE(head.line(line)) << "more than 64 KiB";
}

TEST(AnswerHead, KeepsControlCodesOfStrangersOut) {
  auto text = headOf({"HTTP/1.1 500 \x1b[31mred\x07 and \xff\r\n"}).objection();
  EXPECT_EQ(text, "answered 500 ?[31mred? and ?");
  EXPECT_LT(headOf({"HTTP/1.1 500 " + std::string(900, 'y') + "\r\n"}).objection().size(), 100U);
}

TEST(AnswerHead, TakesNoNonsenseForALength) {
  for (auto line : {"Content-Length: -1x\r\n", "Content-Length: 99999999999999999999\r\n"}) {
    EXPECT_FALSE(headOf({"HTTP/1.1 200 OK\r\n", line}).contentLength()) << line;
  }
}

}  // namespace
}  // namespace fleetmark::agent::probes::internet
