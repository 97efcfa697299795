// Precision plan: the precision of each layer, and how ranges are chosen for layers in 8 bits.
//
// A plan is either the name of one precision for all layers, or a JSON file. All its fields are optional:
//
//   {"default": "int8",                        precision of layers that are not listed; without it, fp32
//    "activations": "uint8",                   type of activations in int8 layers; without it, int8
//    "weights": "per-tensor",                  scales of weights; without it, "per-channel"
//    "method": "percentile:99.9",              min-max (the default), percentile, entropy, mse or average:2
//    "nine_bits": false,                       without it, tensors that only the vector engine reads have
//                                              nine bits, not eight (compiler/Layer/Precision/NineBits.h)
//    "layers": {"/head/Gemm": "fp16",          a layer is named by one of its ONNX nodes,
//               "logits": "fp32"}}             or by a tensor that it computes
#pragma once

#include "compiler/Planning/Quantisation/Precision.h"
#include "compiler/Planning/Quantisation/RangeMethod.h"

#include <map>
#include <span>
#include <string>

namespace tilerig::compiler {

enum class WeightScales { perChannel, perTensor };

class PrecisionPlan {
public:
  // A precision plan with the same precision for every layer.
  explicit PrecisionPlan(Precision everywhere = Precision::fp32) : standard(everywhere) {}
  // Converts the value of the option --precision: either the name of a precision, or the path of a precision
  // plan file.
  static Result<PrecisionPlan> read(const std::string &option);
  // Parses the text of a precision plan file.
  static Result<PrecisionPlan> parse(std::string_view text);

  // Precision of the layer with these names, which are those of its ONNX nodes and of the tensors that they
  // compute. Returns an error if the plan states different precisions for two of the names.
  Result<Precision> precisionOf(std::span<const std::string> names) const;
  // Refuses a precision plan with the name of a layer that is not in the model.
  Status checkNames(std::span<const std::string> nodesAndTensors) const;
  // Whether the plan asks for 8 bits in any layer, so that value ranges must be calibrated.
  bool needsCalibration() const;

  const RangeMethod &method() const { return rangeMethod; }
  WeightScales weightScales() const { return scales; }
  bool usesNineBits() const { return nineBits; }

private:
  Precision standard;
  RangeMethod rangeMethod;
  WeightScales scales = WeightScales::perChannel;
  bool nineBits = true;
  std::map<std::string, Precision, std::less<>> layers;
  std::string file; // path of the plan's file, for messages; empty without a file
};

} // namespace tilerig::compiler
