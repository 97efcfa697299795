// MaxRoiPool: splits each region of interest into a grid of bins and takes the maximum of each bin.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace tilerig::reference {

namespace {

// Half-open range of image indices that a bin covers along an axis.
struct Bin {
  int64_t begin, end;
};

// The pixels of a region along an axis; both ends are inclusive, and there is at least one pixel.
struct RegionAxis {
  int64_t first, size;

  static RegionAxis between(double from, double to) {
    auto first = static_cast<int64_t>(std::round(from)), last = static_cast<int64_t>(std::round(to));
    return {first, std::max<int64_t>(last - first + 1, 1)};
  }
  // The image indices of bin `index` of `bins`, without those outside the image. Neighbouring bins overlap if
  // the bins do not divide the region evenly.
  Bin bin(int64_t index, int64_t bins, int64_t image) const {
    double width = static_cast<double>(size) / static_cast<double>(bins);
    auto begin = static_cast<int64_t>(std::floor(static_cast<double>(index) * width));
    auto end = static_cast<int64_t>(std::ceil(static_cast<double>(index + 1) * width));
    return {std::clamp<int64_t>(first + begin, 0, image), std::clamp<int64_t>(first + end, 0, image)};
  }
};

struct Region {
  int64_t image;
  RegionAxis rows, columns;
};

// A region of interest is given by the index of its image and by two corners (x, y); `scale` converts the
// corners to coordinates of the input.
template <class T>
Result<std::vector<Region>> regionsOf(const OpContext &context, double scale) {
  const Tensor &rois = context.input(1);
  auto numbers = rois.as<T>();
  std::vector<Region> regions;
  for (size_t i = 0; i + 5 <= numbers.size(); i += 5) {
    // The limit of a region's coordinates: beyond any image, but far from overflow.
    constexpr double limit = int64_t{1} << 40;
    double image = numbers[i];
    if (!(image >= 0 && image < static_cast<double>(context.input(0).shape()[0])) ||
        image != std::floor(image))
      return context.invalid(
          fmt::format("region {} is in image {}, but the batch has fewer images", i / 5, image));
    double corner[4];
    for (size_t j = 0; j < 4; ++j) {
      corner[j] = static_cast<double>(numbers[i + 1 + j]) * scale;
      if (!(std::abs(corner[j]) < limit))
        return context.invalid(
            fmt::format("region {} has a corner at {}, which is out of range", i / 5, corner[j]));
    }
    regions.push_back({static_cast<int64_t>(image), RegionAxis::between(corner[1], corner[3]),
                       RegionAxis::between(corner[0], corner[2])});
  }
  return regions;
}

// The maximum of a bin; 0 for a bin without pixels.
template <class T>
T greatest(const T *plane, int64_t width, Bin rows, Bin columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end)
    return 0;
  T best = -std::numeric_limits<T>::infinity();
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x) {
      T value = plane[y * width + x];
      best = value > best || value != value ? value : best;
    }
  return best;
}

template <class T>
Status pool(OpContext &context, int64_t high, int64_t wide, double scale) {
  const Tensor &x = context.input(0);
  int64_t channels = x.shape()[1], height = x.shape()[2], width = x.shape()[3];
  TILERIG_TRY(std::vector<Region> regions, regionsOf<T>(context, scale));
  auto count = static_cast<int64_t>(regions.size());
  TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, {count, channels, high, wide}));
  if (!output.elementCount()) {
    context.outputs[0] = std::move(output);
    return success();
  }
  const T *from = x.as<T>().data();
  T *to = output.mutableAs<T>().data();
  context.threads.forEach(count * channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Region &region = regions[i / channels];
      const T *plane = from + (region.image * channels + i % channels) * height * width;
      for (int64_t bin = 0; bin < high * wide; ++bin)
        to[i * high * wide + bin] = greatest(plane, width, region.rows.bin(bin / wide, high, height),
                                             region.columns.bin(bin % wide, wide, width));
    }
  });
  context.outputs[0] = std::move(output);
  return success();
}

Status maxRoiPool(OpContext &context) {
  const Tensor &x = context.input(0), &rois = context.input(1);
  TILERIG_TRY(std::vector<int64_t> bins, context.intsAttribute("pooled_shape"));
  TILERIG_TRY(float scale, context.floatAttribute("spatial_scale", 1.0f));
  if (bins.size() != 2 || std::min(bins[0], bins[1]) < 1 || std::max(bins[0], bins[1]) > (1 << 30))
    return context.invalid("attribute pooled_shape must be two positive numbers");
  if (x.rank() != 4 || rois.rank() != 2 || rois.shape()[1] != 5 || rois.dtype() != x.dtype())
    return context.invalid(fmt::format(
        "input ({} {}) and regions ({} {}) do not match: expected an input of rank 4, and regions "
        "[count, 5] of the same type",
        nameOf(x.dtype()), showShape(x.shape()), nameOf(rois.dtype()), showShape(rois.shape())));
  if (x.dtype() == DType::f32)
    return pool<float>(context, bins[0], bins[1], scale);
  if (x.dtype() == DType::f64)
    return pool<double>(context, bins[0], bins[1], scale);
  return context.invalid(fmt::format("the input has type {}, expected a float type", nameOf(x.dtype())));
}

} // namespace

std::span<const OpEntry> maxRoiPoolOps() {
  static constexpr OpEntry entries[] = {
      {"MaxRoiPool", 1, 2, 2, maxRoiPool},
  };
  return entries;
}

} // namespace tilerig::reference
