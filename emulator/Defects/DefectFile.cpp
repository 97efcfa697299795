#include "emulator/Defects/DefectFile.h"

#include "emulator/Defects/CheckDefects.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tilerig::emulator {

namespace {

using Json = nlohmann::json;

// A SAX pass that finds what the JSON parser does not report: the position of a syntax error, and duplicate
// keys.
class TextCheck final : public nlohmann::json_sax<Json> {
public:
  std::string problem;
  size_t position = 0; // byte offset of a syntax error

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override {
    keys.emplace_back();
    return keys.size() < maxDepth;
  }
  bool key(string_t &key) override {
    if (!keys.back().insert(key).second)
      problem = fmt::format("the key '{}' is given twice", key);
    return problem.empty();
  }
  bool end_object() override {
    keys.pop_back();
    return true;
  }
  bool start_array(size_t) override { return ++arrays < maxDepth; }
  bool end_array() override {
    --arrays;
    return true;
  }
  bool parse_error(size_t at, const std::string &, const nlohmann::detail::exception &) override {
    position = at;
    return false;
  }

private:
  static constexpr size_t maxDepth = 8;
  std::vector<std::set<std::string>> keys;
  size_t arrays = 0;
};

std::string lineAndColumn(const std::string &text, size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  const auto line = std::count(text.begin(), end, '\n') + 1;
  const auto begin = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
  return fmt::format("{}:{}", line, end - begin);
}

// Reads one entry of the list of faults in a fault file.
class Entry {
public:
  Entry(const Json &json, std::string place) : json(json), place(std::move(place)) {}

  Status read(Defects &defects, const Program &program) {
    if (!json.is_object())
      return refuse({}, "each entry of the list must be a JSON object");
    TILERIG_TRY(const std::string kind, text("kind", kinds));
    if (kind == "stuck_bit") {
      TILERIG_CHECK_OK(allow({"kind", "tile", "position", "output", "bit", "value"}));
      StuckBit stuck;
      uint32_t value = 0;
      TILERIG_CHECK_OK(readLane(stuck.lane));
      TILERIG_CHECK_OK(number("bit", stuck.bit));
      TILERIG_CHECK_OK(number("value", value));
      if (value > 1)
        return refuse("value", "must be 0 or 1");
      stuck.value = value == 1;
      return add(stuck, defects.stuckBits, program);
    }
    if (kind == "dead_lane") {
      TILERIG_CHECK_OK(allow({"kind", "tile", "position", "output"}));
      Lane lane;
      TILERIG_CHECK_OK(readLane(lane));
      return add(lane, defects.deadLanes, program);
    }
    if (kind == "narrow_accumulators") {
      TILERIG_CHECK_OK(allow({"kind", "tile", "bits"}));
      NarrowAccumulators narrow;
      TILERIG_CHECK_OK(number("tile", narrow.tile));
      TILERIG_CHECK_OK(number("bits", narrow.bits));
      return add(narrow, defects.narrowAccumulators, program);
    }
    if (kind == "dead_tile") {
      TILERIG_CHECK_OK(allow({"kind", "tile"}));
      uint32_t tile = 0;
      TILERIG_CHECK_OK(number("tile", tile));
      if (const auto problem = checkTile(tile, program))
        return refuse(problem->field, problem->reason);
      defects.deadTiles |= uint64_t{1} << tile;
      return success();
    }
    if (kind == "flipped_bit")
      return readFlip(defects, program);
    if (kind == "lost_signal") {
      TILERIG_CHECK_OK(allow({"kind", "tile", "signal"}));
      LostSignal lost;
      TILERIG_CHECK_OK(number("tile", lost.tile));
      TILERIG_CHECK_OK(number("signal", lost.signal));
      return add(lost, defects.lostSignals, program);
    }
    if (kind == "delayed_transfer") {
      TILERIG_CHECK_OK(allow({"kind", "tile", "transfer", "cycles"}));
      DelayedTransfer delayed;
      uint32_t cycles = 0;
      TILERIG_CHECK_OK(number("tile", delayed.tile));
      TILERIG_CHECK_OK(number("transfer", delayed.transfer));
      TILERIG_CHECK_OK(number("cycles", cycles));
      delayed.cycles = cycles;
      return add(delayed, defects.delayedTransfers, program);
    }
    TILERIG_CHECK_OK(allow({"kind", "tile", "transfer", "receiver", "actual"}));
    WrongDestination wrong;
    TILERIG_CHECK_OK(number("tile", wrong.tile));
    TILERIG_CHECK_OK(number("transfer", wrong.transfer));
    TILERIG_CHECK_OK(number("receiver", wrong.receiver));
    TILERIG_CHECK_OK(number("actual", wrong.actual));
    return add(wrong, defects.wrongDestinations, program);
  }

private:
  static constexpr std::array<std::string_view, 8> kinds = {
      "stuck_bit",   "dead_lane",   "narrow_accumulators", "dead_tile",
      "flipped_bit", "lost_signal", "delayed_transfer",    "wrong_destination"};

