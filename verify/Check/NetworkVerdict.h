// The verdict on a network, decided over all results of a check. The first of these cases that holds decides:
//
//   0. The check after each pass proves that a pass is wrong (Passes/PassRecord.h).
//   1. The analyser or a trap proves the cause (ProvedCause.h). If several classes of bugs remain possible,
//      the verdicts on tensors say how likely each is.
//   2. Tensors are wrong by themselves, that is, from right inputs: their verdicts are combined
//      (Verdict/AcrossLayers.h).
//   3. The compiler translated layers wrongly (StatedWrongly.h): it is at fault before there is a program,
//      but the check after each pass finds no wrong pass.
//   4. The program is not proved free of races, or a trap occurred: the results are right only by chance.
//   5. There is no error.
#pragma once

#include "verify/Check/Check.h"
#include "verify/Records/Record.h"
#include "verify/Verdict/AcrossLayers.h"

#include <optional>
#include <vector>

namespace tilerig::verify {

// Returns a record of the kind `verdict`: the fields of a verdict (VerdictRecord.h) and
//
//   layer           the layer to blame, or null
//   answer          also "one_of": it is proved that the bug is of one of `classes`, and `class` is the
//                   likeliest of them
//   classes         the classes that are proved to be possible; null if nothing is proved
//   proved          whether anything is proved; then there is also `proved_by` ("analyser", "trap" or
//                   "pass check"), and `reason` is the first finding
//   stated_wrongly  {"emitted", "rounded"}: the tensors of layers that the compiler translated wrongly (in
//                   floats, or in their precision); null if there are none
//   others          other layers with a bug of their own (otherBugs() in AcrossLayers.h): verdicts with their `layer`.
//                   Beside a wrong pass, the first may be a proved cause, with `proved_by`
//
// `records` are those of all tensors and of all emitted layers; `wrong` holds the verdicts on tensors that
// are wrong by themselves (from right inputs). Returns nothing if tensors are wrong, but all of them only
// because of their inputs.
std::optional<Json> networkVerdict(const CheckRun &run, const std::vector<LayerVerdict> &wrong,
                                   const std::vector<Json> &records);

} // namespace tilerig::verify
