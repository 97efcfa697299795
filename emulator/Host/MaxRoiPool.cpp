// The host operator MaxRoiPool: divides each region of an image into bins and takes the maximum of each bin. A
// region is given by the index of its image and two corners (x, y), which are rounded to whole elements and
// belong to the region.
#include "emulator/Host/Kernels.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace tilerig::emulator {

namespace {

struct Range {
  int64_t begin, end;
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

// The elements of each bin along an axis of `size` elements, for a region between two rounded corners.
std::vector<Range> binsOf(double from, double to, int64_t bins, int64_t size) {
  const auto first = static_cast<int64_t>(std::round(from)), last = static_cast<int64_t>(std::round(to));
  const double step = static_cast<double>(std::max<int64_t>(last - first + 1, 1)) / static_cast<double>(bins);
  std::vector<Range> ranges;
  for (int64_t i = 0; i < bins; ++i) {
    const auto begin = static_cast<int64_t>(std::floor(static_cast<double>(i) * step)),
               end = static_cast<int64_t>(std::ceil(static_cast<double>(i + 1) * step));
    ranges.push_back(
        {std::clamp<int64_t>(first + begin, 0, size), std::clamp<int64_t>(first + end, 0, size)});
  }
  return ranges;
}

// The maximum of a bin, NaN if it contains NaN; 0 for a bin without elements.
float greatestOf(const float *plane, int64_t width, Range rows, Range columns) {
  if (rows.size() == 0 || columns.size() == 0)
    return 0;
  float greatest = -std::numeric_limits<float>::infinity();
  for (int64_t row = rows.begin; row < rows.end; ++row)
    for (int64_t column = columns.begin; column < columns.end; ++column) {
      const float value = plane[row * width + column];
      if (value > greatest || std::isnan(value))
        greatest = value;
    }
  return greatest;
}

struct PooledRegion {
  int64_t image;
  std::vector<Range> rows, columns;
};

// Reads row `index` of the regions: the image and the two corners.
Result<PooledRegion> regionOf(const HostCall &call, std::span<const float> row, size_t index,
                              std::span<const int64_t> bins, float scale) {
  const Shape &shape = call.inputs[0]->shape();
  if (!(row[0] >= 0 && row[0] < static_cast<float>(shape[0])) || row[0] != std::floor(row[0]))
    return call.refuse(
        fmt::format("region {} is in image {}, but the batch has {} images", index, row[0], shape[0]));
  constexpr double limit = int64_t{1} << 40; // beyond any image, but far from overflow
  double corner[4];
  for (size_t i = 0; i < 4; ++i) {
    corner[i] = static_cast<double>(row[i + 1]) * static_cast<double>(scale);
    if (!(std::abs(corner[i]) < limit))
      return call.refuse(
          fmt::format("region {} has a corner at {}, which is out of range", index, corner[i]));
  }
  return PooledRegion{static_cast<int64_t>(row[0]), binsOf(corner[1], corner[3], bins[0], shape[2]),
                      binsOf(corner[0], corner[2], bins[1], shape[3])};
}

} // namespace

Result<HostResult> runMaxRoiPool(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const Tensor *regions, call.input(1));
  TILERIG_TRY(const auto from, input->tryAs<float>());
  TILERIG_TRY(const auto numbers, regions->tryAs<float>());
  TILERIG_TRY(const std::vector<int64_t> bins, call.integers("pooled_shape"));
  TILERIG_TRY(const float scale, call.real("spatial_scale", 1));
  const Shape &shape = input->shape();
  constexpr int64_t mostBins = 1 << 20;
  if (bins.size() != 2 || std::ranges::min(bins) < 1 || bins[0] > mostBins / bins[1])
    return call.refuse("attribute 'pooled_shape' must be two positive numbers");
  if (shape.size() != 4 || regions->rank() != 2 || regions->shape()[1] != 5)
    return call.refuse(fmt::format("regions of shape {} do not fit an input of shape {}",
                                   showShape(regions->shape()), showShape(shape)));
  const int64_t count = regions->shape()[0];
  TILERIG_TRY(Tensor result, Tensor::make(DType::f32, {count, shape[1], bins[0], bins[1]}));
  float *to = result.mutableAs<float>().data();
  uint64_t comparisons = 0;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    TILERIG_TRY(const PooledRegion region, regionOf(call, numbers.subspan(5 * i, 5), i, bins, scale));
    for (int64_t channel = 0; channel < shape[1]; ++channel)
      for (const Range &rows : region.rows)
        for (const Range &columns : region.columns) {
          comparisons += static_cast<uint64_t>(rows.size() * columns.size());
          *to++ = greatestOf(from.data() + (region.image * shape[1] + channel) * shape[2] * shape[3],
                             shape[3], rows, columns);
        }
  }
  return HostResult{std::vector{std::move(result)}, comparisons};
}

} // namespace tilerig::emulator
