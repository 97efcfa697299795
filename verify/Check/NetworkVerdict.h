// The verdict on a network, decided over all that a check found. The first of these that holds decides:
//
//   1. something is proved about the run (ProvedCause.h); of several classes that are possible, the verdicts
//      on tensors say how likely each is
//   2. tensors are wrong by themselves: what they say together
//   3. layers are stated wrongly (StatedWrongly.h): the compiler is at fault before there is a program, and
//      no evidence says which of its passes
//   4. the program has no proof, or a trap was sprung: right numbers are right by chance
//   5. there is no error
#pragma once

#include "verify/Check/Check.h"
#include "verify/Records/Record.h"
#include "verify/Verdict/Verdict.h"

#include <optional>
#include <vector>

namespace tilerig::verify {

// A record of the kind `verdict`: the fields of a verdict (VerdictRecord.h) and
//
//   layer           the layer to blame, or null
//   answer          also "one_of": it is proved that the bug is of one of `classes`, and `class` is the
//                   likeliest of them
//   classes         those that are proved to be possible; null where nothing is proved
//   proved          whether that is so; then also `proved_by` ("analyser" or "trap"), and `reason` is the
//                   first finding
//   stated_wrongly  {"emitted", "rounded"}: the tensors of layers that are stated wrongly; null without any
//
// `records` are those of all tensors and of all layers as emitted and rounded, `wrong` the verdicts on
// tensors that are wrong by themselves. Nothing where tensors are wrong and none by itself.
std::optional<Json> networkVerdict(const CheckRun &run, const std::vector<LayerVerdict> &wrong,
                                   const std::vector<Json> &records);

} // namespace tilerig::verify
