// Parts of the layers in floats, computed in fp64 on whatever operands. What the model itself rounds on the
// way, to 16-bit floats or at the very end to integers, is not rounded: 16-bit floats are fp64 as well, and a
// tensor of integers is the reals that they were made from.
#pragma once

#include "isa/Tensor/TensorMap.h"
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
  // The model and the threads have to outlive it.
  static Result<FloatForms> of(const onnx::ModelProto &layers, reference::Threads &threads);

  // With what they are transposes of: a layer may read a tensor in the one order, and be told of it in
  // another.
  Result<Operands> completed(Operands given) const;
  // A tensor from the operands that are given, and constants: float64 where the model has floats.
  Result<Tensor> compute(const std::string &tensor, const Operands &given) const;
  // The same in the machine's arithmetic, with every rounding that the model states.
  Result<Tensor> computeAsStated(const std::string &tensor, const Operands &given) const;
  // The tensor in which products or elements are summed on the way from those operands to a tensor; empty
  // where none are. Sums of integers count once they are reals.
  std::string sumOn(const std::string &tensor, const Operands &given) const;
  // Every sum of floats on that way, in the order in which they run.
  std::vector<std::string> sumsOn(const std::string &tensor, const Operands &given) const;
  // Whether an error of that sum is no larger in the tensor.
  bool keepsErrors(const std::string &sum, const std::string &tensor, const Operands &given) const;
  // The first tensor on that way whose node is of a kind; empty where there is none.
  std::string firstOn(const std::string &tensor, const Operands &given,
                      const std::function<bool(const onnx::NodeProto &)> &isOfKind) const;
  // What stands for that sum, moved as its elements are on their way on.
  Result<Tensor> moved(const Tensor &value, const std::string &sum, const std::string &tensor,
                       const Operands &given) const;
  // Whether the tensor holds integers that were made from reals, apart from what only moves elements.
  bool endsInRounding(const std::string &tensor) const { return roundingOf(tensor) != nullptr; }
  // Whether an addition gives the tensor, apart from what only moves elements.
  bool endsInAddition(const std::string &tensor) const;
  // Null where it is no constant.
  const Tensor *constant(const std::string &tensor) const;
  // The node that gives the tensor; null where none does.
  const onnx::NodeProto *maker(const std::string &tensor) const;
  // The operators behind a sum, on the way from it to a tensor: the last one first.
  std::vector<const onnx::NodeProto *> pathFrom(const std::string &sum, const std::string &tensor,
                                                const Operands &given) const;

private:
  explicit FloatForms(const onnx::ModelProto &layers, reference::Threads &threads)
      : layers(&layers), threads(&threads) {}

  // Indices of the nodes between.
  std::set<int> nodesTo(const std::string &tensor, const Operands &given) const;
  // The node that makes integers of reals at the end; null where there is none.
  const onnx::NodeProto *roundingOf(const std::string &tensor) const;
  // The last of what does nothing but make reals of integer sums.
  std::string realsOfSum(const onnx::NodeProto &sum, const std::set<int> &nodes) const;
  onnx::GraphProto partTo(const std::string &tensor, const Operands &given) const;
  Result<Tensor> run(onnx::GraphProto graph, const std::string &tensor, const Operands &given,
                     const reference::RunOptions &options) const;

  const onnx::ModelProto *layers;
  reference::Threads *threads;
  std::map<std::string, int> makers; // nodes by what they give
  std::map<std::string, Tensor> constants;
};

} // namespace tilerig::verify
