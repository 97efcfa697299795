// The host operator RoiAlign: divides each region of an image into bins. A bin is the mean, or the maximum, of
// samples at a grid of positions, each interpolated linearly between four elements.
//
// The bits are those of the reference: positions are computed in fp32; a sample is the sum of its four weighted
// elements, upper row first; samples are added in ascending order from +0. In mode `max` the maximum is taken
// over the weighted elements themselves, as in ONNX's own cases.
#include "emulator/Host/Places.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

struct Pooling {
  bool takesMaximum, isHalfPixel;
  int64_t rows, columns; // number of bins of a region
  int64_t samples;       // of a bin along each axis; 0: as many as it has elements of the image
  float scale;           // from coordinates of regions to elements of the image
};

Result<Pooling> poolingOf(const HostCall &call) {
  const std::string mode = call.text("mode", "avg"),
                    coordinates = call.text("coordinate_transformation_mode", "half_pixel");
  if (mode != "avg" && mode != "max")
    return call.refuse(fmt::format("attribute 'mode' has the unknown value '{}'", mode));
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return call.refuse(
        fmt::format("attribute 'coordinate_transformation_mode' has the unknown value '{}'", coordinates));
  Pooling pooling{mode == "max", coordinates == "half_pixel", 1, 1, 0, 1};
  TILERIG_TRY(pooling.rows, call.integer("output_height", 1));
  TILERIG_TRY(pooling.columns, call.integer("output_width", 1));
  TILERIG_TRY(pooling.samples, call.integer("sampling_ratio", 0));
  TILERIG_TRY(pooling.scale, call.real("spatial_scale", 1));
  constexpr int64_t mostBins = 1 << 20;
  if (pooling.rows < 1 || pooling.columns < 1 || pooling.rows > mostBins / pooling.columns ||
      pooling.samples < 0)
    return call.refuse(fmt::format("output_height {}, output_width {} or sampling_ratio {} is out of range",
                                   pooling.rows, pooling.columns, pooling.samples));
  return pooling;
}

// A position between two elements of an axis, with the weights of both. A position outside the image has no
// elements.
struct Place {
  bool isOutside = true;
  int64_t low = 0, high = 0;
  float lowWeight = 0, highWeight = 0;

  static Place at(float position, int64_t size) {
    if (!(position >= -1) || position > static_cast<float>(size))
      return {};
    const float inside = std::max(position, 0.0f);
    const auto low = static_cast<int64_t>(inside);
    if (low >= size - 1)
      return {false, size - 1, size - 1, 1, 0};
    const float beyond = inside - static_cast<float>(low);
    return {false, low, low + 1, 1 - beyond, beyond};
  }
};

// The positions of the samples of a region along one axis, `perBin` for each bin.
struct RegionAxis {
  size_t perBin = 0;
  std::vector<Place> places;

  std::span<const Place> bin(int64_t index) const {
    return std::span(places).subspan(static_cast<size_t>(index) * perBin, perBin);
  }
};

Result<RegionAxis> regionAxis(const HostCall &call, const Pooling &pooling, float begin, float end,
                              int64_t bins, int64_t size) {
  const float offset = pooling.isHalfPixel ? 0.5f : 0.0f;
  const float first = begin * pooling.scale - offset;
  float length = end * pooling.scale - offset - first;
  if (!pooling.isHalfPixel)
    length = std::max(length, 1.0f);
  const float bin = length / static_cast<float>(bins);
  const int64_t most = std::max<int64_t>(4096, 4 * size);
  if (!std::isfinite(first) || !std::isfinite(length) || bin > static_cast<float>(most) ||
      pooling.samples > most)
    return call.refuse(
        fmt::format("a region from {} to {} with sampling_ratio {} is too large for an axis of size {}",
                    begin, end, pooling.samples, size));
  const int64_t perBin =
      pooling.samples > 0 ? pooling.samples : std::max<int64_t>(0, static_cast<int64_t>(std::ceil(bin)));
  constexpr int64_t mostSamples = 1 << 20;
  if (perBin > mostSamples / bins)
    return call.refuse(fmt::format("{} samples in each of {} bins along an axis are too many", perBin, bins));
  RegionAxis axis{static_cast<size_t>(perBin), {}};
  for (int64_t i = 0; i < bins; ++i)
    for (int64_t sample = 0; sample < perBin; ++sample)
      axis.places.push_back(
          Place::at(first + static_cast<float>(i) * bin +
                        (static_cast<float>(sample) + 0.5f) * bin / static_cast<float>(perBin),
                    size));
  return axis;
}

