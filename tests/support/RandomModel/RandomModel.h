// Generator of random valid ONNX models: the operators and versions that the compiler supports, in the forms that
// exporters write, combined at random.
//
//   onnx::ModelProto model = randomModel(17);
//
// The same seed gives the same bytes on every host. Shapes are small, and weights are scaled so that values keep
// magnitudes around one. No operator gets an operand for which it is undefined, so all outputs are finite. The type
// and shape of every value are declared, as the generator computed them. The generator is independent of the code
// that the models test.
#pragma once

#include <cstdint>
#include <onnx/onnx_pb.h>

namespace tilerig::test {

// The operators that are drawn. Models of `core` are the same ones since the generator was written, because regression
// tests name their seeds: new operators belong to the other two.
enum class RandomOperators {
  core, // floats of fixed shapes, operator sets 7 to 21
  wide, // also integers, control flow, sizes that depend on data, and ONNX Runtime's operators, in operator sets 7 to
  // 24; only operators that can compute in double (tests/support/WideModel.h)
  every, // also quantised operators
};

struct RandomModelOptions {
  int leastNodes = 3, mostNodes = 40; // number of nodes; the last block of nodes may exceed it
  int leastOpset = 7, mostOpset = 21; // 24 at most if all operators are drawn
  RandomOperators operators = RandomOperators::core;
};

onnx::ModelProto randomModel(uint64_t seed, const RandomModelOptions &options = {});

} // namespace tilerig::test
