// The passes of the compiler. Each has its own source file, a test text and a test of its errors.
#ifndef TILERIG_PASSES
#define TILERIG_PASSES

include "mlir/Pass/PassBase.td"

// --- On the level `graph` ---

def FoldConstants : Pass<"fold-constants", "::mlir::func::FuncOp"> {
  let summary = "operations on constants become constants";
  let description = [{
    Removes whole subgraphs: tables that exporters compute, shapes, weights that are transposed or scaled first. A result
    that would be larger than all its operands together, such as an expanded mask, is not folded, so that no model grows.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldBatchNorm : Pass<"fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "batch normalisation becomes part of the convolution before it, or a scale and a shift";
  let description = [{
    After a convolution, or transposed convolution, with constant weights and a result that no other operation reads, the
    weights of each output are scaled and the bias is shifted. Elsewhere it becomes a multiplication and an addition of
    one constant for each channel. Computed in double and rounded once.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldPads : Pass<"fold-pads", "::mlir::func::FuncOp"> {
  let summary = "a pad operation with zeros becomes padding of the convolution that follows it";
  let description = [{
    Exporters of other frameworks write "same" padding in this way. Padding with -inf before a max pool is folded, too.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseSilu : Pass<"fuse-silu", "::mlir::func::FuncOp"> {
  let summary = "x * sigmoid(x) becomes silu";
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseHardSwish : Pass<"fuse-hard-swish", "::mlir::func::FuncOp"> {
  let summary = "x * hard_sigmoid(x), and x * clip(x + 3, 0, 6) / 6, become hard_swish";
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseGelu : Pass<"fuse-gelu", "::mlir::func::FuncOp"> {
  let summary = "x * (erf(x / sqrt(2)) + 1) / 2, in any order of its operations, becomes gelu";
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def RemoveNoOps : Pass<"remove-no-ops", "::mlir::func::FuncOp"> {
  let summary = "removes operations that change no element";
  let description = [{
    Exact to the bit: adding 0 changes -0, so only adding -0 and subtracting 0 are removed. A Relu of values that are never
    negative is removed as well, and a Relu before a clip becomes its lower bound.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldShifts : Pass<"fold-shifts", "::mlir::func::FuncOp"> {
  let summary = "a constant that is added to the result of a layer with weights becomes part of its bias";
  let description = [{
    Applies to convolutions and to products with weights; a product of two matrices becomes a gemm, which has a bias. A
    product of stacks of matrices keeps its addition: as a gemm it would need reshapes around it, and the tensors in between
    would no longer be those of the model.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldScales : Pass<"fold-scales", "::mlir::func::FuncOp"> {
  let summary = "a constant factor before or after a layer becomes part of its weights";
  let description = [{
    The factor may differ for each input or output of a convolution or a product with constant weights; a division by a
    constant is treated alike. Computed in double and rounded once. Weights that would overflow their type are not changed.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseLayerNorm : Pass<"fuse-layer-norm", "::mlir::func::FuncOp"> {
  let summary = "a layer normalisation written as several operations becomes one operation";
  let description = [{
    Recognises the forms of PyTorch (deviations over their root mean square), with a reciprocal, and of Keras (the input
    scaled and shifted); a scale and a bias after it become its own. Not fused if other operations read its inner results.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseGroupNorm : Pass<"fuse-group-norm", "::mlir::func::FuncOp"> {
  let summary = "instance normalisation of reshaped groups of channels becomes group normalisation";
  let description = [{
    This is the form that PyTorch exports; a constant scale and bias after it become its own.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseAttention : Pass<"fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "the product of values and a softmax of scaled and masked scores becomes attention";
  let description = [{
    Transposed keys become rows of keys. Scales of the scores, queries and keys become one number. Scores may be masked by
    an addition, or by a selection of a number instead of the score: the selection is kept, because an addition would give
    another result where all scores of a row are masked. Batches and heads may be one axis, except in the mask.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FormGlobalPools : Pass<"form-global-pools", "::mlir::func::FuncOp"> {
  let summary = "a reduction or pool over the whole image becomes a global pool";
  let description = [{
    Applies to means and maxima over all spatial axes, two or three, and to windows as large as the image.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def UseChannelsLast : Pass<"use-channels-last", "::mlir::func::FuncOp"> {
  let summary = "operations on images use channels last, between transposes";
  let description = [{
    Operations on images read and write them in the machine's order of axes: batch, spatial axes, channels. Weights stay in
    the order of ONNX. The transposes that this pass adds before and after them mostly cancel: see sink-transposes.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def SinkTransposes : Pass<"sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "moves transposes down, cancels pairs of them, and folds them into constants";
  let description = [{
    The places of transposes follow from the choice of operations that work on permuted tensors. The pass makes the choice
    with the fewest transposed elements, and among equal ones one that transposes late: a minimum cut of a graph whose nodes
    are operations. So the number of transposed elements never grows.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def SimplifyGraph : Pass<"simplify-graph", "::mlir::ModuleOp"> {
  let summary = "runs all passes above repeatedly until nothing changes";
  let options = [ListOption<"without", "without", "std::string", "passes to leave out, by their flags">];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def WidenFloats : Pass<"widen-floats", "::mlir::ModuleOp"> {
  let summary = "float tensors become double tensors";
  let description = [{
    For tests: the results are then exact enough to show whether passes keep the meaning of a model, without the noise of
    constants that are rounded to float.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

// --- From `graph` to `layer` ---

def FormLayers : Pass<"form-layers", "::mlir::func::FuncOp"> {
  let summary = "operations become layers of the accelerator, or operators of the host";
  let description = [{
    Images become batch, rows, columns, channels. Transposed convolutions, LRN, norms and other operations without an
    instruction are written with those that have one. An operation with neither a layer nor a host kernel is refused by name.
  }];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect", "::mlir::quant::QuantDialect"];
}

// --- On the level `layer` ---

def FuseBiases : Pass<"fuse-biases", "::mlir::func::FuncOp"> {
  let summary = "a constant per output, added to a convolution or a product with weights, becomes its bias";
  let description = [{
    Applies where fold-shifts does not: to stacks of matrices, which have a bias only on this level, and to sums of integers.
  }];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def FuseFunctions : Pass<"fuse-functions", "::mlir::func::FuncOp"> {
  let summary = "a function becomes part of the layer whose result it takes";
  let description = [{
    Applies to convolutions, products, element-wise layers, softmax and normalisations whose result no other layer reads. In
    half precision the value between the two is then not rounded.
  }];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def FuseAddends : Pass<"fuse-addends", "::mlir::func::FuncOp"> {
  let summary = "a tensor added to a convolution or product, as residual networks do, becomes its addend";
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def FoldConversions : Pass<"fold-conversions", "::mlir::func::FuncOp"> {
  let summary = "operations between DequantizeLinear and QuantizeLinear are computed on the integers";
  let description = [{
    For quantised models, whose scales and zero points are kept unchanged. Element-wise layers read and write integers;
    layers that move elements move integers; a convolution or product of reals becomes one of integers, whose result is
    within one unit and is the intended meaning of such models.
  }];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def DecidePrecision : Pass<"decide-precision", "::mlir::ModuleOp"> {
  let summary = "assigns a precision to every layer";
  let options = [
    Option<"precision", "precision", "std::string", "\"fp32\"", "fp32, fp16, bf16, int8, uint8, or a precision file (.json)">,
    Option<"calibration", "calibration", "std::string", "\"\"", "calibration samples (.npz), or a calibration table (.json)">,
  ];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

#endif // TILERIG_PASSES
