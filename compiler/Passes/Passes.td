// The passes of the compiler. Each pass has its own source file and its own lit tests, which carry its name.
#ifndef TILERIG_PASSES
#define TILERIG_PASSES

include "mlir/Pass/PassBase.td"

// --- On the level `graph` ---

def FoldConstants : Pass<"fold-constants", "::mlir::func::FuncOp"> {
  let summary = "replaces operations on constants by their results";
  let description = [{
    Often removes whole subgraphs: computations of shapes or of tables, and weights that are transposed or scaled before
    use. An operation whose result is larger than all its operands together, such as an expanded mask, is not folded, so
    that no model grows.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldBatchNorm : Pass<"fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "folds batch normalisation into the preceding convolution, or into a multiplication and an addition";
  let description = [{
    If the preceding operation is a convolution or transposed convolution with constant weights, and no other operation
    reads its result, the weights of each output channel are scaled and the bias is adjusted. Otherwise the batch
    normalisation becomes a multiplication and an addition with one constant per channel. The new constants are computed
    in double precision and rounded once.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldPads : Pass<"fold-pads", "::mlir::func::FuncOp"> {
  let summary = "folds a pad operation with zeros into the padding of the convolution that follows it";
  let description = [{
    Some exporters write padding of the kind "same" as a separate pad operation. Padding with -inf before a max pool is
    folded, too.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseSilu : Pass<"fuse-silu", "::mlir::func::FuncOp"> {
  let summary = "replaces x * sigmoid(x) by silu";
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseHardSwish : Pass<"fuse-hard-swish", "::mlir::func::FuncOp"> {
  let summary = "replaces x * hard_sigmoid(x) and x * clip(x + 3, 0, 6) / 6 by hard_swish";
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseGelu : Pass<"fuse-gelu", "::mlir::func::FuncOp"> {
  let summary = "replaces x * (erf(x / sqrt(2)) + 1) / 2, in any order of its operations, by gelu";
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def RemoveNoOps : Pass<"remove-no-ops", "::mlir::func::FuncOp"> {
  let summary = "removes operations that change no element";
  let description = [{
    The results of the model stay the same bit for bit. Adding 0 changes -0 to 0, so only additions of -0 and
    subtractions of 0 are removed. A Relu of values that are never negative is removed as well, and a Relu before a clip
    is merged into the lower bound of the clip.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldShifts : Pass<"fold-shifts", "::mlir::func::FuncOp"> {
  let summary = "folds the addition of a constant into the bias of the preceding layer with weights";
  let description = [{
    Applies to convolutions and to matrix products with weights. A product of two matrices becomes a gemm, which has a
    bias. A batched matrix product (more than two axes) keeps the addition: as a gemm it would need reshapes around it,
    and the tensors between them would not be tensors of the model.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FoldScales : Pass<"fold-scales", "::mlir::func::FuncOp"> {
  let summary = "folds multiplication by a constant, before or after a layer with weights, into the weights";
  let description = [{
    Applies to convolutions and products with constant weights. The constant may have a different factor for each input
    or output channel; a division by a constant is treated alike. The new weights are computed in double precision and
    rounded once. If one of them would overflow its type, nothing is changed.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseLayerNorm : Pass<"fuse-layer-norm", "::mlir::func::FuncOp"> {
  let summary = "replaces a layer normalisation that is written as several operations by one operation";
  let description = [{
    Recognises three forms: that of PyTorch (deviations from the mean, divided by their root mean square), the same with
    multiplication by a reciprocal, and that of Keras (the input is scaled and shifted). A multiplication and an addition
    that follow become the scale and the bias of the new operation. Nothing is fused if other operations read one of the
    intermediate results.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseGroupNorm : Pass<"fuse-group-norm", "::mlir::func::FuncOp"> {
  let summary = "replaces an instance normalisation of channels that are reshaped into groups by a group normalisation";
  let description = [{
    PyTorch exports group normalisation in this form. A multiplication and an addition of constants that follow become
    the scale and the bias of the new operation.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FuseAttention : Pass<"fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "replaces the operations that compute attention (scores, scale, mask, softmax, product) by one operation";
  let description = [{
    A transpose of the keys is removed: the operation takes keys as rows. Scales of the scores, queries and keys are
    combined into one. Scores may be masked by adding a mask, or by selecting a number in place of the score. The
    selection is not rewritten as an addition, because the two differ in rows in which all scores are masked. The axes
    of batches and heads may be merged into one, except in the mask.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def FormGlobalPools : Pass<"form-global-pools", "::mlir::func::FuncOp"> {
  let summary = "replaces reductions and pools over the whole image by global pools";
  let description = [{
    Applies to means and maxima over all spatial axes (two or three), and to pools with a window as large as the image.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def UnrollRecurrences : Pass<"unroll-recurrences", "::mlir::func::FuncOp"> {
  let summary = "replaces recurrent layers (LSTM, GRU, RNN) by products and elementwise operations of each step";
  let description = [{
    One product multiplies the inputs of all steps by the weights. In each step, one product multiplies the hidden state
    by the weights of all gates and of both directions; a GRU that applies its reset gate before the product needs two.
    If the inputs are the states of another recurrent layer, each step multiplies its own input, so that both layers can
    run at the same time, and the operations are sorted so that the steps of both alternate.

    A layer stays as it is if it has more than `max-steps` steps, or sequences of different or unknown lengths.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
  let options = [Option<"maxSteps", "max-steps", "int64_t", "128", "the largest number of steps that is unrolled">];
}

def FlattenVolumes : Pass<"flatten-volumes", "::mlir::func::FuncOp"> {
  let summary = "replaces convolutions and pools of volumes (three spatial axes) by those of images";
  let description = [{
    Images at different depths become elements of the batch. For a convolution, the images that its kernel reads at
    different depths become channels, so that one convolution of images computes the same sums; for a transposed
    convolution, zeros are inserted between the images first. A pool becomes a pool of images and a maximum or mean over
    depths; if its windows reach outside in depth, a pool of images and a pool along the depth. A global pool becomes
    one of a tall image. All of these have channels last, so that the transposes between them cancel in the pass sink-transposes.

    Elementwise operations that follow, once no transpose lies between, are computed on the images, beside the convolution
    into which they can be fused.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def SplitDilations : Pass<"split-dilations", "::mlir::func::FuncOp"> {
  let summary = "splits convolutions whose taps are far apart into convolutions of neighbouring elements";
  let description = [{
    A tile holds all rows and columns that a window spans, also those between its taps. If these are more than
    `most-elements`, every d-th row or column of the image becomes an image of its own, an element of the batch, where d
    is the dilation. The taps are neighbours there. The sums, and the order of their terms, stay the same.

    An axis stays as it is if it has a stride, if the padding in front of it is no multiple of its dilation, or if its
    dilation is more than 256.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
  let options = [Option<"mostElements", "most-elements", "int64_t", "131072",
                        "convolutions are split whose windows span a rectangle of more elements than this, over all channels">];
}

def UseChannelsLast : Pass<"use-channels-last", "::mlir::func::FuncOp"> {
  let summary = "converts operations on images to channels last and inserts the transposes that this requires";
  let description = [{
    Afterwards, operations on images use the machine's order of axes: batch, spatial axes, channels. Weights keep the
    order of ONNX. Most of the transposes that this pass inserts before and after the operations cancel each other in
    the pass sink-transposes.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def SinkTransposes : Pass<"sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "moves transposes down, cancels pairs of them, and folds them into constants";
  let description = [{
    A transpose is needed wherever an operation that works on permuted tensors is next to one that does not. The pass
    chooses the operations that work on permuted tensors such that the number of transposed elements is minimal; among
    equal choices it takes one with late transposes. The choice is a minimum cut of a graph whose nodes are the
    operations. The number of transposed elements therefore never grows.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def SimplifyGraph : Pass<"simplify-graph", "::mlir::ModuleOp"> {
  let summary = "runs the passes that simplify the graph, repeatedly until nothing changes";
  let description = [{
    All passes run once in each round, in an order in which each enables the next; two rounds suffice for most models.

    ```
    tilerig-opt graph.mlir --simplify-graph="without=fold-shifts,fuse-silu"
    ```
  }];
  let options = [ListOption<"without", "without", "std::string", "names of passes that are not run">];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

def WidenFloats : Pass<"widen-floats", "::mlir::ModuleOp"> {
  let summary = "converts float tensors to double tensors (for tests)";
  let description = [{
    In double precision, the results of a model before and after a pass can be compared without the differences that
    constants rounded to float would cause.
  }];
  let dependentDialects = ["::tilerig::compiler::graph::GraphDialect"];
}

// --- From `graph` to `layer` ---

def FormLayers : Pass<"form-layers", "::mlir::func::FuncOp"> {
  let summary = "lowers operations of `graph` to layers of the accelerator, kernels of the host or parts of the framework";
  let description = [{
    The axes of images become batch, rows, columns, channels. Operations for which the machine has no instruction, such as
    transposed convolutions, LRN and norms, are expressed by several layers. An operation that can be expressed neither
    by layers nor by a host kernel becomes a part of the model that the framework, an interpreter of ONNX, runs. If `only`
    excludes the framework, or kernels of the host as well, such an operation is an error, which names the operation.
  }];
  let options = [Option<"only", "only", "std::string", "\"\"",
                        "where operations may run: accelerator (there only); host (on the accelerator, or by kernels of the host); empty: also in the framework">];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect", "::mlir::quant::QuantDialect"];
}

// --- On the level `layer` ---

def FuseBiases : Pass<"fuse-biases", "::mlir::func::FuncOp"> {
  let summary = "folds the addition of one constant per output into the bias of the convolution or product before it";
  let description = [{
    Handles the cases that fold-shifts cannot: batched matrix products, which have no bias on the level `graph`, and sums
    of integers.
  }];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def FuseFunctions : Pass<"fuse-functions", "::mlir::func::FuncOp"> {
  let summary = "fuses a function into the layer that computes its argument";
  let description = [{
    Applies to convolutions, products, element-wise layers, softmax and normalisations whose result no other layer reads.
    In half precision, the argument of the function is no longer rounded, since it is not stored.

    In 8 bits, a product applies a function by a table with 8-bit entries. With `rounds-last`, a product whose result
    leaves the device is therefore not fused with a function that does more than clamp: as a layer of its own, the
    function reads nine bits and rounds its results to nine bits, which are clamped on their way out.
  }];
  let options = [Option<"roundsLast", "rounds-last", "bool", "false",
                        "do not fuse functions whose results leave the device">];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def FuseAddends : Pass<"fuse-addends", "::mlir::func::FuncOp"> {
  let summary = "fuses the addition of a tensor, as in residual networks, into the convolution or product before it";
  let description = [{
    Applies if nothing else reads the result of the product, and if all three tensors have one shape. Product and sum may
    together have one function, which may only clamp. With `any-function`, products of floats may have any function; the
    option is for models of which no layer will be computed in 8 bits. Of two products, the later one takes the other's
    result as its addend, so that neither waits longer than before.

    This pass, fuse-biases and fuse-functions record on a layer why it was not fused (the attribute `layer.not_fused`).
  }];
  let options = [Option<"anyFunction", "any-function", "bool", "false",
                        "let products of floats have any function beside the addend">];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def FoldConversions : Pass<"fold-conversions", "::mlir::func::FuncOp"> {
  let summary = "converts layers between DequantizeLinear and QuantizeLinear to layers on integers";
  let description = [{
    For models that are already quantised; their scales and zero points are kept unchanged. Element-wise layers read and
    write integers, layers that move elements move integers, and convolutions and products multiply integers. The results
    of these products differ from those in floating point by at most one quantisation step; integer arithmetic is what
    such models are meant to run with.
  }];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def PartitionLayers : Pass<"partition-layers", "::mlir::func::FuncOp"> {
  let summary = "groups layers into as few regions as possible, which run in turn on the accelerator and on the host";
  let description = [{
    Annotates each layer with its region. Each region takes every layer that does not depend on a later region, so that
    the accelerator gets few large subgraphs and independent operators of the host are called together.
  }];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def KeepFirstLayers : Pass<"keep-first-layers", "::mlir::func::FuncOp"> {
  let summary = "keeps only the first layers of the network";
  let description = [{
    Outputs of the shorter network are the outputs that are still computed, and the tensors that the removed layers read.
  }];
  let options = [Option<"layers", "layers", "uint64_t", "0", "how many layers to keep">];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def SaveResults : Pass<"save-results", "::mlir::func::FuncOp"> {
  let summary = "makes results of layers outputs of the network, beside their other uses";
  let description = [{
    Every layer and every use of its result stays as it is, so the other outputs keep their bits. Results in another
    floating-point type or in quantised integers are converted to fp32. Fails if a tensor is no result of a layer.
  }];
  let options = [ListOption<"tensors", "tensors", "std::string", "names of tensors of the model; all: every result of a layer that is one">];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def DecidePrecision : Pass<"decide-precision", "::mlir::ModuleOp"> {
  let summary = "assigns a precision to every layer";
  let description = [{
    8-bit precisions need ranges of values: those that the module states (compiler/Layer/Precision/StatedRanges.h), those of a
    calibration table, or those that `tilerig reference` computes on the samples. A layer for which 8 bits are impossible gets fp32. The precision, and the reason if it is not that of the
    plan, become the attribute `layer.precision`.

    ```
    tilerig-opt layers.mlir --decide-precision="precision=int8 calibration=table.json"
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"fp32\"", "fp32, fp16, bf16, int8, uint8, or a precision file (.json)">,
    Option<"calibration", "calibration", "std::string", "\"\"", "calibration samples (.npz), or a calibration table (.json)">,
  ];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def QuantiseEdges : Pass<"quantise-edges", "::mlir::func::FuncOp"> {
  let summary = "lets the host convert between floats and 8-bit integers at inputs and outputs of the network";
  let description = [{
    Float inputs and outputs for which a type is given become integers of that type. Other outputs stay floats for users,
    but leave the machine as 8-bit integers if the last layers compute such integers.
  }];
  let options = [
    Option<"inputs", "inputs", "std::string", "\"\"", "int8 or uint8; empty: inputs keep their types">,
    Option<"outputs", "outputs", "std::string", "\"\"", "int8 or uint8; empty: outputs keep their types">,
  ];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

def PlaceLayers : Pass<"place-layers", "::mlir::func::FuncOp"> {
  let summary = "takes the final decision whether each layer runs on the host or on the accelerator";
  let description = [{
    As the strategy file asks, else where the network is faster. Layers that have moved are ordered in regions again.
    The precision must be decided.
  }];
  let options = [
    Option<"machineName", "machine", "std::string", "\"tr64\"",
           "name of the machine, or path of its description">,
    Option<"strategyPath", "strategy", "std::string", "\"\"", "path of a strategy file; empty: none">,
  ];
  let dependentDialects = ["::tilerig::compiler::layer::LayerDialect"];
}

// --- From `layer` to `tile`, and from `tile` to `isa` ---

def LowerToTile : Pass<"lower-to-tile", "::mlir::ModuleOp"> {
  let summary = "plans and orders the layers of a network on the tiles of a machine, as tasks over buffers";
  let description = [{
    Precisions and places of the layers must be decided. The plan is proved free of races before it becomes text.

    ```
    tilerig-opt layers.mlir --lower-to-tile="machine=tr16 tiles=4" --lower-to-isa
    ```
  }];
  let options = [
    Option<"machineName", "machine", "std::string", "\"tr64\"",
           "name of the machine, or path of its description">,
    Option<"tiles", "tiles", "unsigned", "0", "number of tiles to use; 0: all tiles of the machine">,
    Option<"strategyPath", "strategy", "std::string", "\"\"", "path of a strategy file; empty: none">,
    Option<"networkName", "name", "std::string", "\"\"", "name of the network; empty: that of the module">,
  ];
  let dependentDialects = ["::tilerig::compiler::isa::IsaDialect", "::tilerig::compiler::tile::TileDialect"];
}

def LowerToIsa : Pass<"lower-to-isa", "::mlir::ModuleOp"> {
  let summary = "converts the tasks of all tiles to the instructions of each tile";
  let description = [{
    Assigns semaphores and counts to signals, waits and syncs. Buffers are removed.
  }];
  let dependentDialects = ["::tilerig::compiler::isa::IsaDialect"];
}

#endif // TILERIG_PASSES
