// Quantises a float ONNX model, in the forms that other tools write.
//
// Convolutions, products with constant weights, and the operators that combine their results (such as Add and
// Concat) or pool them are quantised; everything else stays float. Names of nodes and tensors are kept where
// possible. A new tensor is named after an existing one plus a suffix, and has a declared type.
#pragma once

#include "models/Quantisation/Observe.h"

namespace tilerig::models {

enum class QuantisedForm {
  qdq,     // float operators between QuantizeLinear and DequantizeLinear nodes
  qlinear, // QLinearConv with fused Relu or Clip, QLinearMatMul, and MatMulInteger where there is a bias
  dynamic, // operators such as ConvInteger, whose inputs are quantised by ranges that each run measures
};

struct QuantiseOptions {
  QuantisedForm form = QuantisedForm::qdq;
  DType activations = DType::u8; // type of activations, u8 or i8; always u8 in the dynamic form
  // number of bits of a weight; with 7 bits, processors that add pairs of products in 16 bits do not saturate
  int weightBits = 8;
};

// Returns an error for contradictory options, and for models with an opset below 13, which has no per-channel
// scales.
Result<onnx::ModelProto> quantise(const onnx::ModelProto &model, const Observations &observations,
                                  const QuantiseOptions &options);

} // namespace tilerig::models
