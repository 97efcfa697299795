// Pairs the tensors of the target with those of the reference.
//
// A program lists the tensors of the model that it keeps, each with its layer and stored type. Tensors of the
// model that it does not list were fused away, so the device does not have them. Without a program, tensors
// are paired by name or by a map. A tensor that only one side has is listed too, and fails.
#pragma once

#include "isa/Program/Program.h"
#include "verify/Inputs/MapFile.h"
#include "verify/Inputs/TensorSource.h"
#include "verify/Metrics/Limits.h"

namespace tilerig::verify {

struct TensorMatch {
  std::string name; // name by which the report calls the pair
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
  std::vector<TensorMatch> matches; // pairs in the order of the program, without one in that of the reference
  std::vector<LeftOut> leftOut;
};

// Pairs the tensors; `program` and `map` may be null. Refuses a map that names a tensor that does not exist.
Result<Matching> matchTensors(const TensorSource &reference, const TensorSource &target,
                              const Program *program, const TensorNameMap *map);

// Fills `match` with what the program says about one of its tensors.
void describeMatch(const Program &program, const proto::Tensor &tensor, TensorMatch &match);

// Streams of both tensors of a match, ready for comparison.
struct StreamPair {
  TensorStream reference, target;
};
// Opens both tensors of a match. A target that must be transposed is loaded into memory.
Result<StreamPair> openPair(const TensorSource &reference, const TensorSource &target,
                            const TensorMatch &match);

} // namespace tilerig::verify
