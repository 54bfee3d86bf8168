#include "tests/schema/gate.h"

#include <capnp/schema-loader.h>
#include <capnp/schema.capnp.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <kj/string.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>

namespace fleetmark::schema_gate {
namespace {

using capnp::schema::Field;
using capnp::schema::Node;
using Nodes = std::map<std::uint64_t, Node::Reader>;

// A request and the memory that it stands in.
class Request {
 public:
  explicit Request(const Compiled& compiled)
      : words_(compiled.bytes.size() / sizeof(capnp::word)), reader_(align(compiled)) {
    for (const auto node : root().getNodes()) nodes_.emplace(node.getId(), node);
  }

  capnp::schema::CodeGeneratorRequest::Reader root() {
    return reader_.getRoot<capnp::schema::CodeGeneratorRequest>();
  }
  const Nodes& nodes() const { return nodes_; }

  // Nodes of the project's own files; what a library's file holds is the library's to keep.
  bool isOwn(const Node::Reader& node) const {
    return std::string(node.getDisplayName().cStr()).find("capnp/c++.capnp") == std::string::npos;
  }

 private:
  kj::ArrayPtr<const capnp::word> align(const Compiled& compiled) {
    storage_ = kj::heapArray<capnp::word>(words_);
    std::memcpy(storage_.begin(), compiled.bytes.data(), words_ * sizeof(capnp::word));
    return storage_;
  }

  std::size_t words_;
  kj::Array<capnp::word> storage_;
  capnp::FlatArrayMessageReader reader_;
  Nodes nodes_;
};

std::string text(kj::StringPtr value) { return value.cStr(); }
std::string text(const kj::String& value) { return value.cStr(); }

std::string name(const Node::Reader& node) { return text(node.getDisplayName()); }

// A field as the wire knows it, whatever groups it stands in.
struct WireField {
  std::string name;  // with the groups around it: "value.number"
  std::string type;
  std::string fallback;    // its default
  std::uint32_t offset;    // in units of its size
  std::string unionPlace;  // discriminants from the outermost group to the field
};

using WireFields = std::map<std::uint16_t, WireField>;  // by ordinal

void collect(const Nodes& nodes, const Node::Reader& node, const std::string& prefix,
             const std::string& place, WireFields& into) {
  for (const auto field : node.getStruct().getFields()) {
    const std::string own = prefix + text(field.getName());
    std::string here = place;
    if (field.getDiscriminantValue() != Field::NO_DISCRIMINANT) {
      here += "/" + std::to_string(node.getStruct().getDiscriminantOffset()) + ":" +
              std::to_string(field.getDiscriminantValue());
    }
    if (field.isGroup()) {
      const auto group = nodes.find(field.getGroup().getTypeId());
      if (group != nodes.end()) collect(nodes, group->second, own + ".", here, into);
    } else {
      const auto slot = field.getSlot();
      into[field.getOrdinal().getExplicit()] = {own, text(kj::str(slot.getType())),
                                                text(kj::str(slot.getDefaultValue())),
                                                slot.getOffset(), here};
    }
  }
}

class Comparison {
 public:
  Comparison(Request& before, Request& after) : before_(before), after_(after) {}

  std::vector<std::string> run() {
    for (const auto& [id, node] : before_.nodes()) {
      if (!before_.isOwn(node)) continue;
      const auto found = after_.nodes().find(id);
      if (found == after_.nodes().end()) {
        say(name(node), "is gone, or its id has changed from " + text(kj::str(kj::hex(id))));
      } else if (node.which() != found->second.which()) {
        say(name(node), "has become another kind of thing");
      } else {
        compare(node, found->second);
      }
    }
    if (found_.empty()) loadBoth();
    return std::move(found_);
  }

 private:
  void say(const std::string& where, const std::string& what) {
    found_.push_back(where + " " + what);
  }

