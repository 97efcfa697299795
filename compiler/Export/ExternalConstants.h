// Constants of an exported model that are stored outside of its protobuf message, which can have at most 2 GiB.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"

#include <functional>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

// Where the elements of the constants of an exported model are.
enum class ConstantStorage {
  internal, // in the model
  external, // large ones outside of the model, as ExternalConstant
  omitted,  // the model has only the names of its constants
};

// An initialiser of the model that has a name, a type and a shape there, but no elements.
struct ExternalConstant {
  std::string name;
  size_t bytes = 0;
  std::function<Tensor()> elements;
};

// Adds an initialiser without elements to the graph.
ExternalConstant addExternal(onnx::GraphProto &graph, const std::string &name, DType type, const Shape &shape,
                             std::function<Tensor()> elements);
// Puts the elements into the model.
void putInModel(onnx::ModelProto &model, const std::vector<ExternalConstant> &constants);
// Writes the elements to the file at `path`, which is in the folder of the model, and their offsets into the
// model, as ONNX's external data. Only one constant is in memory at a time.
Status putInFile(onnx::ModelProto &model, const std::vector<ExternalConstant> &constants,
                 const std::string &path);

} // namespace tilerig::compiler
