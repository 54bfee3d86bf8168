// Every released schema is still understood by the current one, and the gate sees planted breaches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/schema/gate.h"

namespace fleetmark::schema_gate {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Compiled compile(const fs::path& folder) {
  std::string command =
      std::string(FLEETMARK_CAPNP) + " compile -o- --src-prefix=" + folder.string();
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".capnp") continue;
    command += " " + entry.path().string();
    ++files;
  }
  Compiled compiled;
  if (files == 0) return compiled;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 65536> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    compiled.bytes.append(buffer.data(), n);
  }
  return compiled;
}

fs::path schemaFolder() {
  const char* root = std::getenv("FLEETMARK_SOURCE");
  EXPECT_NE(root, nullptr) << "ctest sets FLEETMARK_SOURCE to the root of the repository";
  return fs::path(root == nullptr ? "." : root) / "schema";
}

TEST(SchemaGate, EveryReleaseIsStillUnderstood) {
  const Compiled current = compile(schemaFolder());
  ASSERT_FALSE(current.bytes.empty());
  int releases = 0;
  for (const auto& entry : fs::directory_iterator(schemaFolder() / "released")) {
    if (!entry.is_directory()) continue;
    const Compiled released = compile(entry.path());
    ASSERT_FALSE(released.bytes.empty()) << entry.path();
    for (const std::string& breach : breaches(released, current)) {
      ADD_FAILURE() << "against release " << entry.path().filename() << ": " << breach
                    << "; give what is new an ordinal of its own, see schema/released/README.md";
    }
    ++releases;
  }
  if (releases == 0) GTEST_SKIP() << "no schema has been released yet";
}

TEST(SchemaGate, EveryEnumBeginsWithUnknown) {
  EXPECT_THAT(enumsWithoutUnknown(compile(schemaFolder())), IsEmpty());
}

