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

def FoldPads : Pass<"fold-pads", "::mlir::func::FuncOp"> {
  let summary = "padding with zeros becomes that of the convolution behind it";
  let description = [{
    As exporters of other frameworks write "same" padding. Padding with -inf likewise becomes that of a maximum.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FuseSilu : Pass<"fuse-silu", "::mlir::func::FuncOp"> {
  let summary = "x * sigmoid(x) becomes silu";
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FuseHardSwish : Pass<"fuse-hard-swish", "::mlir::func::FuncOp"> {
  let summary = "x * hard_sigmoid(x), and x * clip(x + 3, 0, 6) / 6, become hard_swish";
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FuseGelu : Pass<"fuse-gelu", "::mlir::func::FuncOp"> {
  let summary = "x * (erf(x / sqrt(2)) + 1) / 2, in whatever order it is written, becomes gelu";
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

// --- From `graph` to `layer` ---

def FormLayers : Pass<"form-layers", "::mlir::func::FuncOp"> {
  let summary = "operations become layers of the accelerator, or operators of the host";
  let description = [{
    Images become batch, rows, columns, channels; transposed convolutions, LRN, norms and what else the machine has
    no instruction for become what it has. What has neither a layer nor a kernel of the host is refused by name.
  }];
  let dependentDialects = ["::tilerig::layer::LayerDialect", "::mlir::quant::QuantDialect"];
}

// --- On the level `layer` ---

def FuseBiases : Pass<"fuse-biases", "::mlir::func::FuncOp"> {
  let summary = "a constant for each output, added behind a convolution or a product with weights, becomes its bias";
  let dependentDialects = ["::tilerig::layer::LayerDialect"];
}

def FuseFunctions : Pass<"fuse-functions", "::mlir::func::FuncOp"> {
  let summary = "a function becomes part of the layer whose result it takes";
  let description = [{
    Of convolutions, products, element-wise layers, softmax and normalisations whose result nobody else reads. In half
    precision the value between the two is then not rounded.
  }];
  let dependentDialects = ["::tilerig::layer::LayerDialect"];
}

def FuseAddends : Pass<"fuse-addends", "::mlir::func::FuncOp"> {
  let summary = "a tensor added to a convolution or product, as residual networks do, becomes its addend";
  let dependentDialects = ["::tilerig::layer::LayerDialect"];
}

def PartitionLayers : Pass<"partition-layers", "::mlir::func::FuncOp"> {
  let summary = "layers are put in the order of few regions, accelerator and host in turns, and say which is theirs";
  let description = [{
    Every region takes all that waits for no later one, so that the accelerator gets few large subgraphs and host
    operators side by side are called together.
  }];
  let dependentDialects = ["::tilerig::layer::LayerDialect"];
}

def DecidePrecision : Pass<"decide-precision", "::mlir::ModuleOp"> {
  let summary = "every layer gets the precision that a plan gives it";
  let options = [
    Option<"precision", "precision", "std::string", "\"fp32\"", "fp32, fp16, bf16, int8, uint8, or a file">,
    Option<"calibration", "calibration", "std::string", "\"\"", "samples, or the table of a calibration (.json)">,
  ];
  let dependentDialects = ["::tilerig::layer::LayerDialect"];
}

#endif // TILERIG_PASSES
