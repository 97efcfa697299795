// Which layer is computed in which precision, and how ranges are chosen where that is one of 8 bits.
//
// It is one precision for all, or a file:
//
//   {"default": "int8",                        fp32 where it is not given
//    "activations": "uint8",                   of layers that say int8; as they say where it is not given
//    "weights": "per-tensor",                  or "per-channel", the default
//    "method": "percentile:99.9",              min-max (the default), percentile, entropy, mse or average:2
//    "layers": {"/head/Gemm": "fp16",          by the name of an ONNX node,
//               "logits": "fp32"}}             or of a tensor that the layer computes
#pragma once

#include "compiler/Precision/Precision.h"
#include "compiler/Precision/RangeMethod.h"

#include <map>
#include <span>
#include <string>

namespace tilerig {

enum class WeightScales { perChannel, perTensor };

class PrecisionPlan {
public:
  // The same for every layer.
  explicit PrecisionPlan(Precision everywhere = Precision::fp32) : standard(everywhere) {}
  // What --precision says: the name of a precision, or else a file.
  static Result<PrecisionPlan> read(const std::string &option);
  // The text of such a file.
  static Result<PrecisionPlan> parse(std::string_view text);

  // Of a layer that goes by these names: its ONNX nodes and the tensors that they compute. Refuses names that
  // are given different precisions.
  Result<Precision> precisionOf(std::span<const std::string> names) const;
  // Refuses a name of the file that is none of the model's.
  Status checkNames(std::span<const std::string> nodesAndTensors) const;
  // Whether any layer may be quantised, so that ranges are needed.
  bool needsCalibration() const;

  const RangeMethod &method() const { return rangeMethod; }
  WeightScales weightScales() const { return scales; }

private:
  Precision standard;
  RangeMethod rangeMethod;
  WeightScales scales = WeightScales::perChannel;
  std::map<std::string, Precision, std::less<>> layers;
  std::string file; // for messages; empty where there is none
};

} // namespace tilerig
