#include "emulator/Tools/RunDelays.h"

#include <charconv>
#include <fmt/ranges.h>
#include <set>

namespace tilerig {

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

} // namespace

Result<DelayAmounts> readDelays(const std::vector<std::string> &texts, const Program &program) {
  const std::set<uint16_t> known = texts.empty() ? std::set<uint16_t>() : delaysOf(program);
  DelayAmounts amounts;
  for (const std::string &text : texts) {
    const size_t equals = std::min(text.find('='), text.size());
    uint16_t id = 0;
    uint32_t cycles = 0;
    if (!readNumber(std::string_view(text).substr(0, equals), id) || equals == text.size() ||
        !readNumber(std::string_view(text).substr(equals + 1), cycles))
      return usageError("--delay", fmt::format("'{}' is not ID=CYCLES", text));
    if (!known.contains(id))
      return usageError("--delay", fmt::format("the program has no delay of id {}", id),
                        known.empty() ? std::string("it has no delays at all")
                                      : fmt::format("it has those of id {}", fmt::join(known, ", ")));
    if (!amounts.emplace(id, cycles).second)
      return usageError("--delay", fmt::format("the delays of id {} have an amount already", id),
                        "give each id once");
  }
  return amounts;
}

} // namespace tilerig
