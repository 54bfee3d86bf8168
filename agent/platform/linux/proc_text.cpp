#include "agent/platform/linux/proc_text.h"

#include <array>
#include <charconv>

namespace fleetmark::agent::linux_os {

namespace {

template <typename Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  Number value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> decimal(std::string_view text) {
  double value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  for (;;) {
    auto end = text.find(at);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (auto word : split(text, ' ')) {
    if (!word.empty()) out.push_back(word);
  }
  return out;
}

std::string_view strip(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The value of the first "<key> <value>" or "<key>: <value>" line.
std::optional<std::string_view> fieldOf(std::string_view text, std::string_view key) {
  for (auto line : lines(text)) {
    if (line.substr(0, key.size()) != key) continue;
    auto rest = line.substr(key.size());
    auto stripped = strip(rest);
    if (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t' || rest.front() == ':')) {
      if (!stripped.empty() && stripped.front() == ':') stripped = strip(stripped.substr(1));
      return stripped;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> integerOf(std::string_view text, std::string_view key) {
  auto field = fieldOf(text, key);
  return field ? number<std::int64_t>(*field) : std::nullopt;
}

// The mount table writes blanks and the like as \ooo.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      if (auto code = number<int>(text.substr(i + 1, 3), 8); code && *code < 256) {
        out += static_cast<char>(*code);
        i += 3;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

struct ArmPart {
  std::uint32_t implementer;
  std::uint32_t part;
  std::string_view name;
};

// Main ID register codes as Arm and the vendors publish them.
constexpr std::array kArmParts{
    ArmPart{0x41, 0xd03, "ARM Cortex-A53"},  ArmPart{0x41, 0xd05, "ARM Cortex-A55"},
    ArmPart{0x41, 0xd07, "ARM Cortex-A57"},  ArmPart{0x41, 0xd08, "ARM Cortex-A72"},
    ArmPart{0x41, 0xd0b, "ARM Cortex-A76"},  ArmPart{0x41, 0xd0c, "ARM Neoverse-N1"},
    ArmPart{0x41, 0xd40, "ARM Neoverse-V1"}, ArmPart{0x41, 0xd49, "ARM Neoverse-N2"},
    ArmPart{0x41, 0xd4f, "ARM Neoverse-V2"}, ArmPart{0xc0, 0xac3, "Ampere-1"},
    ArmPart{0xc0, 0xac4, "Ampere-1a"},       ArmPart{0x48, 0xd01, "HiSilicon Kunpeng-920"},
};

}  // namespace

std::string trimmed(std::string_view text) { return std::string(strip(text)); }

std::vector<std::string_view> lines(std::string_view text) {
  auto out = split(text, '\n');
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::optional<std::vector<int>> parseCpuList(std::string_view text) {
  std::vector<int> out;
  text = strip(text);
  if (text.empty()) return out;
  for (auto range : split(text, ',')) {
    auto dash = range.find('-');
    auto first = number<int>(range.substr(0, dash));
    auto last = dash == std::string_view::npos ? first : number<int>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > 1 << 20) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) out.push_back(cpu);
  }
  return out;
}

std::map<std::string, std::string> parseKeyValues(std::string_view text) {
  std::map<std::string, std::string> out;
  for (auto line : lines(text)) {
    line = strip(line);
    auto equals = line.find('=');
    if (line.empty() || line.front() == '#' || equals == std::string_view::npos) continue;
    auto value = line.substr(equals + 1);
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
        value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    out[std::string(line.substr(0, equals))] = std::string(value);
  }
  return out;
}

std::string arm64CpuName(std::uint32_t implementer, std::uint32_t part) {
  for (const auto& known : kArmParts) {
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  }
  auto hexadecimal = [](std::uint32_t value) {
    char digits[8];
    auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
    return "0x" + std::string(digits, end);
  };
  return "implementer " + hexadecimal(implementer) + " part " + hexadecimal(part);
}

CpuInfo parseCpuInfo(std::string_view text) {
  CpuInfo out;
  if (auto name = fieldOf(text, "model name")) out.model = trimmed(*name);
  if (auto code = fieldOf(text, "microcode")) out.microcode = trimmed(*code);
  if (auto flags = fieldOf(text, "flags")) {
    for (auto flag : words(*flags)) out.hypervisorFlag |= flag == "hypervisor";
  }
  auto hexadecimal = [&](std::string_view key) -> std::optional<std::uint32_t> {
    auto field = fieldOf(text, key);
    if (!field || field->substr(0, 2) != "0x") return std::nullopt;
    return number<std::uint32_t>(field->substr(2), 16);
  };
  auto implementer = hexadecimal("CPU implementer");
  auto part = hexadecimal("CPU part");
  if (out.model.empty() && implementer && part) out.model = arm64CpuName(*implementer, *part);
  return out;
}

std::optional<std::int64_t> parseMemTotal(std::string_view text) {
  auto field = fieldOf(text, "MemTotal");
  if (!field) return std::nullopt;
  auto parts = words(*field);
  if (parts.size() != 2 || parts[1] != "kB") return std::nullopt;
  auto kib = number<std::int64_t>(parts[0]);
  return kib ? std::optional(*kib * base::kKiB) : std::nullopt;
}

std::optional<base::Nanos> parseSteal(std::string_view text, std::int64_t ticksPerSecond) {
  auto field = fieldOf(text, "cpu");
  if (!field || ticksPerSecond <= 0) return std::nullopt;
  auto parts = words(*field);
  if (parts.size() < 8) return std::nullopt;  // kernels before 2.6.11
  auto ticks = number<std::int64_t>(parts[7]);
  if (!ticks) return std::nullopt;
  return base::Nanos(*ticks * (1'000'000'000 / ticksPerSecond));
}

CpuActivity parseCpuActivity(std::string_view text, std::int64_t ticksPerSecond) {
  CpuActivity out;
  int cpus = 0;
  for (auto line : lines(text)) {
    if (line.size() > 3 && line.substr(0, 3) == "cpu" && line[3] != ' ') ++cpus;
  }
  if (cpus > 0) out.cpus = cpus;
  out.runnable = integerOf(text, "procs_running");
  auto field = fieldOf(text, "cpu");
  if (!field || ticksPerSecond <= 0) return out;
  // user nice system idle iowait irq softirq steal; guest times stand in user and nice already.
  auto parts = words(*field);
  if (parts.size() < 8) return out;
  std::int64_t busy = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    auto ticks = number<std::int64_t>(parts[i]);
    if (!ticks) return out;
    if (i != 3 && i != 4) busy += *ticks;
  }
  out.busy = base::Nanos(busy * (1'000'000'000 / ticksPerSecond));
  return out;
}

std::optional<base::Nanos> parsePressureSome(std::string_view text) {
  auto field = fieldOf(text, "some");
  if (!field) return std::nullopt;
  for (auto part : words(*field)) {
    if (part.substr(0, 6) != "total=") continue;
    auto micros = number<std::int64_t>(part.substr(6));
    if (micros) return base::Nanos(*micros * 1000);
  }
  return std::nullopt;
}

std::optional<double> parseLoad1(std::string_view text) {
  auto parts = words(strip(text));
  return parts.empty() ? std::nullopt : decimal(parts[0]);
}

std::optional<ProcIo> parseProcIo(std::string_view text) {
  auto read = integerOf(text, "read_bytes");
  auto written = integerOf(text, "write_bytes");
  if (!read || !written) return std::nullopt;
  return ProcIo{*read, *written};
}

std::optional<Throttling> parseCpuStat(std::string_view text) {
  auto periods = integerOf(text, "nr_throttled");
  if (!periods) return std::nullopt;
  Throttling out{*periods, base::Nanos(0)};
  if (auto nanos = integerOf(text, "throttled_time")) out.time = base::Nanos(*nanos);  // v1
  if (auto micros = integerOf(text, "throttled_usec")) out.time = base::Nanos(*micros * 1000);
  return out;
}

std::optional<double> parseCpuMax(std::string_view text) {
  auto parts = words(strip(text));
  return parts.size() == 2 ? quotaOf(parts[0], parts[1]) : std::nullopt;
}

std::optional<double> quotaOf(std::string_view quotaUs, std::string_view periodUs) {
  auto quota = number<std::int64_t>(strip(quotaUs));
  auto period = number<std::int64_t>(strip(periodUs));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

CgroupPaths parseCgroups(std::string_view text) {
  CgroupPaths out;
  for (auto line : lines(text)) {
    auto first = line.find(':');
    auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    auto controllers = line.substr(first + 1, second - first - 1);
    std::string path(line.substr(second + 1));
    if (line.substr(0, first) == "0" && controllers.empty()) {
      out.unified = path;
    } else {
      for (auto controller : split(controllers, ',')) {
        out.controllers[std::string(controller)] = path;
      }
    }
  }
  return out;
}

std::vector<Mount> parseMountInfo(std::string_view text) {
  std::vector<Mount> out;
  for (auto line : lines(text)) {
    auto parts = words(line);
    std::size_t dash = 6;  // optional fields stand between the sixth and the hyphen
    while (dash < parts.size() && parts[dash] != "-") ++dash;
    if (dash + 3 > parts.size()) continue;
    Mount mount;
    mount.device = std::string(parts[2]);
    mount.root = unescaped(parts[3]);
    mount.point = unescaped(parts[4]);
    mount.options = std::string(parts[5]);
    mount.type = std::string(parts[dash + 1]);
    mount.source = dash + 2 < parts.size() ? unescaped(parts[dash + 2]) : "";
    mount.superOptions = dash + 3 < parts.size() ? std::string(parts[dash + 3]) : "";
    out.push_back(std::move(mount));
  }
  return out;
}

const Mount* mountOf(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  for (const auto& mount : mounts) {
    std::string_view point = mount.point;
    bool leads = point == "/" || path == point ||
                 (path.size() > point.size() && path.substr(0, point.size()) == point &&
                  path[point.size()] == '/');
    if (leads && (best == nullptr || point.size() >= best->point.size())) best = &mount;
  }
  return best;
}

}  // namespace fleetmark::agent::linux_os
