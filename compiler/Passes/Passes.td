// The passes of the compiler: name, flag, and what each is for. A file, a text and an error twin for each.
#ifndef TILERIG_PASSES
#define TILERIG_PASSES

include "mlir/Pass/PassBase.td"

// --- On the level `graph` ---

def FoldConstants : Pass<"fold-constants", "::mlir::func::FuncOp"> {
  let summary = "operations on constants become constants";
  let description = [{
    Whole subgraphs vanish: tables that exporters compute, shapes, weights that are transposed or scaled first. What
    would be larger than all that it is made of, an expanded mask for example, stays, so that no model grows.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FoldBatchNorm : Pass<"fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "batch normalisation becomes part of the convolution before it, or a scale and a shift";
  let description = [{
    After a convolution, or transposed convolution, whose weights are constants and whose result nobody else reads, the
    weights of each output are scaled and the bias is shifted. Elsewhere it becomes a multiplication and an addition of
    one constant for each channel. Computed in double and rounded once.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def WidenFloats : Pass<"widen-floats", "::mlir::ModuleOp"> {
  let summary = "float tensors become double ones";
  let description = [{
    For tests: what passes compute is then exact enough to see whether they keep the meaning of a model, without the
    noise of rounding constants to float.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

#endif // TILERIG_PASSES
