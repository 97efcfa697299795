// A model with its inputs, and smaller ones made from it: with a smaller size of axes, or with a tensor of zeros.
//
// They need not be valid models: cutting the channels of a convolution also cuts its kernel if that has the same size. The
// caller has to try whether a model still shows what it is to show.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"

#include <onnx/onnx_pb.h>
#include <optional>
#include <set>
#include <string>

namespace tilerig::verify {

struct ModelWithInputs {
  onnx::ModelProto model;
  TensorMap inputs;
};

// A tensor as a constant of a model.
onnx::TensorProto asConstant(const std::string &name, const Tensor &tensor);

// Moves data that are stored in files of a folder into the model.
Status embedData(onnx::ModelProto &model, const std::string &folder);

// Leaves out a node: what reads its first result then reads that one of its inputs that has the same type and shape. If the
// result is an output of the model, its name goes over to the input. `values` are tensors of the types and shapes of all
// values. Nothing if no input has this type and shape.
Result<std::optional<ModelWithInputs>> withoutNode(const ModelWithInputs &from, int node,
                                                   const TensorMap &values);

// The sizes, above 1, of all axes of inputs and constants.
std::set<int64_t> axisSizes(const ModelWithInputs &from);
// Cuts every axis of this size, of inputs and constants, to a smaller size, which keeps the first elements. In lists of
// integers, such as the shapes for Reshape, the number is replaced.
Result<ModelWithInputs> withAxesCut(const ModelWithInputs &from, int64_t size, int64_t smaller);

// The names of inputs and constants that hold floats other than zero.
std::set<std::string> tensorsWithValues(const ModelWithInputs &from);
Result<ModelWithInputs> withZeros(const ModelWithInputs &from, const std::string &tensor);

// Number of elements of inputs and constants that are not zero.
uint64_t countValues(const ModelWithInputs &from);

} // namespace tilerig::verify
