// What an operator is to the interpreter: a function from a context to a status, in a table by name and
// version.
#pragma once

#include "reference/Model/Graph.h"
#include "reference/Run/Finish.h"
#include "reference/Run/Kept.h"
#include "reference/Run/Threads.h"

#include <functional>
#include <string_view>

namespace tilerig::reference {

// How sums are formed. `machine` is the strict order and the formulas that the accelerator promises.
enum class Arithmetic { fast, machine };

// Everything an operator may see and touch. Inputs are as the model says, but that 16-bit floats have been
// widened to fp32 where the operator's entry asks for it.
class OpContext {
public:
  OpContext(const Node &node, std::vector<Tensor> inputs, std::vector<bool> present, Threads &threads,
            Arithmetic arithmetic)
      : outputs(node.outputs.size()), node(node), inputs(std::move(inputs)), present(std::move(present)),
        threads(threads), arithmetic(arithmetic) {}

  size_t numInputs() const { return inputs.size(); }
  bool has(size_t index) const { return index < inputs.size() && present[index]; }
  // The input, which must be there: Interpreter checks the least number that the operator's entry states.
  const Tensor &input(size_t index) const { return inputs[index]; }
  // The input to be written over: no copy is made where this node is its last reader.
  Tensor take(size_t index) { return std::move(inputs[index]); }

  // What make() computes from this input: kept for the next runs where the input is a constant of the model.
  template <class T, class Make>
  std::shared_ptr<const T> keep(size_t index, Make make) const {
    if (kept && constant[index])
      return kept->get<T>(inputs[index], make);
    return std::make_shared<const T>(make());
  }
  bool isConstant(size_t index) const { return kept && constant[index]; }
  // Says which inputs are constants of the model, and where the node keeps what it makes of one.
  void setConstants(std::vector<bool> constants, Kept &place) {
    constant = std::move(constants);
    kept = &place;
  }

  size_t numOutputs() const { return outputs.size(); }
  bool wants(size_t index) const { return index < node.outputs.size() && node.outputs[index] != absent; }

  // Attributes. Of another type than asked for: refused, naming it.
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

  // Refusals, with the node named.
  Error invalid(std::string what, std::string remedy = {}) const;
  Error notSupported(std::string what, std::string remedy = {}) const;

  // The elements of an integer input (int32 or int64), for axes, shapes and the like.
  Result<std::vector<int64_t>> integers(size_t index) const;
  // Axis `axis` of a tensor of that rank, counted from the front.
  Result<size_t> axis(int64_t axis, size_t rank) const;

  // Runs a graph attribute with these inputs; it sees the values around this node.
  std::function<Result<std::vector<Tensor>>(const Graph &, std::vector<Tensor>)> runGraph;

  // What to do to the result on the way, of an operator whose entry says that it does so; may be null.
  const Finish *finish = nullptr;

  std::vector<Tensor> outputs;
  const Node &node;

private:
  std::vector<Tensor> inputs;
  std::vector<bool> present, constant;
  Kept *kept = nullptr;

public:
  Threads &threads;
  Arithmetic arithmetic;
};

using Kernel = Status (*)(OpContext &);

// What becomes of float16 and bfloat16 on the way into an operator and out of it.
enum class HalfFloats {
  widened, // computed in fp32; float outputs are rounded once to the 16-bit type of the inputs, which is one
  widenedEach, // likewise; where 16-bit and other floats meet, the first 16-bit input has the type
  native,      // the operator takes them as they are: it moves elements, or looks at types itself
};

// One operator from one version of its domain on.
struct OpEntry {
  std::string_view op;
  int since;
  unsigned leastInputs, mostInputs;
  Kernel kernel;
  HalfFloats halves = HalfFloats::widened;
  std::string_view domain = {};
  // The node's work on its first input as a step of another one's finish; the other inputs are constants, of
  // which nothing has been checked. None where it cannot be one.
  std::optional<FinishStep> (*asFinish)(const OpContext &context) = nullptr;
  // Its kernel applies OpContext::finish to float32; input 1 are weights, their first axis the channels.
  bool finishes = false;
};

inline constexpr unsigned anyNumber = ~0u;

// The entry that serves this operator at this version, or null.
const OpEntry *findOp(std::string_view domain, std::string_view op, int opset);
// Why an operator of ONNX that has no entry is left out on purpose, as the rest of a sentence; empty for one
// that is merely not known.
std::string_view whyLeftOut(std::string_view domain, std::string_view op);
// All entries, ordered by domain, name and version.
std::span<const OpEntry> allOps();

} // namespace tilerig::reference
