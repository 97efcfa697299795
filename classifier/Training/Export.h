// Exports a trained model as an ONNX file that maps measurements to calibrated probabilities and the unknown
// score (verify/Verdict/Classifier.h describes inputs and outputs).
#pragma once

#include "classifier/Training/Calibrate.h"

#include <onnx/onnx_pb.h>

namespace tilerig::classifier {

Result<onnx::ModelProto> exportModel(const ModelKind &kind, const TensorMap &parameters,
                                     const Calibration &calibration, Labels labels = {});

} // namespace tilerig::classifier
