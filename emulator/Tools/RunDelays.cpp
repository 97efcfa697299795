#include "emulator/Tools/RunDelays.h"

#include "emulator/Observe/MeasureDelays.h"
#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/StrictJson.h"

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

Result<std::vector<DelayStatistics>> measuredDelays(const JsonPlace &list, const std::set<uint16_t> &known) {
  std::vector<DelayStatistics> delays;
  for (size_t i = 0; i < list.value->size(); ++i) {
    const JsonPlace entry = list.at(i);
    DelayStatistics delay;
    TILERIG_CHECK_OK(entry.expectObject());
    TILERIG_TRY(delay.id, entry.at("id").wholeNumber<uint16_t>());
    TILERIG_TRY(delay.cycles, entry.at("cycles").wholeNumber<uint64_t>());
    TILERIG_TRY(delay.contentionCycles, entry.at("contention_cycles").wholeNumber<uint64_t>());
    if (!known.contains(delay.id))
      return entry.refuse(fmt::format("the program has no delay with id {}", delay.id));
    delays.push_back(delay);
  }
  return delays;
}

Result<DelayAmounts> amountsFrom(const std::string &path, const Program &program) {
  TILERIG_TRY(const Json document, readStrictJson(path, limitsOfOwnFiles));
  const JsonPlace file{&document, path}, delays = file.at("delays");
  TILERIG_CHECK_OK(file.expectObject());
  if (!delays || !delays.value->is_array() || delays.value->empty())
    return file.refuse("the file has no measured delays",
                       "give a file that tilerig run --mode timed --stats wrote for this program; if the "
                       "program has no delays, compile it with --stagger");
  const JsonPlace hash = file.at("content_hash");
  if (!hash || *hash.value != fmt::format("{:016x}", contentHashOf(program)))
    return file.refuse("the delays were measured on another program, or at another --ddr-base",
                       "measure this program first: tilerig run --mode timed --stats");
  TILERIG_TRY(const std::vector<DelayStatistics> measured, measuredDelays(delays, delaysOf(program)));
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
      return usageError(
          "--delay", fmt::format("the program has no delay with id {}", id),
          known.empty() ? std::string("compile it with --stagger to get delays")
                        : fmt::format("the delays of the program have the ids {}", fmt::join(known, ", ")));
    if (!amounts.emplace(id, cycles).second)
      return usageError("--delay", fmt::format("id {} is given twice", id), "give each delay id once");
  }
  if (measured.empty())
    return amounts;
  TILERIG_TRY(DelayAmounts others, advised(amountsFrom(measured, program),
                                           "give a file that tilerig run --mode timed --stats wrote"));
  amounts.merge(others);
  return amounts;
}

} // namespace tilerig::emulator