  void compare(const Node::Reader& before, const Node::Reader& after) {
    switch (before.which()) {
      case Node::STRUCT:
        // Groups are compared as part of the struct around them.
        if (!before.getStruct().getIsGroup()) compareFields(before, after);
        break;
      case Node::ENUM:
        compareEnumerants(before, after);
        break;
      case Node::INTERFACE:
        compareMethods(before, after);
        break;
      case Node::CONST:
        if (text(kj::str(before.getConst())) != text(kj::str(after.getConst()))) {
          say(name(before), "has another value");
        }
        break;
      case Node::FILE:
      case Node::ANNOTATION:
        break;
    }
  }

  void compareFields(const Node::Reader& before, const Node::Reader& after) {
    WireFields old;
    WireFields now;
    collect(before_.nodes(), before, "", "", old);
    collect(after_.nodes(), after, "", "", now);
    for (const auto& [ordinal, field] : old) {
      const std::string where = name(before) + "." + field.name + " @" + std::to_string(ordinal);
      const auto found = now.find(ordinal);
      if (found == now.end()) {
        say(where, "is gone");
      } else if (found->second.name != field.name) {
        say(where, "is now called " + found->second.name);
      } else if (found->second.type != field.type) {
        say(where, "had the type " + field.type + " and has " + found->second.type);
      } else if (found->second.fallback != field.fallback) {
        say(where, "has another default");
      } else if (found->second.offset != field.offset ||
                 found->second.unionPlace != field.unionPlace) {
        say(where, "has moved within the message");
      }
    }
  }

  void compareEnumerants(const Node::Reader& before, const Node::Reader& after) {
    const auto old = before.getEnum().getEnumerants();
    const auto now = after.getEnum().getEnumerants();
    for (unsigned i = 0; i < old.size(); ++i) {
      const std::string where =
          name(before) + "." + text(old[i].getName()) + " @" + std::to_string(i);
      if (i >= now.size()) {
        say(where, "is gone");
      } else if (old[i].getName() != now[i].getName()) {
        say(where, "is now called " + text(now[i].getName()));
      }
    }
  }

  void compareMethods(const Node::Reader& before, const Node::Reader& after) {
    const auto old = before.getInterface().getMethods();
    const auto now = after.getInterface().getMethods();
    for (unsigned i = 0; i < old.size(); ++i) {
      const std::string where =
          name(before) + "." + text(old[i].getName()) + " @" + std::to_string(i);
      if (i >= now.size()) {
        say(where, "is gone");
      } else if (old[i].getName() != now[i].getName()) {
        say(where, "is now called " + text(now[i].getName()));
      } else if (old[i].getParamStructType() != now[i].getParamStructType()) {
        say(where, "takes another type");
      } else if (old[i].getResultStructType() != now[i].getResultStructType()) {
        say(where, "gives another type");
      }
    }
    std::set<std::uint64_t> parents;
    for (const auto parent : after.getInterface().getSuperclasses()) parents.insert(parent.getId());
    for (const auto parent : before.getInterface().getSuperclasses()) {
      if (!parents.contains(parent.getId())) say(name(before), "no longer extends what it did");
    }
  }

  // Cap'n Proto's own opinion: one loader accepts a second schema of the same id only if it is an
  // older or newer version of the first.
  void loadBoth() {
    capnp::SchemaLoader loader;
    for (Request* request : {&before_, &after_}) {
      for (const auto& [id, node] : request->nodes()) {
        try {
          loader.load(node);
        } catch (const kj::Exception& error) {
          say(name(node), "is refused by Cap'n Proto: " + text(error.getDescription()));
        }
      }
    }
  }

  Request& before_;
  Request& after_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> breaches(const Compiled& before, const Compiled& after) {
  Request old(before);
  Request now(after);
  return Comparison(old, now).run();
}

std::vector<std::string> enumsWithoutUnknown(const Compiled& schemas) {
  Request request(schemas);
  std::vector<std::string> found;
  for (const auto& [id, node] : request.nodes()) {
    if (!node.isEnum() || !request.isOwn(node)) continue;
    const auto values = node.getEnum().getEnumerants();
    if (values.size() == 0 || values[0].getName() != "unknown") {
      found.push_back(name(node) + " must begin with unknown @0");
    }
  }
  return found;
}

}  // namespace fleetmark::schema_gate
