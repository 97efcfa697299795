#include "isa/Instructions/IndexRuns.h"

#include <algorithm>
#include <numeric>

namespace tilerig {

void IndexSetBuilder::add(uint64_t first, uint64_t length) {
  if (end > begin && first <= end) {
    end = std::max(end, first + length);
    return;
  }
  flush();
  begin = first, end = first + length;
}

// Appends the current run of indices to the set. If it has the length of the runs in the last progression and
// continues them at their stride, it extends that progression; otherwise it begins a new one.
void IndexSetBuilder::flush() {
  if (end == begin)
    return;
  const uint64_t length = end - begin;
  if (!set.empty() && set.back().length == length) {
    IndexRuns &last = set.back();
    const uint64_t stride = begin - (last.first + (last.count - 1) * last.stride);
    if (last.count == 1 || stride == last.stride) {
      last.stride = stride;
      ++last.count;
      return;
    }
  }
  set.push_back({begin, length, 1, 0});
}

IndexSet IndexSetBuilder::take() {
  flush();
  begin = end = 0;
  return std::move(set);
}

namespace {

// The taps of one window that lie inside the image: index of the first one, and their number.
struct Inside {
  int64_t first = 0, taps = 0;
};
Inside insideOf(const TapAxis &axis, uint64_t output) {
  const auto dilation = static_cast<int64_t>(axis.dilation), size = static_cast<int64_t>(axis.size);
  const int64_t first = static_cast<int64_t>(output * axis.stride) - static_cast<int64_t>(axis.pad);
  const int64_t skipped = first < 0 ? (-first + dilation - 1) / dilation : 0;
  const int64_t at = first + skipped * dilation;
  const int64_t left = static_cast<int64_t>(axis.taps) - skipped;
  return left <= 0 || at >= size ? Inside{}
                                 : Inside{at, std::min(left, (size - at + dilation - 1) / dilation)};
}

// Adds to the index set the part of the range first .. first+length-1 that lies in 0 .. size-1.
void addClipped(IndexSetBuilder &builder, int64_t first, int64_t length, int64_t size) {
  const int64_t low = std::max<int64_t>(first, 0), high = std::min(first + length, size);
  if (low < high)
    builder.add(static_cast<uint64_t>(low), static_cast<uint64_t>(high - low));
}

// Index set of windows without dilation whose stride exceeds the number of taps, so that they do not overlap.
IndexSet apartWindows(const TapAxis &axis) {
  const auto stride = static_cast<int64_t>(axis.stride), taps = static_cast<int64_t>(axis.taps);
  const auto size = static_cast<int64_t>(axis.size), pad = static_cast<int64_t>(axis.pad);
  // Windows that lie completely inside the image: from the first one that begins at 0 or later to the last
  // one that ends at `size` or before.
  const int64_t firstWhole = (pad + stride - 1) / stride;
  const int64_t endWhole = std::min<int64_t>(static_cast<int64_t>(axis.outputs),
                                             size + pad < taps ? 0 : (size + pad - taps) / stride + 1);
  const auto clipped = [&](int64_t o, IndexSetBuilder &builder) {
    if (o >= 0 && o < static_cast<int64_t>(axis.outputs))
      addClipped(builder, o * stride - pad, taps, size);
  };
  IndexSetBuilder before, after;
  clipped(firstWhole - 1, before); // windows do not overlap, so at most one crosses each border
  IndexSet set = before.take();
  if (firstWhole < endWhole) {
    const auto count = static_cast<uint64_t>(endWhole - firstWhole);
    set.push_back(
        {static_cast<uint64_t>(firstWhole * stride - pad), axis.taps, count, count > 1 ? axis.stride : 0});
  }
  clipped(std::max(endWhole, firstWhole), after);
  for (const IndexRuns &runs : after.take())
    set.push_back(runs);
  return set;
}

// Index set of dilated windows. The taps of one window have the same index modulo the dilation, and within
// this residue class they are contiguous. A difference array counts how many windows touch each index.
IndexSet dilatedWindows(const TapAxis &axis) {
  const auto dilation = static_cast<int64_t>(axis.dilation), size = static_cast<int64_t>(axis.size);
  const int64_t perClass = (size + dilation - 1) / dilation;
  std::vector<int32_t> change(static_cast<size_t>((perClass + 1) * std::min(dilation, size)));
  for (uint64_t o = 0; o < axis.outputs; ++o) {
    const auto [first, taps] = insideOf(axis, o);
    const int64_t at = first % dilation * (perClass + 1) + first / dilation;
    ++change[static_cast<size_t>(at)];
    --change[static_cast<size_t>(at + taps)];
  }
  // Prefix sums turn the differences into the number of windows that touch each index of a residue class.
  for (size_t i = 1; i < change.size(); ++i)
    change[i] += change[i - 1];
  IndexSetBuilder builder;
  for (int64_t i = 0; i < size; ++i)
    if (change[static_cast<size_t>(i % dilation * (perClass + 1) + i / dilation)] > 0)
      builder.add(static_cast<uint64_t>(i), 1);
  return builder.take();
}

} // namespace

IndexSet windowIndices(const TapAxis &axis) {
  if (axis.dilation > 1 && axis.taps > 1)
    return dilatedWindows(axis);
  if (axis.stride > axis.taps)
    return apartWindows(axis);
  IndexSetBuilder builder;
  addClipped(builder, -static_cast<int64_t>(axis.pad),
             static_cast<int64_t>((axis.outputs - 1) * axis.stride + axis.taps),
             static_cast<int64_t>(axis.size));
  return builder.take();
}

bool touchesAny(const TapAxis &axis) {
  for (uint64_t o = 0; o < axis.outputs; ++o)
    if (insideOf(axis, o).taps > 0)
      return true;
  return false;
}

IndexSet resizeIndices(const ResizeAxis &axis, ResizeMode mode, uint64_t outputs, uint64_t size) {
  const int64_t before = mode == ResizeMode::cubic ? -1 : 0;
  const int64_t after = mode == ResizeMode::cubic ? 2 : mode == ResizeMode::linear ? 1 : 0;
  const int64_t denominator = axis.denominator, highest = static_cast<int64_t>(size) - 1;
  // Quotient and remainder of each output's position, a fraction p / denominator; updated incrementally,
  // because p itself may exceed 64 bits.
  int64_t index = axis.offset / denominator, rest = axis.offset % denominator;
  if (rest < 0)
    --index, rest += denominator;
  IndexSetBuilder builder;
  for (uint64_t o = 0; o < outputs; ++o) {
    const int64_t low = std::clamp<int64_t>(index + before, 0, highest);
    const int64_t high = std::clamp<int64_t>(index + after, 0, highest);
    builder.add(static_cast<uint64_t>(low), static_cast<uint64_t>(high - low + 1));
    if (low == highest)
      break;
    index += axis.numerator / denominator, rest += axis.numerator % denominator;
    if (rest >= denominator)
      ++index, rest -= denominator;
  }
  return builder.take();
}

} // namespace tilerig
