// Evaluates parts of the emitted layers in floats (CompiledModel::layers) on given operands, in fp64. Nothing
// is rounded to 16-bit floats or integers, even where the model itself states such a rounding: all values
// stay fp64.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Options.h"
#include "reference/Run/Threads.h"

#include <functional>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>

namespace tilerig::verify {

using Operands = std::map<std::string, Tensor>;

class FloatForms {
public:
  // The model and the threads must outlive the object.
  static Result<FloatForms> of(const onnx::ModelProto &layers, reference::Threads &threads);

  // Adds transposed copies of operands: if a layer reads a tensor in one order of axes, and its value is
  // known in another order, the value is transposed.
  Result<Operands> completed(Operands operands) const;
  // Computes a tensor from the `operands` and constants, in fp64 where the model has floats.
  Result<Tensor> compute(const std::string &tensor, const Operands &operands) const;
  // Computes the tensor like compute(), but in the machine's arithmetic and with every rounding that the
  // model states.
  Result<Tensor> computeAsStated(const std::string &tensor, const Operands &operands) const;
  // The tensor that holds the sums of a layer, of products or of elements, from which `tensor` is computed;
  // empty if the layer computes no sums. If the sums are integers, the tensor that holds them after their
  // conversion to real numbers.
  std::string sumOn(const std::string &tensor, const Operands &operands) const;
  // The names of all tensors between the operands and `tensor` that hold sums of floats, in the order of
  // execution.
  std::vector<std::string> sumsOn(const std::string &tensor, const Operands &operands) const;
  // False if an operator between `sum` and `tensor` may magnify an error of the sum.
  bool keepsErrors(const std::string &sum, const std::string &tensor, const Operands &operands) const;
  // The first tensor on the path from the operands to `tensor` that is computed by a node for which
  // `isOfKind` is true; empty if there is none.
  std::string firstOn(const std::string &tensor, const Operands &operands,
                      const std::function<bool(const onnx::NodeProto &)> &isOfKind) const;
  // Moves the elements of `value` (reshape, transpose) in the same way as those of `sum` are moved on their
  // way to `tensor`.
  Result<Tensor> moved(const Tensor &value, const std::string &sum, const std::string &tensor,
                       const Operands &operands) const;
  // Whether the tensor is the result of QuantizeLinear, which rounds real numbers to integers; its elements
  // may have been moved afterwards (reshape, transpose).
  bool endsInRounding(const std::string &tensor) const { return roundingOf(tensor) != nullptr; }
  // Whether the tensor is the result of an addition, which may be followed by a rounding and by nodes that
  // only move elements.
  bool endsInAddition(const std::string &tensor) const;
  // The elements of a constant tensor of the model; null if the tensor is not constant.
  const Tensor *constant(const std::string &tensor) const;
  // The node of the model that computes a tensor; null if no node does.
  const onnx::NodeProto *maker(const std::string &tensor) const;
  // The nodes between a sum and a tensor that depends on it, last node first.
  std::vector<const onnx::NodeProto *> pathFrom(const std::string &sum, const std::string &tensor,
                                                const Operands &operands) const;

private:
  explicit FloatForms(const onnx::ModelProto &layers, reference::Threads &threads)
      : layers(&layers), threads(&threads) {}

  // Indices of the nodes that compute `tensor` from the layer's operands.
  std::set<int> nodesTo(const std::string &tensor, const Operands &operands) const;
  // The QuantizeLinear node whose result the tensor is, possibly with moved elements (reshape, transpose);
  // null if there is none.
  const onnx::NodeProto *roundingOf(const std::string &tensor) const;
  // The tensor that holds the integer results of the node `sum` after their conversion to real numbers (a
  // Cast and a multiplication by a scale); empty if other operators follow the node.
  std::string realsOfSum(const onnx::NodeProto &sum, const std::set<int> &nodes) const;
  onnx::GraphProto partTo(const std::string &tensor, const Operands &operands) const;
  Result<Tensor> run(onnx::GraphProto graph, const std::string &tensor, const Operands &operands,
                     const reference::RunOptions &options) const;

  const onnx::ModelProto *layers;
  reference::Threads *threads;
  std::map<std::string, int> makers; // for each tensor, the index of the node that computes it
  std::map<std::string, Tensor> constants;
};

} // namespace tilerig::verify
