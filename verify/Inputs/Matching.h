// Pairs the tensors of the target with those of the reference.
//
// A program lists the tensors of the model that it keeps, each with its layer and stored type. Tensors of the
// model that it does not list were fused away, so the device does not have them. Without a program, tensors
// are paired by name or by a map. A tensor that only the reference or only the target has is listed too, and
// fails.
#pragma once

#include "isa/Program/Program.h"
#include "verify/Inputs/MapFile.h"
#include "verify/Inputs/TensorSource.h"
#include "verify/Metrics/Limits.h"

namespace tilerig::verify {

struct TensorMatch {
  std::string name; // name that the report gives to the pair of tensors
  // names of the tensor in the reference and in the target; empty where it is missing
  std::string reference, target;
  std::vector<size_t> transpose; // axes of the target in the order of the reference; empty: the same order

  // What the program says about the tensor: its layer, the kind of the layer, and where it is stored; empty
  // without a program.
  std::string layer, kind, where;
  std::vector<std::string> onnxOps;
  EightBit eightBit = EightBit::none;
  bool bfloat16 = false; // whether the tensor holds bfloat16, which files store as uint16
  // Seams between tiles: for each axis of the tensor, the indices at which the part of another tile begins.
  std::vector<std::vector<int64_t>> seams;
};

struct LeftOut {
  std::string name, reason;
};

struct Matching {
  // Pairs of tensors: in the order of the program or, without a program, in that of the reference.
  std::vector<TensorMatch> matches;
  std::vector<LeftOut> leftOut;
};

// Pairs the tensors of reference and target; `program` and `map` may be null. Refuses a map that names a
// tensor that does not exist.
Result<Matching> matchTensors(const TensorSource &reference, const TensorSource &target,
                              const Program *program, const TensorNameMap *map);

// Copies to `match` (a pair of tensors) what the program says about the tensor.
void describeMatch(const Program &program, const proto::Tensor &tensor, TensorMatch &match);

// Streams of both tensors of a pair, ready for comparison.
struct StreamPair {
  TensorStream reference, target;
};
// Opens both tensors of a pair. A target that must be transposed is loaded into memory.
Result<StreamPair> openPair(const TensorSource &reference, const TensorSource &target,
                            const TensorMatch &match);

} // namespace tilerig::verify
