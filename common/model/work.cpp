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

}  // namespace

std::string_view toString(IngestAnswer answer) { return kIngest.word(answer); }
std::string_view toString(RenewAnswer answer) { return kRenew.word(answer); }

}  // namespace fleetmark::model
