#include "emulator/Execute/Pod/WindowGroups.h"

#include <algorithm>
#include <map>

namespace tilerig::emulator::pod {

namespace {

// The part of a window, along one axis, that lies inside the widened image (the input with padding, in the
// kernels' wider type): the taps [first, last), and the coordinate of tap 0 in that image.
struct AxisTaps {
  uint32_t first, last;
  int64_t origin;
};

// Returns the taps for the window of output position `output`. `before` is the number of padding pixels that
// the widened image has in front of the input, `size` the number of all its pixels along the axis.
AxisTaps tapsAlong(uint32_t output, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad,
                   uint32_t before, uint32_t size) {
  const int64_t origin = int64_t{output} * stride - pad + before;
  AxisTaps taps{0, kernel, origin};
  while (taps.first < kernel && origin + int64_t{taps.first} * dilation < 0)
    ++taps.first;
  while (taps.last > taps.first && origin + int64_t{taps.last - 1} * dilation >= size)
    --taps.last;
  return taps;
}

} // namespace

ImageFrame frameOf(const Conv &conv, uint64_t pitch, bool isFloat) {
  const auto &in = conv.input.dims, &kernel = conv.weights.dims, &out = conv.output.dims;
  const Window &window = conv.window;
  if (isFloat)
    return {0, 0, in[2].size, in[3].size, pitch};
  return {window.padTop, window.padLeft,
          std::max(window.padTop + in[2].size,
                   reach(out[2].size, kernel[2].size, window.strideH, window.dilationH)),
          std::max(window.padLeft + in[3].size,
                   reach(out[3].size, kernel[3].size, window.strideW, window.dilationW)),
          pitch};
}

std::vector<PositionGroup> groupPositions(const Conv &conv, const ImageFrame &frame, uint32_t length) {
  const auto &kernel = conv.weights.dims, &out = conv.output.dims;
  const Window &window = conv.window;
  const auto kernelH = kernel[2].size, kernelW = kernel[3].size;
  const auto pitch = static_cast<int64_t>(frame.pitch);
  std::map<std::array<uint32_t, 4>, PositionGroup> groups;
  uint32_t row = 0;
  for (uint32_t n = 0; n < out[1].size; ++n)
    for (uint32_t h = 0; h < out[2].size; ++h) {
      const AxisTaps rows =
          tapsAlong(h, kernelH, window.strideH, window.dilationH, window.padTop, frame.top, frame.height);
      for (uint32_t w = 0; w < out[3].size; ++w, ++row) {
        const AxisTaps columns =
            tapsAlong(w, kernelW, window.strideW, window.dilationW, window.padLeft, frame.left, frame.width);
        PositionGroup &group = groups[{rows.first, rows.last, columns.first, columns.last}];
        if (group.rows.empty())
          for (uint32_t i = rows.first; i < rows.last; ++i)
            for (uint32_t j = columns.first; j < columns.last; ++j)
              group.taps.push_back(
                  {(int64_t{i} * window.dilationH * frame.width + int64_t{j} * window.dilationW) * pitch,
                   (int64_t{i} * kernelW + j) * length, length});
        group.offsets.push_back(((int64_t{n} * frame.height + rows.origin) * frame.width + columns.origin) *
                                pitch);
        group.rows.push_back(row);
      }
    }
  std::vector<PositionGroup> result;
  for (auto &[key, group] : groups)
    result.push_back(std::move(group));
  return result;
}

} // namespace tilerig::emulator::pod
