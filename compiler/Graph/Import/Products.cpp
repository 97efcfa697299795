#include "compiler/Graph/Import/Operators.h"

namespace tilerig::compiler {

using namespace graph;
using Value = Result<mlir::Value>;

static Value gemm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(node.opset() < 11 ? 3 : 2, 3));
  return node.make<GemmOp>(node.input(0), node.input(1), node.input(2), llvm::APFloat(node.real("alpha", 1)),
                           llvm::APFloat(node.real("beta", 1)), node.integer("transA", 0) != 0,
                           node.integer("transB", 0) != 0);
}

// The result term of an einsum equation that states none: the ellipsis, then the letters that occur once, in
// alphabetical order.
static std::string impliedResult(llvm::StringRef terms) {
  std::string result = terms.contains("...") ? "..." : "";
  for (const auto &[first, last] : {std::pair{'A', 'Z'}, std::pair{'a', 'z'}})
    for (char letter = first; letter <= last; ++letter)
      if (terms.count(letter) == 1)
        result += letter;
  return result;
}

static Value einsum(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(std::max<size_t>(1, node.inputs().size())));
  std::string equation = node.text("equation", "");
  llvm::erase(equation, ' ');
  if (!llvm::StringRef(equation).contains("->"))
    equation += "->" + impliedResult(equation);
  return node.make<EinsumOp>(mlir::ValueRange(node.inputs()), equation);
}

void addProducts(ImporterTable &table) {
  table.emplace("Einsum", one(einsum));
  table.emplace("Gemm", one(gemm));
  table.emplace("MatMul", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(2));
                  return node.make<MatMulOp>(node.input(0), node.input(1));
                }));
}

} // namespace tilerig::compiler
