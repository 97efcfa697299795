// Records of a check (JSON). They are the records that `tilerig verify` writes, with additional fields in the
// record of a tensor, and with records of additional kinds.
//
//   layer     compares a tensor of the device with the oracle's (the expected tensor). Three fields hold
//             further comparisons: `isolated` that of the layer's result from right inputs, `noise` oracle
//             against original model, `truth` device against original model. `sources` names the tensors from
//             which the tensor is computed, `tiles` the tiles and instructions that compute it.
//   emitted   compares a layer of the emitted ONNX model, computed in floats, with the original model.
//             `max_abs` is the largest error, `bound` the largest accepted error, `largest_reference` the
//             largest magnitude of the original model's tensor.
//   rounded   compares a layer of the emitted ONNX model, computed in its precision, with the same layer in
//             floats. Each element has a bound of its error. `worst` is the largest quotient of error and
//             bound; `index`, `max_abs` and `bound` state the element with this quotient, its error and its
//             bound.
//   step      judges a further step of a network that runs in a loop (Steps.h)
//   finding   describes a problem of the program that the analyser or a trap reported (Finding.h)
//   clock     counts the cycles of the program and of each layer, with --mode timed. `alone_cycles` counts
//             the cycles that a layer takes if no other layer runs. A program that is not proved free of
//             races has no such record; then `not_timed` in the record of the run says why.
//   limit     says whether a limit that the user set is exceeded (Gate.h)
//   debug     says where the network begins to fail (--debug): the document of `tilerig bisect --json`
//   accuracy  says where much accuracy is lost to the precision (LostAccuracy.h)
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
