#include "verify/Check/Gate.h"

#include "verify/Check/LostAccuracy.h"
#include "verify/Records/Figures.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

std::optional<uint64_t> cyclesIn(const std::vector<Json> &records) {
  const auto clock = std::ranges::find(records, "clock", [](const Json &record) { return record["record"]; });
  return clock == records.end() ? std::nullopt : std::optional((*clock)["cycles"].get<uint64_t>());
}

Json limitRecord(const char *name, bool isKept, std::string reason, Json value, Json limit) {
  return {{"record", "limit"},
          {"name", name},
          {"status", nameOf(isKept ? TensorStatus::match : TensorStatus::mismatch)},
          {"reason", std::move(reason)},
          {"value", std::move(value)},
          {"limit", std::move(limit)}};
}

// The record of a limit that the user set, for which no value could be measured. The limit then counts as
// exceeded.
Json unknownRecord(const char *name, Json limit) {
  return limitRecord(name, false,
                     "the program was not timed, because it has no proof that it is free of races", Json(),
                     std::move(limit));
}

Json cyclesRecord(uint64_t cycles, uint64_t most) {
  return limitRecord("cycles", cycles <= most,
                     fmt::format("the program takes {} cycles; at most {} are allowed", cycles, most), cycles,
                     most);
}

Result<Json> slowerRecord(uint64_t cycles, double mostPercent, const std::vector<Json> &baseline) {
  const std::optional<uint64_t> before = cyclesIn(baseline);
  if (!before)
    return invalidInput("--fail-slower", "the baseline contains no cycle counts",
                        "create the baseline with --mode timed");
  const double percent = 100.0 * (static_cast<double>(cycles) / static_cast<double>(*before) - 1);
  return limitRecord("slower", percent <= mostPercent,
                     fmt::format("the program takes {} cycles, in the baseline {}: {:+.2f} %; at most {:+} % "
                                 "are allowed",
                                 cycles, *before, percent, mostPercent),
                     percent, mostPercent);
}

Json decibelsRecord(const std::vector<Json> &records, double least) {
  const std::optional<NoisyTensor> worst = noisiest(records);
  if (!worst)
    return limitRecord("decibels", true, "no compared tensor differs from the original model", Json(), least);
  return limitRecord("decibels", worst->decibels >= least,
                     fmt::format("tensor '{}' has a signal-to-noise ratio of {:.1f} dB against the original "
                                 "model; at least {} dB are required",
                                 worst->name, worst->decibels, least),
                     number(worst->decibels), least);
}

bool isLimit(const Json &record) { return record["record"] == "limit"; }
bool isNewlyWrong(const Json &record) { return record["record"] == "baseline" && record["change"] == "new"; }

} // namespace

Result<std::vector<Json>> limitRecords(const Gate &gate, const std::vector<Json> &records,
                                       const std::optional<std::vector<Json>> &baseline) {
  std::vector<Json> limits;
  const std::optional<uint64_t> cycles = cyclesIn(records);
  if (gate.mostCycles)
    limits.push_back(cycles ? cyclesRecord(*cycles, *gate.mostCycles)
                            : unknownRecord("cycles", *gate.mostCycles));
  if (gate.mostSlower && !cycles)
    limits.push_back(unknownRecord("slower", *gate.mostSlower));
  else if (gate.mostSlower) {
    TILERIG_TRY(Json slower, slowerRecord(*cycles, *gate.mostSlower, baseline.value_or(std::vector<Json>())));
    limits.push_back(std::move(slower));
  }
  if (gate.leastDecibels)
    limits.push_back(decibelsRecord(records, *gate.leastDecibels));
  return limits;
}

bool passes(const Gate &gate, const std::vector<Json> &records) {
  const auto isExceeded = [](const Json &record) { return isLimit(record) && !isMatch(record); };
  if (std::ranges::any_of(records, isExceeded))
    return false;
  return gate.failOn == FailOn::wrong
             ? allMatch(records)
             : std::ranges::any_of(records, isLayer) && std::ranges::none_of(records, isNewlyWrong);
}

} // namespace tilerig::verify
