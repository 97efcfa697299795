#include "isa/Bugs/Catalogue.h"

#include <algorithm>

namespace tilerig {

namespace {

using enum BugClass;
using Words = std::string_view;

constexpr BugStage graph = BugStage::graph, layer = BugStage::layer;
constexpr BugStage operations = BugStage::operations, plan = BugStage::plan, tasks = BugStage::tasks,
                   binary = BugStage::binary;

// --- Layers ---

constexpr Words convs[] = {"Conv"};
constexpr Words windows[] = {"Conv", "MaxPool", "AveragePool", "AverageWithPaddingPool"};
constexpr Words padded[] = {"Conv", "MaxPool", "AveragePool", "AverageWithPaddingPool", "Pad"};
constexpr Words products[] = {"Conv", "MatMul"};
constexpr Words images[] = {"Conv", "MaxPool", "AveragePool", "AverageWithPaddingPool",
                            "Add",  "Mul",     "Activation",  "Resize"};
constexpr Words functions[] = {"Conv", "MatMul", "Activation", "Add", "Sub", "Mul", "Div"};
constexpr Words quantisers[] = {"Conv", "MatMul", "Add", "Sub", "Mul", "Div"};

constexpr Words sides[] = {"top", "left", "bottom", "right"};
constexpr Words imageAxes[] = {"rows", "columns"};
constexpr Words flips[] = {"rows", "columns", "both"};
constexpr Words bounds[] = {"low", "high"};
constexpr Words wrongFunctions[] = {"relu", "leaky_relu", "abs", "neg", "sigmoid", "tanh"};
constexpr Words roundings[] = {"half_away", "toward_zero", "down"};

// --- Parameters ---

// limit for indices that exceeds the number of outputs, transfers or steps of any layer
constexpr int64_t many = 1 << 20;

constexpr BugParameter padAmount[] = {
    {.name = "side", .meaning = "side of the image at which values are lost", .words = sides},
    {"amount", "rows or columns of the image that are treated as padding", 1, 2},
};
constexpr BugParameter padSide[] = {
    {.name = "axis", .meaning = "axis of the image along which padding is moved", .words = imageAxes},
    {"amount", "rows or columns of padding moved from the front to the back; negative: from back to front",
     -3, 3},
};
constexpr BugParameter padValue[] = {
    {"value",
     "value of the padding: for integers, its distance from the zero point; for floats, the value itself",
     -100, 100},
};
constexpr BugParameter epsilonPower[] = {{"power", "power of ten by which epsilon is wrong", -3, 3}};
constexpr Words foldedTypes[] = {"fp16", "bf16", "int32"};
constexpr BugParameter foldedType[] = {
    {.name = "type", .meaning = "type in which the operation is computed", .words = foldedTypes}};
constexpr BugParameter outputsOff[] = {
    {"by", "number of outputs (channels) by which the values are shifted", 1, many}};
constexpr BugParameter powerOfTwo[] = {
    {"power", "exponent of the power of two by which scales or biases are wrong", -6, 6}};
constexpr BugParameter missingOutputs[] = {
    {"outputs", "number of affected outputs (channels), counted from the last one", 1, many}};
constexpr BugParameter firstOutputs[] = {
    {"outputs", "number of affected outputs (channels), counted from the first one", 1, many}};
constexpr BugParameter swappedOutputs[] = {
    {"first", "index, from 0, of one of the two swapped outputs (channels)", 0, many},
    {"second", "index, from 0, of the second of the two swapped outputs (channels)", 0, many},
};
constexpr BugParameter swappedBlocks[] = {
    {"first", "index, from 0, of one of the two swapped blocks of 16 outputs (channels)", 0, many},
    {"second", "index, from 0, of the second of the two swapped blocks of 16 outputs (channels)", 0, many},
};
constexpr BugParameter shiftedElements[] = {
    {"elements", "number of elements by which the address or row length is wrong", -64, 64}};
constexpr BugParameter flipped[] = {
    {.name = "axes", .meaning = "axes of the kernel that are mirrored", .words = flips}};
constexpr BugParameter clipBound[] = {
    {.name = "bound",
     .meaning = "which bound of the range to which results are clipped is wrong: the lower or the upper one",
     .words = bounds},
    {"percent", "percentage of the range of values that the wrong bound cuts off", 5, 90},
};
constexpr BugParameter wrongFunction[] = {{.name = "function",
                                           .meaning = "function that is applied in place of the right one",
                                           .words = wrongFunctions}};
constexpr BugParameter zeroPointOff[] = {
    {"by", "quantisation steps by which the zero point is wrong", -64, 64}};
constexpr BugParameter roundingMode[] = {
    {.name = "mode", .meaning = "rounding mode in place of half_even", .words = roundings}};
constexpr BugParameter lostDepth[] = {
    {"products", "number of products at the end of each sum that are lost", 1, many}};
constexpr BugParameter onTile[] = {{"tile", "number of the affected tile", 0, 63}};
constexpr BugParameter oneTransfer[] = {
    {"transfer", "index, from 0, of the affected transfer among the layer's transfers", 0, many}};
constexpr BugParameter shiftedTransfer[] = {
    {"transfer", "index, from 0, of the affected transfer among the layer's transfers", 0, many},
    {"rows", "number of rows by which the address of the transfer is shifted", -2, 2},
};
constexpr BugParameter shortTransfer[] = {
    {"transfer", "index, from 0, of the affected transfer among the layer's transfers", 0, many},
    {"steps", "number of steps of the transfer's outermost dimension that are left out", 1, many},
};
constexpr BugParameter shiftedPart[] = {
    {"rows", "number of image rows by which the input of the last tile is shifted", -2, 2}};
constexpr BugParameter windowAxis[] = {
    {.name = "axis", .meaning = "axis of the image along which the distance is wrong", .words = imageAxes},
    {"by", "rows or columns by which the distance between windows or taps is wrong", -2, 2},
};
constexpr BugParameter overlap[] = {
    {"other",
     "index, from 0, of the overlapping buffer among the buffers that are written while the result is live",
     0, many},
    {"rows", "number of rows of 64 bytes that the result shares with the other buffer", 1, many},
};
constexpr BugParameter oneSync[] = {
    {"index",
     "index, from 0, of the affected instruction among those of the layer in which the bug is possible", 0,
     many}};
constexpr BugParameter tableEntry[] = {
    {"entry", "index of the wrong entry in the lookup table of 256 entries", 0, 255},
    {"by", "quantisation steps by which the entry of the lookup table is wrong", -127, 127},
};
constexpr BugParameter tableSegment[] = {
    {"first", "index of the first wrong entry of the lookup table", 0, 255},
    {"length", "number of consecutive wrong entries of the lookup table", 2, 128},
};
constexpr BugParameter stuckBit[] = {
    {"tile", "number of the tile whose POD (matrix engine) is broken", 0, 63},
    {"position",
     "row of the broken lane in the array of lanes; lanes of a row compute the same output positions", 0, 15},
    {"output", "column of the broken lane in the array of lanes; lanes of a column compute the same channels",
     0, 15},
    {"bit", "index of the stuck bit in a 32-bit accumulator", 0, 31},
    {"value", "value at which the bit is stuck", 0, 1},
};
constexpr BugParameter deadLane[] = {
    {"tile", "number of the tile whose POD (matrix engine) is broken", 0, 63},
    {"position",
     "row of the broken lane in the array of lanes; lanes of a row compute the same output positions", 0, 15},
    {"output", "column of the broken lane in the array of lanes; lanes of a column compute the same channels",
     0, 15},
};
constexpr BugParameter narrowSums[] = {
    {"tile", "number of the tile whose POD (matrix engine) is broken", 0, 63},
    {"bits", "number of low bits of an accumulator that still work", 8, 24},
};
constexpr BugParameter flippedBit[] = {
    {"transfer", "index, from 0, of the affected transfer among the layer's transfers from DDR", 0, many},
    {"byte", "index of the affected byte in the data of the transfer", 0, int64_t{1} << 40},
    {"bit", "index of the affected bit in the byte", 0, 7},
};
constexpr BugParameter delayed[] = {
    {"transfer", "index, from 0, of the affected transfer among the layer's transfers", 0, many},
    {"cycles", "cycles by which the first byte of the transfer is late", 100, 1'000'000},
};
constexpr BugParameter misrouted[] = {
    {"transfer", "index, from 0, of the affected transfer among the layer's transfers to other tiles", 0,
     many},
    {"actual", "number of the wrong tile that receives the data", 0, 63},
};

constexpr Bug bugs[] = {
    {"none", noError, BugStage::none, "nowhere", "no bug: a correct program"},

    {"pad-amount", padding, tasks, "convolution lowering",
     "values at the border of the image are treated as padding", windows, BugTypes::all, padAmount},
    {"pad-side", padding, operations, "convolution lowering",
     "padding before the first row or column is moved behind the last one, or the reverse", windows,
     BugTypes::all, padSide},
    {"pad-value", padding, operations, "fill constant",
     "padding is filled with a value that is not the zero point", padded, BugTypes::all, padValue},

    {"bias-missing", biasLoading, operations, "bias section", "no bias is added", products},
    {"bias-shifted", biasLoading, operations, "bias DMA", "outputs get the biases of other outputs", products,
     BugTypes::all, outputsOff},
    {"bias-stale", biasLoading, operations, "bias DMA", "the biases of the previous layer are used",
     products},
    {"bias-scale", biasLoading, operations, "bias section", "the bias has another scale than the sums",
     products, BugTypes::all, powerOfTwo},
    {"bias-broadcast", biasLoading, operations, "bias section", "the first bias is used for all outputs",
     products},
    {"bias-short", biasLoading, operations, "bias DMA", "the last biases are not loaded", products,
     BugTypes::all, missingOutputs},

    {"weights-rows-swapped", coefficientLoading, operations, "weight packing",
     "the weights of two outputs are swapped", products, BugTypes::all, swappedOutputs},
    {"weights-blocks-swapped", coefficientLoading, operations, "weight DMA descriptor",
     "the weights of two blocks of outputs are swapped", products, BugTypes::all, swappedBlocks},
    {"weights-stale", coefficientLoading, operations, "weight bank",
     "a weight bank still holds the weights of the previous layer", products, BugTypes::all, firstOutputs},
    {"weights-short", coefficientLoading, operations, "weight DMA descriptor",
     "the last weights are not loaded", products, BugTypes::all, missingOutputs},
    {"weights-shifted", coefficientLoading, operations, "weight DMA descriptor",
     "weights are taken from a shifted address", products, BugTypes::all, shiftedElements},
    {"weights-wrong-tile", coefficientLoading, tasks, "weight DMA descriptor",
     "a tile gets the weights of another tile", products, BugTypes::all, onTile},

    {"weights-order", orientation, operations, "weight packing",
     "weights keep the order of the file, channels before kernel", convs},
    {"weights-flipped", orientation, operations, "weight packing", "the kernel is mirrored", convs,
     BugTypes::all, flipped},
    {"weights-transposed", orientation, operations, "weight packing",
     "rows and columns of the kernel or matrix are swapped", products},
    {"output-transposed", orientation, operations, "layout pass",
     "rows and columns of the result are swapped", images},
    {"output-channels-first", orientation, operations, "layout pass",
     "the result is written channel by channel", images},

    {"clip-missing",
     clipping,
     tasks,
     "DMA flag",
     "9-bit values lose their highest bit on the way to DDR",
     {},
     BugTypes::eightBits},
    {"clip-bound", clipping, tasks, "activation constant",
     "a bound to which results are clipped is too narrow", functions, BugTypes::all, clipBound},

    {"activation-dropped", instructionCalls, tasks, "fusion pass",
     "the activation function that follows the sum is not applied", functions},
    {"activation-wrong", instructionCalls, operations, "instruction field",
     "a wrong activation function is applied", functions, BugTypes::all, wrongFunction},
    {"activation-order", instructionCalls, operations, "fusion pass",
     "the activation function is applied before the addend is added instead of after, or the reverse",
     products},

    {"input-type", quantisationType, tasks, "type field",
     "signed inputs are read as unsigned, or the reverse", products, BugTypes::eightBits},
    {"weights-type", quantisationType, tasks, "type field",
     "signed weights are read as unsigned, or the reverse", products, BugTypes::eightBits},
    {"input-zero-point", quantisationType, tasks, "requantisation",
     "a wrong zero point is subtracted from inputs", quantisers, BugTypes::eightBits, zeroPointOff},
    {"output-zero-point", quantisationType, tasks, "requantisation", "a wrong zero point is added to results",
     quantisers, BugTypes::eightBits, zeroPointOff},

    {"scale-power", scaling, operations, "requantisation", "scales are off by a power of two", quantisers,
     BugTypes::eightBits, powerOfTwo},
    {"scale-shifted", scaling, operations, "requantisation", "outputs get the scales of other outputs",
     products, BugTypes::eightBits, outputsOff},
    {"scale-broadcast", scaling, operations, "requantisation", "the first scale is used for all outputs",
     products, BugTypes::eightBits},

    {"wrap", overflow, tasks, "requantisation", "results wrap around instead of saturating", quantisers,
     BugTypes::eightBits},

    {"accumulator-narrow", overflow, BugStage::hardware, "POD", "sums are kept in too few bits", products,
     BugTypes::eightBits, narrowSums},

    {"rounding-mode", rounding, tasks, "requantisation", "results are rounded in a wrong mode", quantisers,
     BugTypes::eightBits, roundingMode},

    {"depth-tail-lost", splitting, tasks, "tiling", "the last products of each sum are left out", products,
     BugTypes::all, lostDepth},
    {"partial-lost", splitting, tasks, "tiling", "a sum that is computed in parts loses its earlier parts",
     products, BugTypes::all, onTile},
    {"partial-doubled", splitting, tasks, "tiling", "a part of a sum is added twice", products, BugTypes::all,
     onTile},
    {"part-copied-twice",
     splitting,
     tasks,
     "communication primitive",
     "a transfer sends the data of an earlier transfer again",
     {},
     BugTypes::all,
     oneTransfer},
    {"last-part-shifted", splitting, tasks, "tiling",
     "the last tile reads its part of the input shifted, as if the parts of all tiles had equal size",
     windows, BugTypes::all, shiftedPart},
    {"halo-shifted",
     splitting,
     tasks,
     "communication primitive",
     "rows from a neighbouring tile are read from a shifted address",
     {},
     BugTypes::all,
     shiftedTransfer},
    {"halo-lost",
     splitting,
     tasks,
     "communication primitive",
     "rows that a neighbouring tile needs are not sent",
     {},
     BugTypes::all,
     oneTransfer},

    {"stride-wrong", dataAccess, tasks, "address generator",
     "windows (of a convolution or pooling) are too far apart or too close together", windows, BugTypes::all,
     windowAxis},
    {"dilation-wrong", dataAccess, tasks, "address generator",
     "the taps of a window are too far apart or too close together", convs, BugTypes::all, windowAxis},
    {"base-shifted", dataAccess, tasks, "address generator", "the input is read from a shifted address",
     functions, BugTypes::all, shiftedElements},
    {"pitch-wrong", dataAccess, tasks, "address generator",
     "rows of the input are assumed to be longer or shorter than they are", functions, BugTypes::all,
     shiftedElements},

    {"dma-short",
     memoryMapping,
     tasks,
     "DMA descriptor",
     "a load from DDR ends too early",
     {},
     BugTypes::all,
     shortTransfer},
    {"dma-wrong-source",
     memoryMapping,
     tasks,
     "DMA descriptor",
     "a load from DDR reads the data beside its source",
     {},
     BugTypes::all,
     oneTransfer},
    {"store-wrong-tensor",
     memoryMapping,
     tasks,
     "DMA descriptor",
     "a result is stored over another tensor",
     {},
     BugTypes::all,
     oneTransfer},

    {"buffers-overlap",
     memoryAllocation,
     plan,
     "memory plan",
     "two tensors that are live at the same time share bytes",
     {},
     BugTypes::all,
     overlap},

    {"wait-deleted",
     synchronisation,
     binary,
     "sync insertion",
     "an engine does not wait for a semaphore",
     {},
     BugTypes::all,
     oneSync},
    {"wait-late",
     synchronisation,
     binary,
     "sync insertion",
     "an engine waits for a semaphore only after the instruction that needs the wait",
     {},
     BugTypes::all,
     oneSync},
    {"wait-phase",
     synchronisation,
     binary,
     "sync insertion",
     "an engine waits for too low a semaphore value, so it uses a double buffer one phase too early",
     {},
     BugTypes::all,
     oneSync},
    {"wait-semaphore",
     synchronisation,
     binary,
     "sync insertion",
     "an engine waits for the wrong semaphore",
     {},
     BugTypes::all,
     oneSync},
    {"signal-deleted",
     synchronisation,
     binary,
     "sync insertion",
     "an engine does not signal a semaphore",
     {},
     BugTypes::all,
     oneSync,
     false},
    {"signal-early",
     synchronisation,
     binary,
     "sync insertion",
     "an engine signals before its work is done",
     {},
     BugTypes::all,
     oneSync},
    {"sync-deleted",
     synchronisation,
     binary,
     "sync insertion",
     "an engine does not wait for another engine of its tile",
     {},
     BugTypes::all,
     oneSync},

    {"instructions-swapped",
     serialisation,
     binary,
     "instruction order",
     "two instructions of an engine are swapped",
     {},
     BugTypes::all,
     oneSync},

    {"table-entry", table, operations, "table section", "one entry of a lookup table is wrong", functions,
     BugTypes::eightBits, tableEntry},
    {"table-segment", table, operations, "table section",
     "a segment of a lookup table holds the entries of the segment before it", functions, BugTypes::eightBits,
     tableSegment},

    {"stuck-bit", hardware, BugStage::hardware, "POD",
     "a bit of the accumulators in one lane of a POD (matrix engine) is stuck at 0 or 1", products,
     BugTypes::all, stuckBit},
    {"dead-lane", hardware, BugStage::hardware, "POD",
     "the results of one lane of a POD (matrix engine) are zero", products, BugTypes::all, deadLane},
    {"dead-tile",
     hardware,
     BugStage::hardware,
     "tile",
     "a tile writes zeros in place of all its results",
     {},
     BugTypes::all,
     onTile},
    {"flipped-bit", hardware, BugStage::hardware, "DDR", "a bit of a constant in DDR is flipped", products,
     BugTypes::all, flippedBit},
    {"lost-signal",
     hardware,
     BugStage::hardware,
     "semaphore",
     "a signal to a semaphore does not arrive",
     {},
     BugTypes::all,
     oneSync,
     false},
    {"delayed-dma",
     hardware,
     BugStage::hardware,
     "DMA engine",
     "a transfer is late; correctly synchronised programs are not affected",
     {},
     BugTypes::all,
     delayed,
     false},
    {"wrong-destination",
     hardware,
     BugStage::hardware,
     "router",
     "a transfer arrives at the wrong tile",
     {},
     BugTypes::all,
     misrouted},
    // Bugs of compiler passes. Each imitates a bug that a public compiler had.
    {"fold-epsilon",
     rewrite,
     graph,
     "pass fold-batch-norm",
     "a batch normalisation is folded into weights with a wrong epsilon",
     {},
     BugTypes::all,
     epsilonPower},
    {"fold-shift-sign", rewrite, graph, "pass fold-batch-norm",
     "the bias of a batch normalisation is subtracted instead of added"},
    {"fold-broadcast-axis", rewrite, graph, "pass fold-batch-norm",
     "factors that belong to output channels are applied to input channels"},
    {"operands-exchanged", rewrite, layer, "passes sink-transposes and form-layers",
     "the operands of a subtraction, division or power are exchanged"},
    {"permutation-inverse", rewrite, layer, "passes that create transposes",
     "elements are permuted by the inverse of the permutation"},
    {"concat-order", rewrite, layer, "passes sink-transposes and form-layers",
     "two tensors are joined in the wrong order"},
    {"softmax-axis", rewrite, layer, "pass form-layers",
     "a softmax runs along the axis before the right one"},
    {"norm-axis", rewrite, layer, "pass form-layers",
     "a layer normalisation runs along the axis before the right one"},
    {"axis-not-adjusted", rewrite, layer, "passes sink-transposes and form-layers",
     "the start indices of a slice are not permuted together with its axes"},
    {"group-weights", rewrite, layer, "pass form-layers",
     "each group of a convolution gets the weights of the next group"},
    {"transposition-lost", rewrite, layer, "pass form-layers", "a matrix of weights is not transposed"},
    {"residual-dropped", rewrite, layer, "pass fuse-addends",
     "an addition that was fused into a layer is lost"},
    {"residual-stale", rewrite, layer, "pass fuse-addends",
     "an addition that was fused into a layer adds a tensor to which the last operation was not applied"},
    {"activation-moved", rewrite, layer, "passes fuse-addends and fuse-functions",
     "a function is applied before an addition instead of after it, or the reverse"},
    {"clip-exchanged", rewrite, layer, "passes fuse-functions and form-layers",
     "the bounds of a clip are exchanged"},
    {"pad-merged-wrong", rewrite, layer, "passes fold-pads and form-layers",
     "a padding operation is merged into the padding on the opposite side of a window"},
    {"count-include-pad", rewrite, layer, "pass form-layers",
     "an average pooling counts padding although it should not, or the reverse"},
    {"resize-rounding", rewrite, layer, "pass form-layers",
     "a resize to the nearest element rounds positions in a wrong mode"},
    {"merged-unequal", rewrite, graph, "pass cse", "two operations with different attributes are merged"},
    {"removed-alive", rewrite, graph, "passes that remove operations",
     "an operation whose result is needed is removed"},

    {"fold-constant-type",
     typeDecision,
     graph,
     "pass fold-constants",
     "an operation on constants is computed in another type",
     {},
     BugTypes::all,
     foldedType},
    {"scale-of-neighbour",
     typeDecision,
     layer,
     "pass decide-precision",
     "a tensor gets the scale of the tensor from which it is computed",
     {},
     BugTypes::eightBits},
    {"zero-point-sign",
     typeDecision,
     layer,
     "pass decide-precision",
     "a zero point is computed with the wrong sign",
     {},
     BugTypes::eightBits},
    {"scale-shared-wrong",
     typeDecision,
     layer,
     "pass decide-precision",
     "a tensor shares the scale of the tensor with the widest range",
     {},
     BugTypes::eightBits},
    {"bias-scale-short",
     typeDecision,
     layer,
     "pass decide-precision",
     "a bias is quantised with the scale of the weights only",
     {},
     BugTypes::eightBits},
};

} // namespace

std::vector<std::string_view> precisionsOf(BugTypes types) {
  switch (types) {
  case BugTypes::all:
    return {"fp32", "fp16", "bf16", "int8", "uint8"};
  case BugTypes::eightBits:
    return {"int8", "uint8"};
  case BugTypes::floats:
    return {"fp32", "fp16", "bf16"};
  }
  return {};
}

std::span<const Bug> bugCatalogue() { return bugs; }

const Bug *findBug(std::string_view id) {
  const auto bug = std::ranges::find(bugs, id, &Bug::id);
  return bug == std::end(bugs) ? nullptr : &*bug;
}

} // namespace tilerig
