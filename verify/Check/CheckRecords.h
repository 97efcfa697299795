// Records of a check (JSON). They are the records that `tilerig verify` writes, with additional comparisons
// in the record of a tensor, and with records of additional kinds, such as `emitted` for each emitted layer
// in floats and `rounded` for each emitted layer in its precision.
//
//   layer     as in `tilerig verify`, device against oracle; `isolated`, `noise` (oracle against truth) and
//             `truth` (device against truth) hold the same fields for those comparisons, or null; `sources`;
//             `tiles`, each with its first and last instruction for the layer; for a wrong tensor the tiles
//             and instructions that computed it
//   emitted   `name`, `sources`, `status`, `reason`, `max_abs`, `bound`, `largest_reference`
//   rounded   `name`, `kind`, `status`, `reason`, `elements`; and of the element whose error is the largest
//             fraction of its bound: `worst` (that fraction), `max_abs`, `bound`, `index`
//   finding   a problem of the program, reported by the analyser or by a trap (Finding.h)
//   clock     with --mode timed: what `tilerig run --stats` says, and of each layer `alone_cycles`; absent
//             for a program that is not proved free of races (`not_timed` of the run says why)
//   limit     the outcome of a limit that the user set (Gate.h)
//   accuracy  accuracy lost to the precision, where that is much (LostAccuracy.h)
#pragma once

#include "verify/Check/Check.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

struct CheckDescription {
  std::string model, precision, machine, inputs, program, notes;
  std::vector<std::string> warnings = {}; // of the compiler
  // Which inputs contain NaN or infinity (describeNotFinite()); empty if none does.
  std::string notFinite = {};
  unsigned tiles = 0;
  std::string notTimed = {}; // why the program was not timed although --mode timed was given
  // Record of the injected bug (injectionRecord()); null for a clean program.
  Json injection = {};
};

Json checkRunRecord(const CheckDescription &description, const CheckRun &run);
// The record of a faulty program, that is, one that is not proved free of races, or in whose run traps
// occurred. It has a status like the record of a tensor. Its field `findings` counts the analyser's findings
// by kind, its field `traps` the emulator's traps. Returns nothing if the program has no faults.
std::optional<Json> programRecord(const CheckDescription &description, const CheckRun &run);
// Records of the problems that the analyser found, then of the traps that occurred (Finding.h). The analyser
// may count more problems than it keeps.
std::vector<Json> findingRecords(const CheckRun &run);
Json checkedRecord(const Program &program, const CheckedTensor &tensor);
Json emittedRecord(const EmittedLayer &layer);
Json roundedRecord(const RoundedLayer &layer);

// The results of a check as text for people, and as the JSON document {"match", "precision", "layers",
// "verdict", "injected", ...}. `verdict` (Verdict/VerdictRecord.h) is null if all wrong tensors are wrong
// only because of their inputs. `injected` describes the injected bug (injectionRecord() in Injection.h), or
// is null.
std::string asCheckTable(const std::vector<Json> &records);
// The results of a check as text, like asCheckTable(), but without the table of tensors: only what is wrong
// or changed, and the summary.
std::string asCheckLines(const std::vector<Json> &records);
Json checkDocument(const std::vector<Json> &records);

} // namespace tilerig::verify
