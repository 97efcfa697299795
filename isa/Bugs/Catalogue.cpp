#include "isa/Bugs/Catalogue.h"

#include <algorithm>

namespace tilerig {

namespace {

using enum BugClass;
using Words = std::string_view;

constexpr BugStage works = BugStage::works, plan = BugStage::plan, tasks = BugStage::tasks,
                   binary = BugStage::binary;

// --- Kinds of layers, as programs name them ---

constexpr Words convs[] = {"Conv"};
constexpr Words windows[] = {"Conv", "MaxPool", "AveragePool", "AverageWithPaddingPool"};
constexpr Words padded[] = {"Conv", "MaxPool", "AveragePool", "AverageWithPaddingPool", "Pad"};
constexpr Words products[] = {"Conv", "MatMul"};
constexpr Words images[] = {"Conv", "MaxPool", "AveragePool", "AverageWithPaddingPool",
                            "Add",  "Mul",     "Activation",  "Resize"};
constexpr Words functions[] = {"Conv", "MatMul", "Activation", "Add", "Sub", "Mul", "Div"};
constexpr Words quantisers[] = {"Conv", "MatMul", "Add", "Sub", "Mul", "Div"};

// --- Words of parameters ---

constexpr Words sides[] = {"top", "left", "bottom", "right"};
constexpr Words imageAxes[] = {"rows", "columns"};
constexpr Words flips[] = {"rows", "columns", "both"};
constexpr Words bounds[] = {"low", "high"};
constexpr Words wrongFunctions[] = {"relu", "leaky_relu", "abs", "neg", "sigmoid", "tanh"};
constexpr Words roundings[] = {"half_away", "toward_zero", "down"};

// --- Parameters, as each family of bugs has them ---

constexpr int64_t many = 1 << 20; // more than any layer needs

constexpr BugParameter padAmount[] = {
    {.name = "side", .meaning = "of the image", .words = sides},
    {"amount", "rows or columns of the image that count as padding", 1, 2},
};
constexpr BugParameter padSide[] = {
    {.name = "axis", .meaning = "of the image", .words = imageAxes},
    {"amount", "of padding that comes behind and not in front, or, below zero, in front", -3, 3},
};
constexpr BugParameter padValue[] = {
    {"value", "what padding holds, in steps from the zero point; of floats the number", -100, 100},
};
constexpr BugParameter outputsOff[] = {{"by", "outputs", 1, many}};
constexpr BugParameter powerOfTwo[] = {{"power", "of two", -6, 6}};
constexpr BugParameter missingOutputs[] = {{"outputs", "how many at the end", 1, many}};
constexpr BugParameter firstOutputs[] = {{"outputs", "how many from the first", 1, many}};
constexpr BugParameter swappedOutputs[] = {
    {"first", "output", 0, many},
    {"second", "output", 0, many},
};
constexpr BugParameter swappedBlocks[] = {
    {"first", "block of 16 outputs", 0, many},
    {"second", "block of 16 outputs", 0, many},
};
constexpr BugParameter shiftedElements[] = {{"elements", "by how many", -64, 64}};
constexpr BugParameter flipped[] = {{.name = "axes", .meaning = "of the kernel", .words = flips}};
constexpr BugParameter clipBound[] = {
    {.name = "bound", .meaning = "which one", .words = bounds},
    {"percent", "of the range by which it is too narrow", 5, 90},
};
constexpr BugParameter wrongFunction[] = {
    {.name = "function", .meaning = "that is applied instead", .words = wrongFunctions}};
constexpr BugParameter zeroPointOff[] = {{"by", "steps", -64, 64}};
constexpr BugParameter roundingMode[] = {
    {.name = "mode", .meaning = "in place of half_even", .words = roundings}};
constexpr BugParameter lostDepth[] = {{"products", "of each sum that are lost, the last ones", 1, many}};
constexpr BugParameter onTile[] = {{"tile", "whose it is", 0, 63}};
constexpr BugParameter oneTransfer[] = {{"transfer", "of the layer's, from 0", 0, many}};
constexpr BugParameter shiftedTransfer[] = {
    {"transfer", "of the layer's, from 0", 0, many},
    {"rows", "by how many", -2, 2},
};
constexpr BugParameter shortTransfer[] = {
    {"transfer", "of the layer's, from 0", 0, many},
    {"steps", "of its outermost dimension that are missing", 1, many},
};
constexpr BugParameter shiftedPart[] = {{"rows", "by how many", -2, 2}};
constexpr BugParameter windowAxis[] = {
    {.name = "axis", .meaning = "of the image", .words = imageAxes},
    {"by", "how much too large, or too small", -2, 2},
};
constexpr BugParameter overlap[] = {
    {"other", "of the buffers that are written while the result is there, from 0", 0, many},
    {"rows", "of 64 bytes that the two share", 1, many},
};
constexpr BugParameter oneSync[] = {{"index", "of those that the layer has, from 0", 0, many}};
constexpr BugParameter tableEntry[] = {
    {"entry", "of the 256", 0, 255},
    {"by", "steps", -127, 127},
};
constexpr BugParameter tableSegment[] = {
    {"first", "entry", 0, 255},
    {"length", "in entries", 2, 128},
};
constexpr BugParameter stuckBit[] = {
    {"tile", "whose POD it is", 0, 63},    {"position", "of the lane", 0, 15},
    {"output", "of the lane", 0, 15},      {"bit", "of its accumulators", 0, 31},
    {"value", "that it always has", 0, 1},
};
constexpr BugParameter deadLane[] = {
    {"tile", "whose POD it is", 0, 63},
    {"position", "of the lane", 0, 15},
    {"output", "of the lane", 0, 15},
};
constexpr BugParameter narrowSums[] = {
    {"tile", "whose POD it is", 0, 63},
    {"bits", "that sums keep", 8, 24},
};
constexpr BugParameter flippedBit[] = {
    {"transfer", "of the layer's from DDR, from 0", 0, many},
    {"byte", "of what it brings", 0, int64_t{1} << 40},
    {"bit", "of that byte", 0, 7},
};
constexpr BugParameter delayed[] = {
    {"transfer", "of the layer's, from 0", 0, many},
    {"cycles", "by which its first byte is late", 100, 1'000'000},
};
constexpr BugParameter misrouted[] = {
    {"transfer", "of the layer's to other tiles, from 0", 0, many},
    {"actual", "the tile that gets it", 0, 63},
};

// --- The rows, by class ---

constexpr Bug bugs[] = {
    {"none", noError, BugStage::none, "nowhere", "nothing: what a clean program shows"},

    {"pad-amount", padding, tasks, "convolution lowering",
     "the window takes the border of the image for padding", windows, BugTypes::all, padAmount},
    {"pad-side", padding, works, "convolution lowering", "padding in front stands behind, or the reverse",
     windows, BugTypes::all, padSide},
    {"pad-value", padding, works, "fill constant",
     "padding is laid out with a number that is not the zero point", padded, BugTypes::all, padValue},

    {"bias-missing", biasLoading, works, "bias section", "no bias is added", products},
    {"bias-shifted", biasLoading, works, "bias DMA", "outputs get the bias of others", products,
     BugTypes::all, outputsOff},
    {"bias-stale", biasLoading, works, "bias DMA", "the biases of the layer before are still there",
     products},
    {"bias-scale", biasLoading, works, "bias section", "the bias is of another scale than the sums", products,
     BugTypes::all, powerOfTwo},
    {"bias-broadcast", biasLoading, works, "bias section", "the first bias serves all outputs", products},
    {"bias-short", biasLoading, works, "bias DMA", "the last biases do not arrive", products, BugTypes::all,
     missingOutputs},

    {"weights-rows-swapped", coefficientLoading, works, "weight packing",
     "two outputs have each other's weights", products, BugTypes::all, swappedOutputs},
    {"weights-blocks-swapped", coefficientLoading, works, "weight DMA descriptor",
     "two blocks of outputs have each other's weights", products, BugTypes::all, swappedBlocks},
    {"weights-stale", coefficientLoading, works, "weight bank",
     "a bank still has the weights of the layer before", products, BugTypes::all, firstOutputs},
    {"weights-short", coefficientLoading, works, "weight DMA descriptor", "the last weights do not arrive",
     products, BugTypes::all, missingOutputs},
    {"weights-shifted", coefficientLoading, works, "weight DMA descriptor",
     "weights are taken from a shifted address", products, BugTypes::all, shiftedElements},
    {"weights-wrong-tile", coefficientLoading, tasks, "weight DMA descriptor",
     "a tile gets the weights of another", products, BugTypes::all, onTile},

    {"weights-order", orientation, works, "weight packing",
     "weights lie as in the file, channels before kernel", convs},
    {"weights-flipped", orientation, works, "weight packing", "the kernel is mirrored", convs, BugTypes::all,
     flipped},
    {"weights-transposed", orientation, works, "weight packing",
     "rows and columns of kernel or matrix change places", products},
    {"output-transposed", orientation, works, "layout pass", "rows and columns of the result change places",
     images},
    {"output-channels-first", orientation, works, "layout pass", "the result is written channel by channel",
     images},

    {"clip-missing",
     clipping,
     tasks,
     "DMA flag",
     "nine bits lose their highest on the way to DDR",
     {},
     BugTypes::eightBits},
    {"clip-bound", clipping, tasks, "activation constant", "a bound of the result is too narrow", functions,
     BugTypes::all, clipBound},

    {"activation-dropped", instructionCalls, tasks, "fusion pass",
     "the function behind the sum is not applied", functions},
    {"activation-wrong", instructionCalls, works, "instruction field", "another function is applied",
     functions, BugTypes::all, wrongFunction},
    {"activation-order", instructionCalls, works, "fusion pass",
     "the function acts before the addend is added, or after, where it should not", products},

    {"input-type", quantisationType, tasks, "type field", "inputs are read as unsigned, or as signed",
     products, BugTypes::eightBits},
    {"weights-type", quantisationType, tasks, "type field", "weights are read as unsigned, or as signed",
     products, BugTypes::eightBits},
    {"input-zero-point", quantisationType, tasks, "requantisation", "another zero point is taken from inputs",
     quantisers, BugTypes::eightBits, zeroPointOff},
    {"output-zero-point", quantisationType, tasks, "requantisation", "another zero point is added to results",
     quantisers, BugTypes::eightBits, zeroPointOff},

    {"scale-power", scaling, works, "requantisation", "scales are off by a power of two", quantisers,
     BugTypes::eightBits, powerOfTwo},
    {"scale-shifted", scaling, works, "requantisation", "outputs get the scale of others", products,
     BugTypes::eightBits, outputsOff},
    {"scale-broadcast", scaling, works, "requantisation", "the first scale serves all outputs", products,
     BugTypes::eightBits},

    {"wrap", overflow, tasks, "requantisation", "results wrap where they should saturate", quantisers,
     BugTypes::eightBits},

    {"accumulator-narrow", overflow, BugStage::hardware, "POD", "sums are kept in too few bits", products,
     BugTypes::eightBits, narrowSums},

    {"rounding-mode", rounding, tasks, "requantisation", "results are rounded in another mode", quantisers,
     BugTypes::eightBits, roundingMode},

    {"depth-tail-lost", splitting, tasks, "tiling", "the last, uneven part of the depth is left out",
     products, BugTypes::all, lostDepth},
    {"partial-lost", splitting, tasks, "tiling", "a part of a sum starts anew", products, BugTypes::all,
     onTile},
    {"partial-doubled", splitting, tasks, "tiling", "a part of a sum is added twice", products, BugTypes::all,
     onTile},
    {"part-copied-twice",
     splitting,
     tasks,
     "communication primitive",
     "what was sent before is sent once more",
     {},
     BugTypes::all,
     oneTransfer},
    {"last-part-shifted", splitting, tasks, "tiling", "the last tile's part begins where an even one would",
     windows, BugTypes::all, shiftedPart},
    {"halo-shifted",
     splitting,
     tasks,
     "communication primitive",
     "a neighbour's rows are taken beside where they lie",
     {},
     BugTypes::all,
     shiftedTransfer},
    {"halo-lost",
     splitting,
     tasks,
     "communication primitive",
     "a neighbour's rows are not sent",
     {},
     BugTypes::all,
     oneTransfer},

    {"stride-wrong", dataAccess, tasks, "address generator", "windows are too far apart, or too near",
     windows, BugTypes::all, windowAxis},
    {"dilation-wrong", dataAccess, tasks, "address generator", "taps are too far apart, or too near", convs,
     BugTypes::all, windowAxis},
    {"base-shifted", dataAccess, tasks, "address generator", "the input is read from a shifted address",
     functions, BugTypes::all, shiftedElements},
    {"pitch-wrong", dataAccess, tasks, "address generator",
     "rows of the input are taken for longer, or shorter", functions, BugTypes::all, shiftedElements},

    {"dma-short",
     memoryMapping,
     tasks,
     "DMA descriptor",
     "a load ends too early",
     {},
     BugTypes::all,
     shortTransfer},
    {"dma-wrong-source",
     memoryMapping,
     tasks,
     "DMA descriptor",
     "a load takes what lies beside its source",
     {},
     BugTypes::all,
     oneTransfer},
    {"store-wrong-tensor",
     memoryMapping,
     tasks,
     "DMA descriptor",
     "a result is stored upon another tensor",
     {},
     BugTypes::all,
     oneTransfer},

    {"buffers-overlap",
     memoryAllocation,
     plan,
     "memory plan",
     "two tensors that live at a time share bytes",
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
     "an engine waits only after its first use",
     {},
     BugTypes::all,
     oneSync},
    {"wait-phase",
     synchronisation,
     binary,
     "sync insertion",
     "a double buffer is taken one phase too early",
     {},
     BugTypes::all,
     oneSync},
    {"wait-semaphore",
     synchronisation,
     binary,
     "sync insertion",
     "an engine waits for another semaphore",
     {},
     BugTypes::all,
     oneSync},
    {"signal-deleted",
     synchronisation,
     binary,
     "sync insertion",
     "an engine does not signal",
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
     "an engine does not wait for another of its tile",
     {},
     BugTypes::all,
     oneSync},

    {"instructions-swapped",
     serialisation,
     binary,
     "instruction order",
     "two instructions of an engine change places",
     {},
     BugTypes::all,
     oneSync},

    {"table-entry", table, works, "table section", "one entry is wrong", functions, BugTypes::eightBits,
     tableEntry},
    {"table-segment", table, works, "table section", "a segment holds the one before it", functions,
     BugTypes::eightBits, tableSegment},

    {"stuck-bit", hardware, BugStage::hardware, "POD", "a bit of a lane's accumulators is stuck", products,
     BugTypes::all, stuckBit},
    {"dead-lane", hardware, BugStage::hardware, "POD", "a lane gives zero", products, BugTypes::all,
     deadLane},
    {"dead-tile", hardware, BugStage::hardware, "tile", "a tile gives zeros", {}, BugTypes::all, onTile},
    {"flipped-bit", hardware, BugStage::hardware, "DDR", "a bit of a constant changes", products,
     BugTypes::all, flippedBit},
    {"lost-signal",
     hardware,
     BugStage::hardware,
     "semaphore",
     "a signal does not arrive",
     {},
     BugTypes::all,
     oneSync,
     false},
    {"delayed-dma",
     hardware,
     BugStage::hardware,
     "DMA engine",
     "a transfer is late; who waits for it as he should does not notice",
     {},
     BugTypes::all,
     delayed,
     false},
    {"wrong-destination",
     hardware,
     BugStage::hardware,
     "router",
     "a transfer comes to another tile",
     {},
     BugTypes::all,
     misrouted},
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
  const auto found = std::ranges::find(bugs, id, &Bug::id);
  return found == std::end(bugs) ? nullptr : &*found;
}

} // namespace tilerig