// The value of one bin of one channel; `plane` is the channel's image.
float valueOf(const float *plane, int64_t width, std::span<const Place> rows, std::span<const Place> columns,
              bool takesMaximum) {
  float sum = 0, greatest = 0;
  bool isFirst = true;
  for (const Place &y : rows)
    for (const Place &x : columns) {
      float parts[4] = {};
      if (!y.isOutside && !x.isOutside) {
        const float *low = plane + y.low * width, *high = plane + y.high * width;
        parts[0] = y.lowWeight * x.lowWeight * low[x.low];
        parts[1] = y.lowWeight * x.highWeight * low[x.high];
        parts[2] = y.highWeight * x.lowWeight * high[x.low];
        parts[3] = y.highWeight * x.highWeight * high[x.high];
      }
      sum += parts[0] + parts[1] + parts[2] + parts[3];
      const float most = std::max(std::max(parts[0], parts[1]), std::max(parts[2], parts[3]));
      if (isFirst || most > greatest)
        greatest = most;
      isFirst = false;
    }
  const auto count = static_cast<float>(std::max<size_t>(1, rows.size() * columns.size()));
  return takesMaximum ? greatest : sum / count;
}

} // namespace

Result<HostResult> runRoiAlign(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const Tensor *regions, call.input(1));
  TILERIG_TRY(const std::vector<int64_t> images, indicesOf(call, 2));
  TILERIG_TRY(const auto from, input->tryAs<float>());
  TILERIG_TRY(const auto corners, regions->tryAs<float>());
  const Shape &shape = input->shape();
  if (shape.size() != 4 || countOf(shape) == 0 || regions->shape() != Shape{std::ssize(images), 4})
    return call.refuse(fmt::format("regions of shape {} and {} batch indices do not fit an input of shape {}",
                                   showShape(regions->shape()), images.size(), showShape(shape)));
  TILERIG_TRY(const Pooling pooling, poolingOf(call));
  TILERIG_TRY(Tensor result,
              Tensor::make(DType::f32, {std::ssize(images), shape[1], pooling.rows, pooling.columns}));
  float *to = result.mutableAs<float>().data();
  uint64_t samples = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    if (images[i] < 0 || images[i] >= shape[0])
      return call.refuse(
          fmt::format("batch index {} is out of range for a batch of {}", images[i], shape[0]));
    const float *corner = &corners[4 * i];
    TILERIG_TRY(const RegionAxis columns,
                regionAxis(call, pooling, corner[0], corner[2], pooling.columns, shape[3]));
    TILERIG_TRY(const RegionAxis rows,
                regionAxis(call, pooling, corner[1], corner[3], pooling.rows, shape[2]));
    const auto samplesOfRegion = static_cast<int64_t>(rows.places.size() * columns.places.size());
    if (samplesOfRegion > std::max(int64_t{1} << 20, 16 * shape[2] * shape[3]))
      return call.refuse(fmt::format("{} samples of region {} are too many for an image of {} x {} elements",
                                     samplesOfRegion, i, shape[2], shape[3]));
    samples += static_cast<uint64_t>(samplesOfRegion * shape[1]);
    for (int64_t channel = 0; channel < shape[1]; ++channel)
      for (int64_t row = 0; row < pooling.rows; ++row)
        for (int64_t column = 0; column < pooling.columns; ++column)
          *to++ = valueOf(&from[(images[i] * shape[1] + channel) * shape[2] * shape[3]], shape[3],
                          rows.bin(row), columns.bin(column), pooling.takesMaximum);
  }
  return HostResult{std::vector{std::move(result)}, operationsOfSamples(samples)};
}

} // namespace tilerig::emulator
