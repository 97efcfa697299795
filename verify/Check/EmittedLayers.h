// Is what the compiler wrote down of a model still that model? It writes its own oracle, so the oracle is
// judged as well: every layer, as it stands before precisions are decided, gets the truth of what it reads,
// and has to give the truth of what it makes.
//
// A layer here lies between tensors that the original has too, under the same name. What is between them was
// fused, and has no counterpart.
//
// 16-bit floats of the model itself are float32 on both sides: where a layer was fused, the original rounds
// more often, and what these roundings come to says nothing about the layer. That layers round where they may
// is judged elsewhere (RoundedLayers.h). Where a layer moves integers that the original moves as the reals
// they stand for, reals are compared. Where a tensor that was fused away overflows in the original, what the
// original gives in fp64 is right, too.
#pragma once

#include "verify/Check/CompileStep.h"
#include "verify/Metrics/Comparison.h"

#include <onnx/onnx_pb.h>
#include <set>

namespace tilerig::verify {

struct EmittedLayer {
  std::string name;              // of the tensor that it makes
  std::set<std::string> sources; // the tensors whose truth it was given; inputs of the model are not listed
  Comparison comparison;         // of what it gives with the truth; the status follows from the bound
  double bound = 0; // of the absolute error; with the most that folded constants or long rows explain
};

// Of the layers in floats; `truth` is what the source gives, unrounded (Expectation.h). In the order of the
// layers.
Result<std::vector<EmittedLayer>> judgeEmitted(const CompiledModel &compiled, const SourceModel &source,
                                               const TensorMap &inputs, const TensorMap &truth,
                                               reference::Threads &threads);

// The model with every reader of a tensor of these reading an input of the name givenName() instead, so that
// one run computes each layer from what it is given.
onnx::ModelProto withGiven(onnx::ModelProto layers, const TensorMap &tensors);
std::string givenName(const std::string &tensor);

} // namespace tilerig::verify
