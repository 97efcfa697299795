#include "compiler/Export/OlderOpset.h"

#include <algorithm>
#include <cstring>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <vector>

namespace tilerig::compiler {

namespace {

constexpr int64_t olderOpset = 17, olderIr = 8;

// Operators that mean the same in operator sets 17 and 21, if they are written as the compiler writes them.
constexpr llvm::StringLiteral sameOperators =
    "Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Cast Ceil Celu Clip Concat Conv "
    "ConvInteger ConvTranspose Cos Cosh DequantizeLinear Div Elu Equal Erf Exp Expand Floor "
    "Gather Gemm Greater GreaterOrEqual HardSigmoid HardSwish Identity InstanceNormalization "
    "IsInf IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax MatMul "
    "MatMulInteger Max MaxPool Min Mod Mul Neg Not Or PRelu Pad Pow QuantizeLinear Reciprocal "
    "ReduceSum Relu Reshape Round Selu Sigmoid Sign Sin Sinh Slice Softmax Softplus Softsign Sqrt "
    "Sub Tan Tanh ThresholdedRelu TopK Transpose Where Xor";

bool isSame(llvm::StringRef type) {
  static const auto all = [] {
    llvm::SmallVector<llvm::StringRef> names;
    sameOperators.split(names, ' ');
    llvm::StringSet<> set;
    set.insert(names.begin(), names.end());
    return set;
  }();
  return all.contains(type);
}

// Reductions that take their axes as an attribute in operator set 17, but as an input in newer sets.
bool isReduction(const onnx::NodeProto &node) {
  static const llvm::StringSet<> all = {"ReduceL1",  "ReduceMax",  "ReduceMean",
                                        "ReduceMin", "ReduceProd", "ReduceSumSquare"};
  return all.contains(node.op_type());
}

const onnx::AttributeProto *attribute(const onnx::NodeProto &node, llvm::StringRef name) {
  const auto match =
      llvm::find_if(node.attribute(), [&](const auto &candidate) { return candidate.name() == name; });
  return match == node.attribute().end() ? nullptr : &*match;
}

class Older {
public:
  explicit Older(onnx::ModelProto &model) : model(model), graph(*model.mutable_graph()) {
    for (const onnx::TensorProto &tensor : graph.initializer())
      constants[tensor.name()] = &tensor;
  }

  bool isPossible() const {
    // QuantizeLinear and DequantizeLinear accept 16-bit integers only since operator set 21.
    const bool hasWide = llvm::any_of(graph.initializer(), [](const onnx::TensorProto &tensor) {
      return tensor.data_type() == onnx::TensorProto::INT16;
    });
    return !hasWide && model.opset_import_size() == 1 &&
           llvm::all_of(graph.node(), [&](const auto &node) { return has(node); });
  }

  void apply() {
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      if (isReduction(node))
        moveAxes(node);
      if (node.op_type() == "AveragePool")
        dropDilations(node);
    }
    model.mutable_opset_import(0)->set_version(olderOpset);
    model.set_ir_version(olderIr);
  }

private:
  bool has(const onnx::NodeProto &node) const {
    if (isReduction(node))
      return !attribute(node, "noop_with_empty_axes") &&
             (node.input_size() < 2 || constants.contains(node.input(1)));
    if (node.op_type() == "AveragePool") {
      const auto *dilations = attribute(node, "dilations");
      return !dilations || llvm::all_of(dilations->ints(), [](int64_t step) { return step == 1; });
    }
    if (node.op_type() == "Resize") {
      const auto *coordinates = attribute(node, "coordinate_transformation_mode");
      return !coordinates || coordinates->s() != "half_pixel_symmetric";
    }
    return isSame(node.op_type());
  }

  // Turns the node's input `axes`, which is a constant, into an attribute, and removes the constant: no other
  // node reads it.
  void moveAxes(onnx::NodeProto &node) {
    if (node.input_size() < 2)
      return;
    const std::string name = node.input(1), &bytes = constants.lookup(name)->raw_data();
    std::vector<int64_t> axes(bytes.size() / sizeof(int64_t));
    std::memcpy(axes.data(), bytes.data(), bytes.size());
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name("axes");
    attribute.set_type(onnx::AttributeProto::INTS);
    attribute.mutable_ints()->Add(axes.begin(), axes.end());
    node.mutable_input()->RemoveLast();
    constants.erase(name);
    auto &all = *graph.mutable_initializer();
    all.erase(llvm::find_if(all, [&](const auto &initialiser) { return initialiser.name() == name; }));
  }

  static void dropDilations(onnx::NodeProto &node) {
    auto &all = *node.mutable_attribute();
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const auto &attribute) { return attribute.name() == "dilations"; }),
              all.end());
  }

  onnx::ModelProto &model;
  onnx::GraphProto &graph;
  llvm::StringMap<const onnx::TensorProto *> constants;
};

} // namespace

void useOlderOpset(onnx::ModelProto &model) {
  if (Older older(model); older.isPossible())
    older.apply();
}

} // namespace tilerig::compiler
