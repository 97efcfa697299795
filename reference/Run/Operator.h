// Interface between operators and the interpreter: a kernel is a function that computes a node from its
// OpContext; a table lists the kernels by operator name and version.
#pragma once

#include "reference/Model/Graph.h"
#include "reference/Run/Finish.h"
#include "reference/Run/Kept.h"
#include "reference/Run/RuntimeValue.h"
#include "reference/Run/Threads.h"

#include <functional>
#include <string_view>

namespace tilerig::reference {

// How sums are computed. `machine` uses the strict order and the formulas that the accelerator promises.
enum class Arithmetic { fast, machine };

// Everything that a kernel can read and write. Inputs have the types of the model, except that 16-bit floats
// are widened to float32 if the operator's entry requests it.
class OpContext {
public:
  OpContext(const Node &node, std::vector<RuntimeValue> inputs, std::vector<bool> present, Threads &threads,
            Arithmetic arithmetic)
      : outputs(node.outputs.size()), node(node), inputs(std::move(inputs)), present(std::move(present)),
        threads(threads), arithmetic(arithmetic) {}

  size_t numInputs() const { return inputs.size(); }
  bool has(size_t index) const { return index < inputs.size() && present[index]; }
  // Returns the input with number `index`, which must be present. The interpreter has checked that the node
  // has the minimum number of inputs, and that they are tensors or sequences as the operator's entry states.
  const Tensor &input(size_t index) const { return std::get<Tensor>(inputs[index]); }
  const Sequence &sequence(size_t index) const { return std::get<Sequence>(inputs[index]); }
  // Takes over the input with number `index`, to modify it in place. It is not copied if this node is its
  // last reader.
  Tensor take(size_t index) { return std::get<Tensor>(std::move(inputs[index])); }
  // The same for an input that may be a sequence.
  RuntimeValue takeValue(size_t index) { return std::move(inputs[index]); }

  // Returns the result of make(), which computes something from input `index` (such as packed weights). The
  // result is kept for later runs if that input is a constant of the model.
  template <class T, class Make>
  std::shared_ptr<const T> keep(size_t index, Make make) const {
    if (kept && constant[index])
      return kept->get<T>(input(index), make);
    return std::make_shared<const T>(make());
  }
  bool isConstant(size_t index) const { return kept && constant[index]; }
  // Sets which inputs are constants of the model, and the cache for values made from them.
  void setConstants(std::vector<bool> constants, Kept &place) {
    constant = std::move(constants);
    kept = &place;
  }

  size_t numOutputs() const { return outputs.size(); }
  // The output with number `index`, which is a tensor, to read or to change it.
  Tensor &output(size_t index) { return std::get<Tensor>(outputs[index]); }
  bool wants(size_t index) const { return index < node.outputs.size() && node.outputs[index] != absent; }

  // Attributes of the node. The getters return `fallback` if the attribute is absent; an absent attribute
  // without a fallback and an attribute of another type are errors that name it.
  bool hasAttribute(std::string_view name) const { return node.attributes.contains(name); }
  Result<int64_t> intAttribute(std::string_view name, std::optional<int64_t> fallback = {}) const;
  Result<float> floatAttribute(std::string_view name, std::optional<float> fallback = {}) const;
  Result<std::string> textAttribute(std::string_view name, std::optional<std::string> fallback = {}) const;
  Result<std::vector<int64_t>> intsAttribute(std::string_view name,
                                             std::optional<std::vector<int64_t>> fallback = {}) const;
  Result<std::vector<float>> floatsAttribute(std::string_view name,
                                             std::optional<std::vector<float>> fallback = {}) const;
  Result<std::vector<std::string>> textsAttribute(std::string_view name) const;
  Result<Tensor> tensorAttribute(std::string_view name) const;
  Result<std::shared_ptr<const Graph>> graphAttribute(std::string_view name) const;

  int opset() const { return node.opset; }

  // Return errors that name the node: invalid() if the model is invalid, notSupported() if it uses something
  // that is not supported.
  Error invalid(std::string description, std::string remedy = {}) const;
  Error notSupported(std::string description, std::string remedy = {}) const;

  // The elements of an integer input (int32 or int64), for axes, shapes and similar.
  Result<std::vector<int64_t>> integers(size_t index) const;
  // Converts an axis to an index from 0 on: a negative axis counts from the end. An error if a tensor of this
  // rank does not have the axis.
  Result<size_t> axis(int64_t axis, size_t rank) const;

  // The tensor that a value holds; an error if it is a sequence.
  Result<Tensor> tensorIn(RuntimeValue value) const;

  // Runs a graph that is an attribute of the node on the given inputs and returns its outputs. The graph can
  // also read values of the graph that contains the node.
  std::function<Result<std::vector<RuntimeValue>>(const Graph &, std::vector<RuntimeValue>)> runGraph;

  // Fused steps to apply to the result, for an operator that supports fusion; may be null.
  const Finish *finish = nullptr;

  std::vector<RuntimeValue> outputs;
  const Node &node;

private:
  std::vector<RuntimeValue> inputs;
  std::vector<bool> present, constant;
  Kept *kept = nullptr;

public:
  Threads &threads;
  Arithmetic arithmetic;
};

using Kernel = Status (*)(OpContext &);

// How float16 and bfloat16 inputs and outputs of an operator are treated.
enum class HalfFloats {
  // The operator computes in fp32, and float outputs are rounded once to the inputs' common 16-bit type.
  widened,
  // The operator computes in fp32. Its inputs may have different float types. Float outputs are rounded to
  // the type of the first 16-bit float input.
  widenedEach,
  // The operator gets 16-bit floats unchanged, because it only moves elements or handles the types itself.
  native,
};

// Which inputs of an operator are sequences; all others are tensors.
enum class SequenceInputs {
  none,
  first,   // the first input is a sequence
  any,     // every input may be a sequence or a tensor
  carried, // the same for inputs from the third on, the values that a Loop carries
};

// An operator, valid from version `since` of its domain on.
struct OpEntry {
  std::string_view op;
  int since;
  unsigned leastInputs, mostInputs;
  Kernel kernel;
  HalfFloats halves = HalfFloats::widened;
  std::string_view domain = {};
  // Expresses the node as a step (Finish.h) that a preceding operator, which computes the node's first input,
  // can apply to its own results. The node's other inputs are constants that have not been checked. Returns
  // none if it is impossible.
  std::optional<FinishStep> (*asFinish)(const OpContext &context) = nullptr;
  // Whether the kernel applies OpContext::finish to float32 results. Input 1 of such an operator holds the
  // weights; its first axis is the axis of output channels.
  bool finishes = false;
  // Operators of 16-bit floats that are widened have no sequences as inputs.
  SequenceInputs sequences = SequenceInputs::none;
};

inline constexpr unsigned anyNumber = ~0u;

// The entry for this operator at this version of its domain; null if the operator is not known.
const OpEntry *findOp(std::string_view domain, std::string_view op, int opset);
// The reason why an ONNX operator is deliberately not supported, as the rest of a sentence; empty for an
// unknown operator.
std::string_view whyLeftOut(std::string_view domain, std::string_view op);
// The entries of all operators, ordered by domain, name and version.
std::span<const OpEntry> allOps();

} // namespace tilerig::reference
