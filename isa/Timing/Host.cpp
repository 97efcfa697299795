#include "isa/Timing/Host.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tilerig {

namespace {

uint64_t countOf(const std::vector<int64_t> &shape) {
  uint64_t count = 1;
  for (const int64_t size : shape)
    count *= static_cast<uint64_t>(size);
  return count;
}

// An attribute of the operator as a non-negative integer, clamped because a model may contain any value, even
// NaN.
uint64_t wholeNumber(const HostWorkload &work, std::string_view attribute, uint64_t fallback) {
  const auto entry = work.numbers.find(attribute);
  if (entry == work.numbers.end())
    return fallback;
  return entry->second > 0 ? static_cast<uint64_t>(std::min(entry->second, 0x1p62)) : 0;
}

// Operations of TopK. It finds the k greatest elements of each row along the axis. A heap holds k elements,
// and each element of the row may be inserted into it.
uint64_t selecting(const HostWorkload &work) {
  const std::vector<int64_t> &shape = work.inputs[0];
  const auto entry = work.numbers.find("axis");
  const double axis = entry == work.numbers.end() ? -1 : entry->second,
               rank = static_cast<double>(shape.size());
  // A TopK axis may be out of range, or a NaN, for which comparisons are false. The kernel refuses it later.
  if (!(axis >= -rank && axis < rank))
    return countOf(shape);
  const auto length = static_cast<uint64_t>(shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
  // If TopK's k is an input tensor, its value is unknown here and the length of the whole row is used.
  const uint64_t k = std::min(wholeNumber(work, "k", length), length);
  return countOf(shape) * (1 + std::bit_width(k));
}

// NonMaxSuppression, with assumptions typical of a detector. The scores of a box add up to 1 over the
// classes, so each box passes the score threshold for one class only. Each class then has 1 / classes of the
// boxes as candidates. Without a threshold all boxes are candidates. Every second candidate overlaps a
// selected box, and is compared with all selected boxes before the overlap is found. So if m is the limit on
// results per class (without a limit, the number of candidates), the first 2 m candidates are examined, and
// candidate i is compared with i / 2 boxes.
uint64_t suppressing(const HostWorkload &work) {
  const std::vector<int64_t> &scores = work.inputs[1];
  const uint64_t boxes = static_cast<uint64_t>(scores[2]), classes = static_cast<uint64_t>(scores[1]);
  const bool hasThreshold =
      work.numbers.contains("score_threshold") || (work.inputs.size() > 4 && countOf(work.inputs[4]) > 0);
  const uint64_t candidates = hasThreshold && classes > 0 ? (boxes + classes - 1) / classes : boxes;
  const uint64_t most = wholeNumber(work, "max_output_boxes_per_class", candidates);
  const uint64_t looked = std::min(candidates, 2 * most);
  return static_cast<uint64_t>(scores[0]) * classes *
         operationsOfSuppression(boxes, candidates, looked * looked / 4);
}

// Operations of NonZero, assuming that half of the elements are zero, as after a Relu.
uint64_t findingNonZero(const HostWorkload &work) {
  const uint64_t elements = countOf(work.inputs[0]);
  return operationsOfNonZero(elements, elements / 2, work.inputs[0].size());
}

// Operations of GridSample, assuming linear interpolation: a product and a sum for each of the 2^axes elements
// that a sample combines, and ten steps for each coordinate of the grid.
uint64_t samplingGrid(const HostWorkload &work) {
  const size_t rank = std::clamp<size_t>(work.inputs[0].size(), 2, 5), axes = rank - 2;
  return (countOf(work.outputs[0]) << (axes + 1)) + 10 * countOf(work.inputs[1]);
}

// Operations of RoiAlign. Without a sampling ratio, two samples along each axis of a bin are assumed.
uint64_t aligningRegions(const HostWorkload &work) {
  const uint64_t ratio = std::min<uint64_t>(wholeNumber(work, "sampling_ratio", 0), 1 << 20);
  const uint64_t samples = ratio > 0 ? ratio * ratio : 4;
  return operationsOfSamples(countOf(work.outputs[0]) * samples);
}

// Operations of MaxRoiPool: the elements of all regions, assuming that each is a quarter of its image.
uint64_t poolingRegions(const HostWorkload &work) {
  const std::vector<int64_t> &image = work.inputs[0];
  return countOf({work.outputs[0][0], image[1], image[2], image[3]}) / 4;
}

uint64_t touching(const HostWorkload &work) { return 2 * countOf(work.inputs[0]); }

// Operations of the gather and scatter operators: those of a copy, with a few steps per element to compute
// its position.
uint64_t picking(const HostWorkload &work) { return 4 * countOf(work.outputs[0]); }
uint64_t putting(const HostWorkload &work) { return countOf(work.inputs[0]) + 4 * countOf(work.inputs[2]); }

// Operations of operators on elements: one for each element, and one to find its operands.
uint64_t computingElements(const HostWorkload &work) { return 2 * countOf(work.outputs[0]); }

// Operations of Reshape and Concat, which are plain copies of eight elements at a time.
uint64_t copying(const HostWorkload &work) { return countOf(work.outputs[0]) / 8; }

// Operations of Expand, Slice, Transpose and Where: for each element of the result the source position is computed and the
// element is copied.
uint64_t rearranging(const HostWorkload &work) { return 2 * countOf(work.outputs[0]); }

// Operations of recurrent layers, assuming that all sequences have the full number of steps.
uint64_t multiplyingSteps(const HostWorkload &work) {
  const std::vector<int64_t> &x = work.inputs[0];
  return operationsOfRecurrence(static_cast<uint64_t>(x[0] * x[1]),
                                countOf(work.inputs[1]) + countOf(work.inputs[2]));
}

constexpr std::array operators = {
    HostOperator{"Abs", computingElements},
    HostOperator{"Add", computingElements},
    HostOperator{"BitShift", computingElements},
    HostOperator{"BitwiseAnd", computingElements},
    HostOperator{"BitwiseNot", computingElements},
    HostOperator{"BitwiseOr", computingElements},
    HostOperator{"BitwiseXor", computingElements},
    HostOperator{"Cast", computingElements},
    HostOperator{"Concat", copying},
    HostOperator{"Div", computingElements},
    HostOperator{"Equal", computingElements},
    HostOperator{"Expand", rearranging},
    HostOperator{"GRU", multiplyingSteps, true},
    HostOperator{"GatherElements", picking},
    HostOperator{"GatherND", picking},
    HostOperator{"Greater", computingElements},
    HostOperator{"GreaterOrEqual", computingElements},
    HostOperator{"GridSample", samplingGrid},
    HostOperator{"LSTM", multiplyingSteps, true},
    HostOperator{"Less", computingElements},
    HostOperator{"LessOrEqual", computingElements},
    HostOperator{"Max", computingElements},
    HostOperator{"MaxRoiPool", poolingRegions, true},
    HostOperator{"Min", computingElements},
    HostOperator{"Mod", computingElements},
    HostOperator{"Mul", computingElements},
    HostOperator{"Neg", computingElements},
    HostOperator{"NonMaxSuppression", suppressing, true, 0},
    HostOperator{"NonZero", findingNonZero, true, 1},
    HostOperator{"Pow", computingElements},
    HostOperator{"RNN", multiplyingSteps, true},
    HostOperator{"Reshape", copying},
    HostOperator{"ReverseSequence", touching},
    HostOperator{"RoiAlign", aligningRegions, true},
    HostOperator{"ScatterElements", putting},
    HostOperator{"ScatterND", putting},
    HostOperator{"Sign", computingElements},
    HostOperator{"Slice", rearranging},
    HostOperator{"Sub", computingElements},
    HostOperator{"TopK", selecting},
    HostOperator{"Transpose", rearranging},
    HostOperator{"Where", rearranging},
};

constexpr uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

} // namespace

uint64_t hostNanoseconds(const HostTransfers &transfers, uint64_t operations) {
  const HostFigures &figures = hostFigures;
  const uint64_t bytes = transfers.bytesFetched + transfers.bytesPut;
  return (transfers.beginsCall ? figures.callNanoseconds : 0) +
         (transfers.bytesFetched > 0 ? figures.transferNanoseconds : 0) +
         (transfers.bytesPut > 0 ? figures.transferNanoseconds : 0) +
         divideUp(bytes * 1000, figures.linkBytesPerMicrosecond) +
         divideUp(operations * 1000, figures.operationsPerMicrosecond);
}

uint64_t operationsOfSorting(uint64_t elements) { return elements * (1 + std::bit_width(elements)); }

// A comparison of two boxes takes 8 steps: four minima and maxima, two lengths, a product, a quotient.
uint64_t operationsOfSuppression(uint64_t scores, uint64_t candidates, uint64_t comparisons) {
  return scores + operationsOfSorting(candidates) + 8 * comparisons;
}

uint64_t operationsOfNonZero(uint64_t elements, uint64_t nonZeroElements, uint64_t rank) {
  return 2 * elements + nonZeroElements * rank;
}

uint64_t operationsOfSamples(uint64_t samples) { return 10 * samples; }

uint64_t operationsOfRecurrence(uint64_t steps, uint64_t weights) { return steps * weights; }

uint64_t operationsOfKernel(std::string_view kernel, const HostWorkload &work) {
  const HostOperator *const row = findHostOperator(kernel);
  return row ? row->operations(work) : wholeNumber(work, "operations", 0);
}

std::span<const HostOperator> hostOperators() { return operators; }

const HostOperator *findHostOperator(std::string_view name) {
  const auto row = std::ranges::find(operators, name, &HostOperator::name);
  return row == operators.end() ? nullptr : &*row;
}

} // namespace tilerig
