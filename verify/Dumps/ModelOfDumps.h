// The ONNX model behind a dump of tensors: computes each tensor of the dump again from those tensors of the dump that flow into it.
//
// So a layer that is wrong by itself is told from one that has inherited its error, although nothing is known of the system that
// made the dump. Values that the dump lacks, such as those of fused nodes, are computed from the nearest ones that it has.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Interpreter.h"
#include "verify/Dumps/PartOfModel.h"
#include "verify/Evidence/Product.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilerig::verify {

// A convolution or matrix product whose sums make a value, perhaps with element-wise functions behind the sums.
struct ProductNode {
  const reference::Node *node = nullptr;
  std::string input;         // the value that is multiplied by the weights
  std::string weights, bias; // constants; `bias` may be empty
  // A batch normalisation right behind the product, whose constants belong to weights and bias; null if there is none.
  const reference::Node *norm = nullptr;
  std::vector<std::string> normConstants; // scale, shift, mean, variance
  std::string addend;                     // a value that is added to the sums; empty if there is none
  // The product before it in the model, whose operands may still be in memory, and its constants; null and empty if there is none.
  const reference::Node *before = nullptr;
  std::string weightsBefore, biasBefore;
  std::vector<std::string> values() const;
};

class ModelOfDumps {
public:
  // The threads must outlive the object.
  static Result<ModelOfDumps> load(const std::string &path, reference::Threads &threads);
  static Result<ModelOfDumps> of(reference::Model model, reference::Threads &threads);

  // The names of the model's inputs, and of the values that its nodes compute, in the order of computation.
  const std::vector<std::string> &inputs() const { return inputNames; }
  const std::vector<std::string> &computed() const { return computedNames; }
  // The names of initialisers, and of values that nodes compute from constants only.
  const std::set<std::string> &constantValues() const { return constants; }
  // The kind of the layer that computes a value, as programs name kinds ("Conv", "MaxPool"). The name of the operator if there is
  // no such kind.
  std::string kindOf(const std::string &value) const;
  // The name of the node that computes a value.
  std::string nodeOf(const std::string &value) const;

  // Runs the model. Of every value, substitute(value, computed) returns the tensor with which the model goes on: one of the dump, or
  // nothing for the computed one. visit(value, tensor) then gets the values that the model went on with, constants included.
  using Substitute = std::function<std::optional<Tensor>(const std::string &value, const Tensor &computed)>;
  using Visit = std::function<void(const std::string &value, const Tensor &tensor)>;
  Status run(const reference::NamedTensors &inputs, const Substitute &substitute, const Visit &visit) const;

  // Number of nodes that compute a value from constants, inputs and values of `dumped`, without those that only move data.
  size_t nodesBehind(const std::string &value, const std::set<std::string> &dumped) const;
  // The values that are computed from some of these values, and these. What is only computed from them by way of a value of `known`
  // does not count.
  std::set<std::string> followersOf(const std::set<std::string> &values,
                                    const std::set<std::string> &known = {}) const;
  // The type that the model declares for an input.
  std::optional<DType> typeOfInput(const std::string &name) const;
  // The sums that make a value. Empty if there are none, or if a value of `dumped` lies between them and the value.
  std::optional<ProductNode> productBehind(const std::string &value,
                                           const std::set<std::string> &dumped) const;

  // The nodes that compute a value from constants, inputs and values of `known`. Empty if they have branches or loops, or are more than
  // `mostNodes`.
  std::optional<PartOfModel> partBehind(const std::string &value, const std::set<std::string> &known,
                                        size_t mostNodes) const;
  reference::Threads &threads() const { return *pool; }

private:
  struct Hooks {
    const Substitute *substitute = nullptr;
    const Visit *visit = nullptr;
  };
  ModelOfDumps(std::unique_ptr<Hooks> hooks, reference::Interpreter interpreter, reference::Threads &threads);

  const reference::Graph &graph() const { return interpreter.model().graph; }
  const reference::Node *producerOf(const std::string &value) const;
  const std::string &nameOf(reference::ValueId id) const;
  bool isConstant(reference::ValueId id) const;
  bool readsOnlyConstants(const reference::Node &node) const;
  bool isNormOfConstants(const reference::Node *node) const;
  bool isProductOfConstants(const reference::Node &node) const;
  std::string biasOf(const reference::Node &node) const;

  std::unique_ptr<Hooks> hooks;
  reference::Interpreter interpreter;
  reference::Threads *pool;
  std::vector<std::string> inputNames, computedNames;
  std::map<std::string, const reference::Node *> producers;
  std::set<std::string> constants; // values that depend on no input
};

// The product with its operands, for replays (Evidence/Replays). `values` has those of ProductNode::values(); `input` says how the input
// was stored, if it was dumped as 8-bit integers. Null if the node is of a form that replays do not know.
std::shared_ptr<const Product> productOf(const ProductNode &node, const TensorMap &values,
                                         const std::optional<StoredSteps> &input, const Shape &result);

} // namespace tilerig::verify