  Status readFlip(Defects &defects, const Program &program) {
    FlippedBit flip;
    TILERIG_TRY(const std::string memory, text("memory", std::array<std::string_view, 2>{"ocm", "ddr"}));
    flip.inDdr = memory == "ddr";
    if (flip.inDdr) {
      TILERIG_CHECK_OK(allow({"kind", "memory", "address", "bit", "cycle"}));
    } else {
      TILERIG_CHECK_OK(allow({"kind", "memory", "tile", "address", "bit", "cycle"}));
      TILERIG_CHECK_OK(number("tile", flip.tile));
    }
    TILERIG_CHECK_OK(number("address", flip.address));
    TILERIG_CHECK_OK(number("bit", flip.bit));
    TILERIG_CHECK_OK(number("cycle", flip.cycle));
    return add(flip, defects.flippedBits, program);
  }

  Status readLane(Lane &lane) {
    TILERIG_CHECK_OK(number("tile", lane.tile));
    TILERIG_CHECK_OK(number("position", lane.position));
    return number("output", lane.output);
  }

  template <class T>
  Status add(const T &defect, std::vector<T> &list, const Program &program) {
    if (const auto problem = check(defect, program))
      return refuse(problem->field, problem->reason);
    list.push_back(defect);
    return success();
  }

  Status allow(std::initializer_list<std::string_view> names) const {
    const std::vector<std::string_view> known(names);
    for (const auto &[key, value] : json.items())
      if (std::ranges::find(known, key) == known.end())
        return invalidInput(fmt::format("{}.{}", place, key), "unknown key for this kind of fault",
                            suggestion(key, known));
    return success();
  }

  template <class T>
  Status number(const char *name, T &value) const {
    const auto entry = json.find(name);
    if (entry == json.end())
      return refuse(name, "the key is missing");
    if (!entry->is_number_unsigned() || entry->template get<uint64_t>() > std::numeric_limits<T>::max() / 2)
      return refuse(name, fmt::format("{} is not a whole number from 0 to {}", entry->dump(),
                                      std::numeric_limits<T>::max() / 2));
    value = entry->template get<T>();
    return success();
  }
  Result<std::string> text(const char *name, std::span<const std::string_view> allowed) const {
    const auto entry = json.find(name);
    if (entry == json.end())
      return invalidInput(fmt::format("{}.{}", place, name), "the key is missing",
                          "expected " + listed(allowed));
    const std::string value = entry->is_string() ? entry->get<std::string>() : entry->dump();
    if (std::ranges::find(allowed, value) == allowed.end())
      return invalidInput(fmt::format("{}.{}", place, name), fmt::format("unknown value '{}'", value),
                          suggestion(value, allowed));
    return value;
  }

  Status refuse(std::string_view field, std::string reason) const {
    return invalidInput(field.empty() ? place : fmt::format("{}.{}", place, field), std::move(reason));
  }

  const Json &json;
  std::string place;
};

} // namespace

Result<Defects> parseDefects(const std::string &json, const std::string &place, const Program &program) {
  TextCheck textCheck;
  if (!Json::sax_parse(json, &textCheck)) {
    if (textCheck.position > 0)
      return invalidInput(fmt::format("{}:{}", place, lineAndColumn(json, textCheck.position)),
                          "JSON syntax error at this position");
    return invalidInput(place,
                        textCheck.problem.empty() ? "the JSON is nested too deeply" : textCheck.problem);
  }
  const Json document = Json::parse(json, nullptr, false);
  constexpr std::array<std::string_view, 1> known = {"faults"};
  if (!document.is_object() || !document.contains("faults") || !document["faults"].is_array())
    return invalidInput(place, "the fault file must be a JSON object with a list 'faults'");
  for (const auto &[key, value] : document.items())
    if (key != "faults")
      return invalidInput(fmt::format("{}: {}", place, key), "unknown key", suggestion(key, known));
  Defects defects;
  for (size_t i = 0; i < document["faults"].size(); ++i)
    TILERIG_CHECK_OK(
        Entry(document["faults"][i], fmt::format("{}: faults[{}]", place, i)).read(defects, program));
  return defects;
}

Result<Defects> readDefects(const std::string &path, const Program &program) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseDefects(text, path, program);
}

} // namespace tilerig::emulator
