#include "emulator/Tools/RunDelays.h"

#include "emulator/Observe/MeasureDelays.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"

#include <charconv>
#include <fmt/ranges.h>
#include <set>

namespace tilerig::emulator {

namespace {

template <class T>
bool readNumber(std::string_view text, T &number) {
  const char *const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && next == end;
}

std::set<uint16_t> delaysOf(const Program &program) {
  std::set<uint16_t> ids;
  for (const Stage &stage : program.stages)
    if (const auto *work = std::get_if<DeviceStage>(&stage.work))
      for (const auto &code : work->tiles)
        for (const Instruction &instruction : code)
          if (const auto *delay = std::get_if<Delay>(&instruction))
            ids.insert(delay->id);
  return ids;
}

using Json = nlohmann::json;

// Reads an unsigned field of an object; returns false if the field is absent, no unsigned number, or too
// large for T.
template <class T>
bool readField(const Json &object, const char *name, T &number) {
  const auto field = object.find(name);
  if (field == object.end() || !field->is_number_unsigned() ||
      field->get<uint64_t>() > std::numeric_limits<T>::max())
    return false;
  number = field->get<T>();
  return true;
}

Result<std::vector<DelayStatistics>> measuredDelays(const Json &list, const std::set<uint16_t> &known) {
  std::vector<DelayStatistics> delays;
  for (const Json &entry : list) {
    const std::string place = fmt::format("delays[{}]", delays.size());
    DelayStatistics delay;
    if (!entry.is_object() || !readField(entry, "id", delay.id) ||
        !readField(entry, "cycles", delay.cycles) ||
        !readField(entry, "contention_cycles", delay.contentionCycles))
      return invalidInput(place, "'id', 'cycles' and 'contention_cycles' must be given as whole numbers");
    if (!known.contains(delay.id))
      return invalidInput(place, fmt::format("the program has no delay with id {}", delay.id));
    delays.push_back(delay);
  }
  return delays;
}

Result<DelayAmounts> amountsFrom(const std::string &text, const Program &program) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object())
    return invalidInput("", "the file is not a JSON object",
                        "give a file that tilerig run --mode timed --stats wrote");
  const auto delays = document.find("delays");
  if (delays == document.end() || !delays->is_array() || delays->empty())
    return invalidInput("", "the file has no measured delays",
                        "give a file that tilerig run --mode timed --stats wrote for this program; if the "
                        "program has no delays, compile it with --stagger");
  const auto hash = document.find("content_hash");
  if (hash == document.end() || *hash != fmt::format("{:016x}", contentHashOf(program)))
    return invalidInput("", "the delays were measured on another program, or at another --ddr-base",
                        "measure this program first: tilerig run --mode timed --stats");
  TILERIG_TRY(const std::vector<DelayStatistics> measured, measuredDelays(*delays, delaysOf(program)));
  return delaysFrom(measured);
}

} // namespace

Result<DelayAmounts> readDelays(const std::vector<std::string> &texts, const std::string &measured,
                                const Program &program) {
  const std::set<uint16_t> known = texts.empty() ? std::set<uint16_t>() : delaysOf(program);
  DelayAmounts amounts;
  for (const std::string &text : texts) {
    const size_t equals = std::min(text.find('='), text.size());
    uint16_t id = 0;
    uint32_t cycles = 0;
    if (!readNumber(std::string_view(text).substr(0, equals), id) || equals == text.size() ||
        !readNumber(std::string_view(text).substr(equals + 1), cycles))
      return usageError("--delay", fmt::format("'{}' does not have the form ID=CYCLES", text));
    if (!known.contains(id))
      return usageError("--delay", fmt::format("the program has no delay with id {}", id),
                        known.empty() ? std::string("compile it with --stagger to get delays")
                                      : fmt::format("it has delays with id {}", fmt::join(known, ", ")));
    if (!amounts.emplace(id, cycles).second)
      return usageError("--delay", fmt::format("id {} is given twice", id), "give each id once");
  }
  if (measured.empty())
    return amounts;
  TILERIG_TRY(const std::string text, readText(measured));
  auto others = amountsFrom(text, program);
  if (!others)
    return others.error().within(measured);
  amounts.merge(*others);
  return amounts;
}

} // namespace tilerig::emulator
