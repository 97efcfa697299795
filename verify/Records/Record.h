// Records of a run as JSON: one for the run and one for each tensor. Everything shown to people (table, CSV,
// JUnit, page) is made from records and can be made again from a file of them.
//
// Fields may be added but are never renamed. Numbers that JSON lacks are the texts "nan", "inf" and "-inf"; a
// metric that does not exist is null.
#pragma once

#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Inputs/Matching.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

inline constexpr int recordsVersion = 1;

// Record of the run: its inputs and options.
struct RunDescription {
  std::string reference, target, program, thresholds, map;
  bool exact = false, acrossTypes = false;
};

Json runRecord(const RunDescription &description);
// Record of a tensor that both reference and target have, with the target's type and shape.
Json layerRecord(const TensorMatch &match, const TensorStream &target, const Comparison &comparison);
// Record of a tensor that only the reference or only the target has.
Json missingRecord(const TensorMatch &match, const RunDescription &description);
Json leftOutRecord(const LeftOut &leftOut);
// The last record of a run: how many tensors have each status.
Json summaryRecord(const std::vector<Json> &records);

bool isLayer(const Json &record);
// Whether the run can only match if this record has the status match. This is so for records of the device's
// tensors, of the emitted layers (computed in floats or in their precision), of the compiler's passes and of
// a faulty program.
bool isJudged(const Json &record);
bool isMatch(const Json &judged);
// Whether at least one record counts for the result of the run (isJudged()), and all that count match.
bool allMatch(const std::vector<Json> &records);

// Formats a record as one line of JSON; invalid UTF-8 bytes in names are dropped.
std::string asLine(const Json &record);
std::string_view nameOf(Anchor anchor);

} // namespace tilerig::verify
