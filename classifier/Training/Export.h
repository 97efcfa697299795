// A trained model as the one file that is used: evidence in, calibrated probabilities and the score of the
// unknown out (verify/Verdict/Classifier.h says how it is called).
#pragma once

#include "classifier/Training/Calibrate.h"

#include <onnx/onnx_pb.h>

namespace tilerig::classifier {

Result<onnx::ModelProto> exportModel(const ModelKind &kind, const TensorMap &parameters,
                                     const Calibration &calibration, Labels labels = {});

} // namespace tilerig::classifier
