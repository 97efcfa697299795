// Reads the file of limits that differ by element type or layer:
//
//   {"file_type": "Thresholds",
//    "dtypes": {"float16": {"rel_err": 5}},
//    "layers": {"conv1": {"oom_limit": 200, "rel_err": 1, "bit_off": 2, "output_type": "int8"}}}
//
// The more specific limit wins: layer over type, type over the general limits.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/DType.h"
#include "verify/Metrics/Limits.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace tilerig::verify {

// The limits that one entry of the file states, for a type or a layer; limits that it does not state stay
// unchanged.
struct LimitChanges {
  std::optional<double> oom, relativePercent, bitOff;
  std::optional<EightBit> eightBit;

  void apply(Limits &limits) const;
};

struct Thresholds {
  std::map<DType, LimitChanges> types;
  // Limits for single tensors, by the name of the tensor or of its layer.
  std::map<std::string, LimitChanges> layers;
  std::string place;

  // The limits for a tensor, by its type and its layer (whose name may be empty): the general limits,
  // overridden by those that the file states.
  Limits limitsFor(Limits all, DType type, const std::string &tensor, const std::string &layer) const;
  // Refuses the thresholds file if it names a layer that does not exist: the name is probably misspelt.
  Status checkNames(const std::set<std::string> &names) const;
};

Result<Thresholds> readThresholds(const std::string &path);
Result<Thresholds> parseThresholds(const std::string &text, const std::string &place);

// Names that a thresholds file uses for the values of EightBit (the type that an 8-bit tensor represents), in
// the order of the enumeration.
inline constexpr std::array<std::string_view, 3> outputTypeNames = {"float", "int8", "uint8"};

} // namespace tilerig::verify
