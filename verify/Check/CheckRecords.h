// A check as records: the same as those of `tilerig verify`, with the other comparisons of a tensor inside
// its record, and one of the kind `emitted` for each layer as it was emitted, `rounded` for each in its
// precision.
//
//   layer     as there, device against oracle; `isolated`, `noise` (oracle against truth) and `truth` (device
//             against truth) hold the same figures of those comparisons, or null; `sources`; `tiles`, each
//             with its first and last instruction for the layer; for a tensor that is wrong the tiles and
//             instructions that made it
//   emitted   `name`, `sources`, `status`, `reason`, `max_abs`, `bound`, `largest_reference`
//   rounded   `name`, `kind`, `status`, `reason`, `elements`; of the element that is the largest part of its
//             bound off: `worst` (that part), `max_abs`, `bound`, `index`
//   finding   what the analyser or a trap has against the program (Finding.h)
//   clock     what `tilerig run --stats` says, with --mode timed, and of each layer `alone_cycles`; a program
//             without a proof has none (`not_timed` of the run says why)
//   limit     a limit of the user's (Gate.h)
//   accuracy  what the precision costs, where that is much (LostAccuracy.h)
#pragma once

#include "verify/Check/Check.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

struct CheckFacts {
  std::string model, precision, machine, inputs, program, notes;
  unsigned tiles = 0;
  std::string notTimed = {}; // why there is no clock though one is asked for
  Json injection = {};       // what Injection.h says of a mutant; null of a clean program
};

Json checkRunRecord(const CheckFacts &facts, const CheckRun &run);
// What is wrong with the program whatever it computes: that it has no proof, or faults as it ran. Judged like
// a tensor; nothing where nothing is. `findings` counts by kind what the analyser found, and `traps` what the
// emulator did.
std::optional<Json> programRecord(const CheckFacts &facts, const CheckRun &run);
// What the analyser found, then the traps (Finding.h): all that the analyser keeps, which may be fewer than
// it counts.
std::vector<Json> findingRecords(const CheckRun &run);
Json checkedRecord(const Program &program, const CheckedTensor &tensor);
Json emittedRecord(const EmittedLayer &layer);
Json roundedRecord(const RoundedLayer &layer);

// For people, and for machines: {"match", "precision", "layers", "verdict", "injected", ...}. The verdict
// (Verdict/VerdictRecord.h) is null where no tensor is wrong by itself, but some are wrong; `injected` is
// what Injection.h says of a mutant, or {"bugs": [...]} where the program itself says what was planted in it,
// or null.
std::string asCheckTable(const std::vector<Json> &records);
// The same without the table: what is wrong or changed, and the summary.
std::string asCheckLines(const std::vector<Json> &records);
Json checkDocument(const std::vector<Json> &records);

} // namespace tilerig::verify