// Two versions of one file, each in a folder of its own.
class PlantedBreach : public testing::Test {
 protected:
  PlantedBreach() {
    std::string name = (fs::temp_directory_path() / "schema_gate.XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~PlantedBreach() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  static constexpr std::string_view kHead = "@0xd3a1c7f05b9e4299;\n";
  static constexpr std::string_view kBody =
      "enum Colour { unknown @0; red @1; blue @2; }\n"
      "struct Point { x @0 :Int32; y @1 :Int32; name @2 :Text;\n"
      "  value :union { absent @3 :Void; number @4 :Float64; }\n"
      "  last @5 :Int8; }\n"
      "interface Door { open @0 (key :Text) -> (); close @1 (key :Text) -> (); }\n";

  Compiled compiled(std::string_view version, const std::string& text) {
    const fs::path place = folder_ / version;
    fs::create_directories(place);
    std::ofstream(place / "planted.capnp") << text;
    return compile(place);
  }

  // What the gate says when `what` in the released file has become `by`.
  std::vector<std::string> change(std::string_view what, std::string_view by) {
    std::string text = std::string(kHead) + std::string(kBody);
    const Compiled before = compiled("before", text);
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
    const Compiled after = compiled("after", text);
    EXPECT_FALSE(before.bytes.empty());
    EXPECT_FALSE(after.bytes.empty());
    return breaches(before, after);
  }

  fs::path folder_;
};

TEST_F(PlantedBreach, NothingChangedIsNoBreach) { EXPECT_THAT(change("x @0", "x @0"), IsEmpty()); }

TEST_F(PlantedBreach, GrowthIsNoBreach) {
  EXPECT_THAT(change("blue @2;", "blue @2; green @3;"), IsEmpty());
  EXPECT_THAT(change("number @4 :Float64;", "number @4 :Float64; text @6 :Text;"), IsEmpty());
  EXPECT_THAT(change("name @2 :Text;", "name @2 :Text; z @6 :Int32;"), IsEmpty());
  EXPECT_THAT(change("close @1 (key :Text)", "close @1 (key :Text, hard :Bool)"), IsEmpty());
  EXPECT_THAT(change("-> (); }", "-> (); lock @2 () -> (); }"), IsEmpty());
  EXPECT_THAT(change("enum Colour", "struct New { a @0 :Int8; }\nenum Colour"), IsEmpty());
}

TEST_F(PlantedBreach, RemovedFieldIsSeen) {
  EXPECT_THAT(change(" number @4 :Float64;", " other @4 :Void;"),
              ElementsAre(HasSubstr("Point.value.number @4 is now called value.other")));
  EXPECT_THAT(change(" last @5 :Int8;", ""), ElementsAre(HasSubstr("Point.last @5 is gone")));
}

TEST_F(PlantedBreach, RetypedFieldIsSeen) {
  EXPECT_THAT(change("y @1 :Int32", "y @1 :UInt32"),
              ElementsAre(HasSubstr("Point.y @1 had the type")));
  EXPECT_THAT(change("name @2 :Text", "name @2 :Data"), ElementsAre(HasSubstr("Point.name @2")));
  EXPECT_THAT(change("name @2 :Text", "name @2 :List(Text)"),
              ElementsAre(HasSubstr("Point.name @2")));
}

TEST_F(PlantedBreach, FieldsThatChangedPlacesAreSeen) {
  EXPECT_EQ(change("x @0 :Int32; y @1 :Int32", "y @0 :Int32; x @1 :Int32").size(), 2u);
}

TEST_F(PlantedBreach, ChangedDefaultIsSeen) {
  EXPECT_THAT(change("x @0 :Int32", "x @0 :Int32 = 7"),
              ElementsAre(HasSubstr("has another default")));
}

TEST_F(PlantedBreach, FieldThatEnteredAUnionIsSeen) {
  EXPECT_THAT(change("name @2 :Text;\n  value :union {", "value :union { name @2 :Text;"),
              testing::Not(IsEmpty()));
}

TEST_F(PlantedBreach, RemovedEnumValueIsSeen) {
  EXPECT_THAT(change(" blue @2;", ""), ElementsAre(HasSubstr("Colour.blue @2 is gone")));
  EXPECT_EQ(change("red @1; blue @2;", "blue @1; red @2;").size(), 2u);
}

TEST_F(PlantedBreach, RenumberedMethodIsSeen) {
  EXPECT_EQ(
      change("open @0 (key :Text) -> (); close @1", "close @0 (key :Text) -> (); open @1").size(),
      2u);
}

TEST_F(PlantedBreach, RemovedMethodIsSeen) {
  EXPECT_THAT(change(" close @1 (key :Text) -> ();", ""),
              testing::Contains(HasSubstr("Door.close @1 is gone")));
}

TEST_F(PlantedBreach, RetypedMethodIsSeen) {
  EXPECT_THAT(change("close @1 (key :Text)", "close @1 Point"),
              testing::Contains(HasSubstr("Door.close @1 takes another type")));
  EXPECT_THAT(change("close @1 (key :Text)", "close @1 (key :Data)"),
              ElementsAre(HasSubstr("key @0 had the type")));
}

TEST_F(PlantedBreach, ChangedIdIsSeen) {
  EXPECT_THAT(change("0xd3a1c7f05b9e4299", "0xd3a1c7f05b9e4298"), testing::Not(IsEmpty()));
  EXPECT_THAT(change("struct Point {", "struct Point @0xd3a1c7f05b9e4200 {"),
              testing::Not(IsEmpty()));
}

TEST_F(PlantedBreach, EnumWithoutUnknownIsSeen) {
  EXPECT_THAT(enumsWithoutUnknown(compiled("enums", std::string(kHead) + "enum A { red @0; }\n")),
              ElementsAre(HasSubstr("A must begin with unknown")));
}

}  // namespace
}  // namespace fleetmark::schema_gate
