// Which passes of the compiler are right and which is wrong, as a record and as files.
//
// The record has the kind `passes` and these fields:
//
//   status, reason  "match" or "wrong", and why
//   ran, checked    number of passes that ran, and number of passes that were checked
//   skipped         the passes that could not be judged: {"pass", "index", "reason"}
//   not_judged      always empty; readers of earlier records expect this field
//   first_wrong     describes the first wrong pass, or null: {"class" ("rewrite" or "type_decision"), "pass",
//                   "index", "rewrite", "pattern", "operation", "onnx_node", "tensor", "max_abs", "bound",
//                   "contradiction", "before", "after", "reproducer", "operations"}. "contradiction" says why
//                   the tensor cannot be computed after the pass, or is null.
#pragma once

#include "compiler/PassCheck/PassCheck.h"
#include "isa/Bugs/Bug.h"
#include "verify/Check/RoundedLayers.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

// The record of the pass check. `reproducer` is the path of the MLIR module that reproduces the error of a
// wrong pass, or empty.
Json passRecord(const compiler::PassCheckResult &result, const std::string &reproducer);
// The class of the bug in a wrong pass: a wrong decision on a type if the wrong tensor looks as if it had
// been rounded to another type, else a wrong rewrite.
BugClass classOf(const compiler::WrongPass &wrong);
// The headline, in lines of text, about a wrong pass of the compiler.
std::string wrongPassLines(const Json &record);

// Adds to the record whether the pass decide-precision, which decides the types of layers, is right. It is
// wrong if the error of a layer's result is larger than its types explain. `layers` are the compiler's
// layers, which name the ONNX node of each tensor.
void addPrecision(const std::vector<RoundedLayer> &rounded,
                  const std::vector<compiler::DescribedLayer> &layers, compiler::PassCheckResult &result);

// Writes files that show the error of the first wrong pass into a new folder: an MLIR module that reproduces
// it (`reproducer.mlir` with `inputs.npz`), and the wrong tensor before and after the pass (`values.npz`).
// Returns the path of the module.
Result<std::string> writeReproducer(const std::string &folder, const compiler::WrongPass &wrong);

} // namespace tilerig::verify
