// Limits for some types or layers that differ from those for all:
//
//   {"file_type": "Thresholds",
//    "dtypes": {"float16": {"rel_err": 5}},
//    "layers": {"conv1": {"oom_limit": 200, "rel_err": 1, "bit_off": 2, "output_type": "int8"}}}
//
// What is more special wins: a layer over its type, its type over what holds for all.
#pragma once

#include "isa/Tensor/DType.h"
#include "verify/Inputs/StrictJson.h"
#include "verify/Metrics/Limits.h"

#include <map>
#include <set>

namespace tilerig::verify {

// Whatever is not stated stays as it was.
struct LimitChanges {
  std::optional<double> oom, relativePercent, bitOff;
  std::optional<EightBit> eightBit;

  void apply(Limits &limits) const;
};

struct Thresholds {
  std::map<DType, LimitChanges> types;
  std::map<std::string, LimitChanges> layers; // by the name of a tensor, or of a layer of the program
  std::string place;

  // For a tensor of a layer, which may have no name.
  Limits limitsFor(Limits all, DType type, const std::string &tensor, const std::string &layer) const;
  // A name that nothing has was meant for something.
  Status checkNames(const std::set<std::string> &names) const;
};

Result<Thresholds> readThresholds(const std::string &path);
Result<Thresholds> parseThresholds(const std::string &text, const std::string &place);

inline constexpr std::array<std::string_view, 3> outputTypeNames = {"float", "int8", "uint8"}; // of EightBit

} // namespace tilerig::verify
