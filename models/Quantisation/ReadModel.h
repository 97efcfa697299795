// A model file with everything that belongs to it.
#pragma once

#include "isa/Support/Error.h"

#include <onnx/onnx_pb.h>
#include <set>
#include <string>

namespace tilerig::models {

struct WholeModel {
  onnx::ModelProto model;      // without external data: all tensors hold their elements
  std::set<std::string> files; // that were read, the model's own among them
};

Result<WholeModel> readWholeModel(const std::string &path);

} // namespace tilerig::models
