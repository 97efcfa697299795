// The output of `tilerig inspect` for each kind of file, as text or as JSON; both are made from the same
// values.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Machine/Machine.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilerig {

struct InspectOptions {
  bool json = false;
  // Parts of a program that `tilerig inspect` shows in full. If none is set, it shows the beginning of each
  // part.
  bool layers = false, tensors = false, instructions = false, delays = false;
};

// Each of these functions reads a file of one kind and returns the text that `tilerig inspect` prints for it.
Result<std::string> inspectProgram(const std::string &path, const InspectOptions &options);
// Lists the tensors of a .npz, .npy or .pb file.
Result<std::string> inspectTensors(const std::string &path, const InspectOptions &options);
Result<std::string> inspectMachine(const std::string &nameOrPath, const InspectOptions &options);

// A JSON document as printed; bytes that are not valid UTF-8 are dropped.
std::string dump(const nlohmann::ordered_json &document);

} // namespace tilerig
