// A quantised model made from a float one, in the forms that other tools write.
//
// Convolutions, products with constant weights, and what joins their results are quantised; everything else
// stays float. Names of nodes and tensors stay where they can; what is new has the name of a tensor and a
// suffix, and a stated type.
#pragma once

#include "models/Quantisation/Observe.h"

namespace tilerig::models {

enum class QuantisedForm {
  qdq,     // QuantizeLinear and DequantizeLinear around float operators
  qlinear, // QLinearConv with the ReLU behind it, QLinearMatMul, and MatMulInteger where there is a bias
  dynamic, // DynamicQuantizeLinear, ConvInteger and MatMulInteger: ranges are those of each run
};

struct QuantiseOptions {
  QuantisedForm form = QuantisedForm::qdq;
  DType activations = DType::u8; // or i8; dynamic ones are always u8
  int weightBits = 8;            // 7 where products are added in pairs that saturate
};

// Refuses a model of an operator set before 13, which has no scales for channels, and options that
// contradict.
Result<onnx::ModelProto> quantise(const onnx::ModelProto &model, const Observations &observations,
                                  const QuantiseOptions &options);

} // namespace tilerig::models
