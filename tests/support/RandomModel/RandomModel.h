// Generator of random valid ONNX models: every operator and version that the compiler's `graph` level
// supports, in the forms that exporters write, combined at random.
//
//   onnx::ModelProto model = randomModel(17);
//
// The same seed gives the same bytes on every host. Shapes are static and small, and weights are scaled so
// that values keep magnitudes around one. No operator gets an operand for which it is undefined, so all
// outputs are finite. The type and shape of every value are declared, as the generator computed them. The
// generator is independent of the code that the models test.
#pragma once

#include <cstdint>
#include <onnx/onnx_pb.h>

namespace tilerig::test {

struct RandomModelOptions {
  int leastNodes = 3, mostNodes = 40; // number of nodes; the last block of nodes may exceed it
  int leastOpset = 7, mostOpset = 21;
};

onnx::ModelProto randomModel(uint64_t seed, const RandomModelOptions &options = {});

} // namespace tilerig::test
