// What `tilerig inspect` says about a file of each kind: as text for people, as JSON for machines. Both are
// made from the same values.
#pragma once

#include "isa/Machine/Machine.h"
#include "isa/Support/Error.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilerig {

struct InspectOptions {
  bool json = false;
  // Parts of a program that are shown in full; without any, the beginning of each.
  bool layers = false, tensors = false, instructions = false, delays = false;
};

// Each returns what goes to standard output.
Result<std::string> inspectProgram(const std::string &path, const InspectOptions &options);
// .npz, .npy or .pb.
Result<std::string> inspectTensors(const std::string &path, const InspectOptions &options);
Result<std::string> inspectMachine(const std::string &nameOrPath, const InspectOptions &options);

// A document as it is printed; text that is not UTF-8 loses the bytes that are not.
std::string dump(const nlohmann::ordered_json &document);

} // namespace tilerig
