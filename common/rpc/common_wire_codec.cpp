#include "common/rpc/common_wire_codec.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/rpc/wire_limits.h"

namespace fleetmark::rpc {

namespace {

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool validUtf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    auto lead = static_cast<unsigned char>(text[i]);
    if (lead == 0) return false;
    if (lead < 0x80) {
      ++i;
      continue;
    }
    std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    }
    auto second = static_cast<unsigned char>(text[i + 1]);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
      return false;
    }
    i += length;
  }
  return true;
}

// What a JSON parser takes and those who read the text later do not: an escaped NUL (jsonb has
// none) and deep nesting (they recurse).
struct JsonHazards {
  bool escapedNul = false;
  std::size_t depth = 0;
};

// `text` is well-formed JSON.
JsonHazards findHazards(std::string_view text) {
  JsonHazards out;
  std::size_t depth = 0;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\') {
        ++i;
        if (text.substr(i, 5) == "u0000") out.escapedNul = true;
      } else if (c == '"') {
        inString = false;
      }
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      out.depth = std::max(out.depth, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return out;
}

base::ErrorCode fromWireCode(schema::ErrorCode code) {
  switch (code) {
    case schema::ErrorCode::INVALID:
      return base::ErrorCode::kInvalid;
    case schema::ErrorCode::NOT_FOUND:
      return base::ErrorCode::kNotFound;
    case schema::ErrorCode::CONFLICT:
      return base::ErrorCode::kConflict;
    case schema::ErrorCode::DENIED:
      return base::ErrorCode::kDenied;
    case schema::ErrorCode::UNAVAILABLE:
      return base::ErrorCode::kUnavailable;
    case schema::ErrorCode::OVERLOADED:
      return base::ErrorCode::kOverloaded;
    case schema::ErrorCode::UNSUPPORTED:
      return base::ErrorCode::kUnsupported;
    case schema::ErrorCode::INTERNAL:
    case schema::ErrorCode::UNKNOWN:
      return base::ErrorCode::kInternal;
  }
  return base::ErrorCode::kInternal;  // a newer peer's code
}

schema::ErrorCode toWireCode(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::kInvalid:
      return schema::ErrorCode::INVALID;
    case base::ErrorCode::kNotFound:
      return schema::ErrorCode::NOT_FOUND;
    case base::ErrorCode::kConflict:
      return schema::ErrorCode::CONFLICT;
    case base::ErrorCode::kDenied:
      return schema::ErrorCode::DENIED;
    case base::ErrorCode::kUnavailable:
      return schema::ErrorCode::UNAVAILABLE;
    case base::ErrorCode::kOverloaded:
      return schema::ErrorCode::OVERLOADED;
    case base::ErrorCode::kUnsupported:
      return schema::ErrorCode::UNSUPPORTED;
    case base::ErrorCode::kInternal:
      return schema::ErrorCode::INTERNAL;
  }
  return schema::ErrorCode::INTERNAL;
}

schema::Verdict toWire(model::Verdict verdict) {
  switch (verdict) {
    case model::Verdict::kOk:
      return schema::Verdict::OK;
    case model::Verdict::kIncomplete:
      return schema::Verdict::INCOMPLETE;
    case model::Verdict::kContended:
      return schema::Verdict::CONTENDED;
    case model::Verdict::kUnverified:
      return schema::Verdict::UNVERIFIED;
    case model::Verdict::kTimedOut:
      return schema::Verdict::TIMED_OUT;
    case model::Verdict::kUnavailable:
      return schema::Verdict::UNAVAILABLE;
  }
  return schema::Verdict::UNKNOWN;
}

base::Result<model::Verdict> fromWire(schema::Verdict verdict) {
  switch (verdict) {
    case schema::Verdict::OK:
      return model::Verdict::kOk;
    case schema::Verdict::INCOMPLETE:
      return model::Verdict::kIncomplete;
    case schema::Verdict::CONTENDED:
      return model::Verdict::kContended;
    case schema::Verdict::UNVERIFIED:
      return model::Verdict::kUnverified;
    case schema::Verdict::TIMED_OUT:
      return model::Verdict::kTimedOut;
    case schema::Verdict::UNAVAILABLE:
      return model::Verdict::kUnavailable;
    case schema::Verdict::UNKNOWN:
      break;
  }
  return base::invalid("a sample's verdict is unknown to this version");
}

}  // namespace

base::Result<std::string> checkedText(capnp::Text::Reader text, std::size_t most,
                                      std::string_view what) {
  if (text.size() > most) {
    return base::invalid(std::string(what) + " is " + std::to_string(text.size()) +
                         " bytes long; at most " + std::to_string(most) + " are allowed");
  }
  std::string out(text.begin(), text.size());
  if (!validUtf8(out)) return base::invalid(std::string(what) + " is not UTF-8 text");
  return out;
}

base::Result<std::string> checkedJson(capnp::Text::Reader text, std::size_t most,
                                      std::string_view what) {
  FM_TRY_ASSIGN(std::string out, checkedText(text, most, what));
  if (out.empty()) return std::string("{}");
  if (out.front() != '{' || !nlohmann::json::accept(out)) {
    return base::invalid(std::string(what) + " is not a JSON object");
  }
  auto hazards = findHazards(out);
  if (hazards.escapedNul) return base::invalid(std::string(what) + " holds a NUL character");
  if (hazards.depth > kMaxJsonDepth) {
    return base::invalid(std::string(what) + " is nested " + std::to_string(hazards.depth) +
                         " deep; at most " + std::to_string(kMaxJsonDepth) + " are allowed");
  }
  return out;
}

