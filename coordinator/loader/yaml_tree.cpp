#include "coordinator/loader/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "coordinator/loader/text_check.h"
#include "coordinator/loader/variables.h"

namespace fleetmark::coordinator::loader {

namespace {

// Thrown from the handler through yaml-cpp, caught in parseYaml.
struct Stop {
  Place place;
  std::string message;
};

// yaml-cpp counts columns in bytes.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  Place place(const YAML::Mark& mark) const {
    if (mark.is_null() || mark.line < 0 || mark.column < 0) return {};
    auto line = static_cast<std::size_t>(mark.line);
    auto column = static_cast<std::size_t>(mark.column);
    if (line >= starts_.size()) return {line + 1, column + 1};
    auto before = text_.substr(starts_[line], column);
    auto characters = std::count_if(before.begin(), before.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    return {line + 1, static_cast<std::size_t>(characters) + 1};
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Lines& lines, Issues& issues) : lines_(lines), issues_(issues) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      throw Stop{lines_.place(mark), "a second document begins here; write one campaign a file"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.place = lines_.place(mark);
    refuseAnchor(node.place, anchor);
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { throw aliasStop(mark); }

  // yaml-cpp calls this where an anchor is defined, before the node's own event.
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { throw aliasStop(mark); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& shielded) override {
    std::string value = unshieldVariables(shielded);
    Node node;
    node.kind = NodeKind::kScalar;
    node.place = lines_.place(mark);
    refuseAnchor(node.place, anchor);
    refuseTag(node.place, tag);
    if (value.size() > kLongestScalar) {
      throw Stop{node.place, "a text of " + std::to_string(value.size()) + " bytes; the limit is " +
                                 std::to_string(kLongestScalar)};
    }
    for (char c : value) {  // written as an escape such as "\0"
      auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) {
        throw Stop{node.place, "a control character is hidden in this text; remove it"};
      }
    }
    if (findInvalidUtf8(value) != std::string_view::npos) {
      throw Stop{node.place, "an escape in this text is no valid character; remove it"};
    }
    node.text = std::move(value);
    node.quoting = tag == "!" ? Quoting::kQuoted : Quoting::kPlain;
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(NodeKind::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(NodeKind::kMapping, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  Node takeRoot() { return std::move(root_); }

 private:
  struct Level {
    Node node;
    bool wantsKey = true;   // of a mapping
    bool dropNext = false;  // the value of a key that stands there twice
    std::unordered_set<std::string> keys;
  };

  Stop aliasStop(const YAML::Mark& mark) const {
    return {lines_.place(mark),
            "anchors and aliases (&name, *name) are not supported; write the value out, or use "
            "${name} with --set"};
  }

  void refuseAnchor(const Place& place, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      throw Stop{place,
                 "anchors and aliases (&name, *name) are not supported; write the value out"};
    }
  }

  void refuseTag(const Place& place, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Stop{place, "tags (" + quoted(tag) + ") are not supported; remove it"};
    }
  }

  void open(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    Level level;
    level.node.kind = kind;
    level.node.place = lines_.place(mark);
    refuseAnchor(level.node.place, anchor);
    refuseTag(level.node.place, tag);
    if (levels_.size() >= kDeepest) {
      throw Stop{level.node.place, "nested more than " + std::to_string(kDeepest) +
                                       " deep; a campaign needs about five"};
    }
    if (!levels_.empty() && levels_.back().node.kind == NodeKind::kMapping &&
        levels_.back().wantsKey) {
      throw Stop{level.node.place, "a key must be a plain word, not a mapping or list"};
    }
    levels_.push_back(std::move(level));
  }

  void close() {
    Node node = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (++nodes_ > kMostNodes) {
      throw Stop{node.place, "more than " + std::to_string(kMostNodes) + " values in one file"};
    }
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == NodeKind::kMapping && level.wantsKey) {
      addKey(level, std::move(node));
      return;
    }
    if (!level.dropNext) level.node.items.push_back(std::move(node));
    level.dropNext = false;
    level.wantsKey = true;
  }

  void addKey(Level& level, Node node) {
    if (node.kind != NodeKind::kScalar) throw Stop{node.place, "a key is missing before ':'"};
    level.wantsKey = false;
    if (!level.keys.insert(node.text).second) {
      auto first = std::find_if(level.node.keys.begin(), level.node.keys.end(),
                                [&](const Node::Key& key) { return key.text == node.text; });
      issues_.add(node.place, "key " + quoted(node.text) + " stands here twice, first in line " +
                                  std::to_string(first->place.line) + "; remove one");
      level.dropNext = true;
      return;
    }
    level.node.keys.push_back({std::move(node.text), node.place});
  }

  const Lines& lines_;
  Issues& issues_;
  Node root_;
  std::vector<Level> levels_;
  std::size_t documents_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

std::string describe(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return "nothing";
    case NodeKind::kScalar:
      return quoted(node.text);
    case NodeKind::kSequence:
      return "a list";
    case NodeKind::kMapping:
      return "a mapping";
  }
  return "?";
}

std::optional<Node> parseYaml(std::string_view text, Issues& issues) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string shielded = shieldVariables(text);
  Lines lines(shielded);
  TreeBuilder builder(lines, issues);
  try {
    std::istringstream stream(shielded);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      issues.add({}, "the file is empty; a campaign begins with 'campaign: NAME'");
      return std::nullopt;
    }
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    issues.add(stop.place, stop.message);
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    issues.add(lines.place(error.mark), "not valid YAML: " + unshieldVariables(error.msg));
    return std::nullopt;
  } catch (const std::exception& error) {
    issues.add({}, std::string("not readable as YAML: ") + error.what());
    return std::nullopt;
  }
  return builder.takeRoot();
}

}  // namespace fleetmark::coordinator::loader
