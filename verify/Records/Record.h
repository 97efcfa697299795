// What is known of a run, as JSON: one record for each tensor, and one for the run. Everything that people
// get to see — table, CSV, JUnit, page — is made from records, and so can be made again from a file of them.
//
// Fields are added freely and never renamed. Numbers that JSON lacks are the texts "nan", "inf" and "-inf"; a
// figure that does not exist is null.
#pragma once

#include "isa/Tensor/TensorStream.h"
#include "verify/Inputs/Matching.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

inline constexpr int recordsVersion = 1;

// What was asked for.
struct RunFacts {
  std::string reference, target, program, thresholds, map;
  bool exact = false, acrossTypes = false;
};

Json runRecord(const RunFacts &facts);
// Of a tensor that both sides have, with the target's type and shape.
Json layerRecord(const TensorMatch &match, const TensorStream &target, const Comparison &comparison);
// Of one that has no partner.
Json missingRecord(const TensorMatch &match, const RunFacts &facts);
Json leftOutRecord(const LeftOut &leftOut);
// The last one: how many of each status.
Json summaryRecord(const std::vector<Json> &records);

bool isLayer(const Json &record);
bool isJudged(const Json &record); // a layer, one as emitted or rounded, or a program that is faulty
bool isMatch(const Json &judged);
// That all that was judged matches, and anything was.
bool allMatch(const std::vector<Json> &records);

// One line; names that are not UTF-8 lose the bytes that are not.
std::string asLine(const Json &record);
std::string_view nameOf(Anchor anchor);

} // namespace tilerig::verify
