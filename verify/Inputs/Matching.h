// Which tensor of the target is to be which of the reference.
//
// A program knows best: it lists the tensors of the model that it keeps, with the layer each belongs to and
// the type it is stored as; what it does not list was fused away, and there is nothing on the device to
// compare. Without a program names decide, or a map. Whatever has no partner is in the list all the same, and
// fails.
#pragma once

#include "isa/Program/Program.h"
#include "verify/Inputs/MapFile.h"
#include "verify/Inputs/TensorSource.h"
#include "verify/Metrics/Limits.h"

namespace tilerig::verify {

struct TensorMatch {
  std::string name;              // what the report calls it
  std::string reference, target; // empty where that side lacks it
  std::vector<size_t> transpose; // of the target

  // From the program; empty without one.
  std::string layer, kind, where;
  std::vector<std::string> onnxOps;
  EightBit eightBit = EightBit::none;
  bool bfloat16 = false;                   // what files have as uint16
  std::vector<std::vector<int64_t>> seams; // of each axis, the indices at which another piece begins
};

struct LeftOut {
  std::string name, reason;
};

struct Matching {
  std::vector<TensorMatch> matches; // in the order of the program, or of the reference
  std::vector<LeftOut> leftOut;
};

// `program` and `map` may be null. A map that names a tensor that is not there is refused.
Result<Matching> matchTensors(const TensorSource &reference, const TensorSource &target,
                              const Program *program, const TensorNameMap *map);

// What a program says of one of its tensors.
void describeMatch(const Program &program, const proto::Tensor &tensor, TensorMatch &match);

// The two tensors of a match that has both, as they are to be compared.
struct StreamPair {
  TensorStream reference, target;
};
// A target that is transposed comes into memory.
Result<StreamPair> openPair(const TensorSource &reference, const TensorSource &target,
                            const TensorMatch &match);

} // namespace tilerig::verify
