// Reads a model file together with its external data files.
#pragma once

#include "isa/Base/Support/Error.h"

#include <onnx/onnx_pb.h>
#include <set>
#include <string>

namespace tilerig::models {

struct WholeModel {
  onnx::ModelProto model;      // model whose tensors hold all their elements, without external data
  std::set<std::string> files; // all files that were read: the model's own, and those of external data
};

Result<WholeModel> readWholeModel(const std::string &path);

} // namespace tilerig::models
