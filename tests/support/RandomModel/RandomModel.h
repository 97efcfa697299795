// Random sound ONNX models: every operator and version that the compiler's level `graph` knows, in the forms
// in which exporters write them, joined at random.
//
//   onnx::ModelProto model = randomModel(17);
//
// The same seed gives the same bytes on every host. Shapes are static and small, weights are scaled so that
// values stay of order one, and no operator is given what it is not defined for: what a model puts out is
// finite. Every value's type and shape are stated, as the generator worked them out. Nothing here knows who
// the model is for.
#pragma once

#include <cstdint>
#include <onnx/onnx_pb.h>

namespace tilerig::test {

struct RandomModelOptions {
  int leastNodes = 3, mostNodes = 40; // aimed at; the last block may go beyond
  int leastOpset = 7, mostOpset = 21;
};

onnx::ModelProto randomModel(uint64_t seed, const RandomModelOptions &options = {});

} // namespace tilerig::test
