#include "common/model/work.h"

#include "common/model/words.h"

namespace fleetmark::model {

namespace {

constexpr Words<IngestAnswer, 5> kIngest{{{
    {IngestAnswer::kOk, "ok"},
    {IngestAnswer::kDuplicate, "duplicate"},
    {IngestAnswer::kFenced, "fenced"},
    {IngestAnswer::kUnknown, "unknown"},
    {IngestAnswer::kMissing, "missing"},
}}};

constexpr Words<RenewAnswer, 3> kRenew{{{
    {RenewAnswer::kRenewed, "renewed"},
    {RenewAnswer::kLost, "lost"},
    {RenewAnswer::kCancel, "cancel"},
}}};

constexpr Words<ArriveAnswer, 4> kArrive{{{
    {ArriveAnswer::kBegin, "begin"},
    {ArriveAnswer::kWait, "wait"},
    {ArriveAnswer::kReleased, "released"},
    {ArriveAnswer::kLost, "lost"},
}}};

constexpr Words<QuietOtherwise, 2> kOtherwise{{{
    {QuietOtherwise::kMark, "mark"},
    {QuietOtherwise::kFail, "fail"},
}}};

}  // namespace

std::string_view toString(IngestAnswer answer) { return kIngest.word(answer); }
std::string_view toString(RenewAnswer answer) { return kRenew.word(answer); }
std::string_view toString(ArriveAnswer answer) { return kArrive.word(answer); }
std::string_view toString(QuietOtherwise word) { return kOtherwise.word(word); }
std::optional<QuietOtherwise> parseQuietOtherwise(std::string_view word) {
  return kOtherwise.parse(word);
}

}  // namespace fleetmark::model