void toWire(const base::Error& error, schema::Error::Builder out) {
  out.setCode(toWireCode(error.code));
  out.setMessage(error.message);
}

base::Error fromWire(schema::Error::Reader error) {
  auto text = checkedText(error.getMessage(), kMaxMessage * 16, "an error message");
  return {fromWireCode(error.getCode()), text ? std::move(*text) : text.error().message};
}

void toWire(const model::Sample& sample, schema::Sample::Builder out) {
  out.setMetric(sample.metric);
  out.setIndex(sample.index);
  out.setStartedAtNs(sample.startedAtNs);
  if (sample.value) {
    out.getValue().setNumber(*sample.value);
  } else {
    out.getValue().setAbsent();
  }
  out.setVerdict(toWire(sample.verdict));
  auto reasons = out.initReasons(static_cast<unsigned>(sample.reasons.size()));
  for (unsigned i = 0; i < reasons.size(); ++i) reasons.set(i, sample.reasons[i]);
  if (sample.contextJson != "{}") out.setContextJson(sample.contextJson);
}

base::Result<model::Sample> fromWire(schema::Sample::Reader wire) {
  model::Sample out;
  FM_TRY_ASSIGN(out.metric, checkedText(wire.getMetric(), kMaxName, "a sample's metric"));
  out.index = wire.getIndex();
  out.startedAtNs = wire.getStartedAtNs();
  auto value = wire.getValue();
  bool known = false;
  switch (value.which()) {
    case schema::Sample::Value::ABSENT:
      known = true;
      break;
    case schema::Sample::Value::NUMBER:
      if (!std::isfinite(value.getNumber())) {
        return base::invalid("sample " + std::to_string(out.index) + " of '" + out.metric +
                             "' is not a finite number");
      }
      out.value = value.getNumber();
      known = true;
      break;
  }
  if (!known) return base::invalid("a sample's kind of value is unknown to this version");
  FM_TRY_ASSIGN(out.verdict, fromWire(wire.getVerdict()));
  if (out.verdict == model::Verdict::kOk && !out.value) {
    return base::invalid("sample " + std::to_string(out.index) + " of '" + out.metric +
                         "' is said to be ok and has no value");
  }
  auto reasons = wire.getReasons();
  if (reasons.size() > kMaxReasons) return base::invalid("a sample has too many reasons");
  for (auto reason : reasons) {
    FM_TRY_ASSIGN(std::string text, checkedText(reason, kMaxMessage, "a sample's reason"));
    out.reasons.push_back(std::move(text));
  }
  FM_TRY_ASSIGN(out.contextJson,
                checkedJson(wire.getContextJson(), kMaxContextJson, "a sample's context"));
  return out;
}

void toWire(const model::Notice& notice, schema::Notice::Builder out) {
  out.setStage(notice.stage);
  out.setMessage(notice.message);
}

base::Result<model::Notice> fromWire(schema::Notice::Reader wire) {
  model::Notice out;
  FM_TRY_ASSIGN(out.stage, checkedText(wire.getStage(), kMaxName, "a notice's stage"));
  FM_TRY_ASSIGN(out.message, checkedText(wire.getMessage(), kMaxMessage, "a notice"));
  return out;
}

schema::Outcome toWire(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::kMeasured:
      return schema::Outcome::MEASURED;
    case model::Outcome::kMeasurement:
      return schema::Outcome::MEASUREMENT;
    case model::Outcome::kInfrastructure:
      return schema::Outcome::INFRASTRUCTURE;
    case model::Outcome::kCancelled:
      return schema::Outcome::CANCELLED;
  }
  return schema::Outcome::UNKNOWN;
}

base::Result<model::Outcome> fromWire(schema::Outcome outcome) {
  switch (outcome) {
    case schema::Outcome::MEASURED:
      return model::Outcome::kMeasured;
    case schema::Outcome::MEASUREMENT:
      return model::Outcome::kMeasurement;
    case schema::Outcome::INFRASTRUCTURE:
      return model::Outcome::kInfrastructure;
    case schema::Outcome::CANCELLED:
      return model::Outcome::kCancelled;
    case schema::Outcome::UNKNOWN:
      break;
  }
  return base::invalid("the outcome is unknown to this version");
}

void toWire(const model::Labels& labels, capnp::List<schema::KeyValue>::Builder out) {
  unsigned i = 0;
  for (const auto& [key, value] : labels) {
    out[i].setKey(key);
    out[i].setValue(value);
    ++i;
  }
}

base::Result<model::Labels> fromWire(capnp::List<schema::KeyValue>::Reader wire) {
  if (wire.size() > kMaxLabels) {
    return base::invalid(std::to_string(wire.size()) + " labels; at most " +
                         std::to_string(kMaxLabels) + " are allowed");
  }
  model::Labels out;
  for (auto item : wire) {
    FM_TRY_ASSIGN(std::string key, checkedText(item.getKey(), kMaxName, "a label's name"));
    FM_TRY_ASSIGN(std::string value, checkedText(item.getValue(), kMaxMessage, "a label's value"));
    if (!out.emplace(std::move(key), std::move(value)).second) {
      return base::invalid("a label is given twice");
    }
  }
  return out;
}

}  // namespace fleetmark::rpc
