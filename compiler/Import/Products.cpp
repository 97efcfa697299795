#include "compiler/Import/Operators.h"

namespace tilerig {

using namespace graph;
using Value = Result<mlir::Value>;

static Value gemm(const NodeReader &node) {
  CHECK_OK(node.needs(2));
  return node.make<GemmOp>(node.input(0), node.input(1), node.input(2), llvm::APFloat(node.real("alpha", 1)),
                           llvm::APFloat(node.real("beta", 1)), node.integer("transA", 0) != 0,
                           node.integer("transB", 0) != 0);
}

void addProducts(ImporterTable &table) {
  table.emplace("Gemm", one(gemm));
  table.emplace("MatMul", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(2));
                  return node.make<MatMulOp>(node.input(0), node.input(1));
                }));
}

} // namespace tilerig
