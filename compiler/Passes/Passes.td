// The passes of the compiler. Each has its own source file, a test text and a test of its errors.
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

def RemoveNoOps : Pass<"remove-no-ops", "::mlir::func::FuncOp"> {
  let summary = "what changes no element goes";
  let description = [{
    To the bit: adding 0 changes -0, so only adding -0 and subtracting 0 go. A Relu of what is never negative goes as well,
    and one in front of a clip becomes its lower bound.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FoldShifts : Pass<"fold-shifts", "::mlir::func::FuncOp"> {
  let summary = "a constant that is added behind a layer with weights becomes part of its bias";
  let description = [{
    Of convolutions and of products with weights; a product of two matrices becomes a gemm, which has a bias. A product of
    stacks of matrices stays with its addition: as a gemm it would need reshapes around it, and the tensors in between would
    no longer be the model's.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FoldScales : Pass<"fold-scales", "::mlir::func::FuncOp"> {
  let summary = "a constant factor in front of or behind a layer becomes part of its weights";
  let description = [{
    For each input or output of a convolution or a product with constant weights; division by a constant counts. Computed in
    double and rounded once. Weights that would overflow their type stay as they are.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FuseLayerNorm : Pass<"fuse-layer-norm", "::mlir::func::FuncOp"> {
  let summary = "layer normalisation written out becomes one operation";
  let description = [{
    As PyTorch writes it (deviations over their root mean square), with a reciprocal, and as Keras writes it (the input scaled
    and shifted); scale and bias behind it become its own. Nothing is fused whose parts others read.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FuseGroupNorm : Pass<"fuse-group-norm", "::mlir::func::FuncOp"> {
  let summary = "instance normalisation of reshaped groups of channels becomes group normalisation";
  let description = [{
    As PyTorch exports it; a constant scale and bias behind it become its own.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FuseAttention : Pass<"fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "softmax of scaled and masked scores times values becomes attention";
  let description = [{
    Transposed keys become rows of keys. Scales on the scores, on queries and on keys become one number. Scores may be
    masked by a sum, and by a number that is chosen instead: the choice stays one, for only as such is it the same where
    all scores of a row are masked. Batches and heads may be one axis, but for the mask.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def FormGlobalPools : Pass<"form-global-pools", "::mlir::func::FuncOp"> {
  let summary = "what takes in all of an image becomes a global pool";
  let description = [{
    Means and maxima over all spatial axes of two or three, and windows as large as the image.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def UseChannelsLast : Pass<"use-channels-last", "::mlir::func::FuncOp"> {
  let summary = "images are worked on with channels last, between transposes";
  let description = [{
    What works on images takes and gives them as the machine has them, batch, spatial axes, channels; weights stay in the order
    of ONNX. The transposes that this puts in front and behind mostly cancel: see sink-transposes.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def SinkTransposes : Pass<"sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "transposes move down, cancel, and vanish into constants";
  let description = [{
    Where a transpose can be is a matter of which operations work on permuted tensors. Of all ways to choose those, the pass
    takes one with the fewest elements to transpose, and of these one that transposes late: the least cut of a graph whose
    nodes are operations. So the elements that are transposed never become more.
  }];
  let dependentDialects = ["::tilerig::graph::GraphDialect"];
}

def SimplifyGraph : Pass<"simplify-graph", "::mlir::ModuleOp"> {
  let summary = "all of the above, again and again until nothing changes";
  let options = [ListOption<"without", "without", "std::string", "passes to leave out, by their flags">];
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
  let description = [{
    Of those that fold-shifts left: behind stacks of matrices, which have a bias only here, and behind sums of integers.
  }];
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

def FoldConversions : Pass<"fold-conversions", "::mlir::func::FuncOp"> {
  let summary = "what stands between DequantizeLinear and QuantizeLinear is computed with the integers";
  let description = [{
    Of models that are quantised already, whose scales and zero points are kept as they are. Element-wise layers read
    and write integers; what moves elements moves integers; a convolution or product of reals becomes one of integers,
    which is within one unit of it and is what such models mean.
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
