// RoiAlign: divides regions of an image into bins; each bin is the average or maximum of a few samples, each
// interpolated bilinearly.
//
// The four weights of a sample are products of two weights along each axis, so a region needs only a short
// table of weights for each axis. In mode "max", the maximum is taken over the weighted elements themselves,
// four for each sample, as in ONNX's test data.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <algorithm>
#include <cmath>

namespace tilerig::reference {

namespace {

struct RoiRule {
  bool maximum, halfPixel;
  // The result has `high` × `wide` bins. Each bin takes `ratio` samples along each axis; a ratio of 0 means
  // one sample for each element of the input that the bin spans.
  int64_t high, wide, ratio;
  float scale;
};

Result<RoiRule> roiRule(const OpContext &context) {
  RoiRule rule;
  TILERIG_TRY(std::string mode, context.textAttribute("mode", "avg"));
  TILERIG_TRY(std::string coordinates,
              context.textAttribute("coordinate_transformation_mode",
                                    context.opset() < 16 ? "output_half_pixel" : "half_pixel"));
  if (mode != "avg" && mode != "max")
    return context.invalid(fmt::format("attribute mode is '{}', expected avg or max", mode));
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return context.invalid(
        fmt::format("attribute coordinate_transformation_mode has the unknown value '{}'", coordinates));
  rule.maximum = mode == "max";
  rule.halfPixel = coordinates == "half_pixel";
  TILERIG_TRY(rule.high, context.intAttribute("output_height", 1));
  TILERIG_TRY(rule.wide, context.intAttribute("output_width", 1));
  TILERIG_TRY(rule.ratio, context.intAttribute("sampling_ratio", 0));
  TILERIG_TRY(rule.scale, context.floatAttribute("spatial_scale", 1.0f));
  constexpr int64_t most = int64_t{1} << 20;
  if (rule.high < 1 || rule.wide < 1 || rule.ratio < 0 || rule.high > most || rule.wide > most)
    return context.invalid(
        fmt::format("output_height {}, output_width {} or sampling_ratio {} is out of range", rule.high,
                    rule.wide, rule.ratio));
  return rule;
}

// A sample along one axis: the two elements around it and their weights. A sample more than one element
// outside the image has zero weights.
template <class T>
struct Sample {
  int64_t low = 0, high = 0;
  T lowWeight = 0, highWeight = 0;

  static Sample at(T place, int64_t size) {
    if (!(place >= -1) || place > static_cast<T>(size))
      return {};
    place = std::max(place, T(0));
    auto low = static_cast<int64_t>(place);
    if (low >= size - 1)
      return {size - 1, size - 1, 1, 0};
    T beyond = place - static_cast<T>(low);
    return {low, low + 1, 1 - beyond, beyond};
  }
};

// The samples of a region along one axis, bin by bin.
template <class T>
struct RoiAxis {
  int64_t perBin = 0;
  std::vector<Sample<T>> samples;
};

template <class T>
Result<RoiAxis<T>> roiAxis(const OpContext &context, const RoiRule &rule, T begin, T end, int64_t bins,
                           int64_t size) {
  T offset = rule.halfPixel ? T(0.5) : T(0), scale = static_cast<T>(rule.scale);
  begin = begin * scale - offset;
  T length = end * scale - offset - begin;
  if (!rule.halfPixel)
    length = std::max(length, T(1));
  T bin = length / static_cast<T>(bins);
  // Limits the number of samples: it is useless to take far more samples than the image has elements.
  int64_t most = std::max<int64_t>(4096, 4 * size);
  if (!std::isfinite(begin) || !std::isfinite(length) || bin > static_cast<T>(most) || rule.ratio > most)
    return context.invalid(
        fmt::format("a region from {} to {} with sampling_ratio {} is too large for an axis of size {}",
                    begin, begin + length, rule.ratio, size));
  RoiAxis<T> axis;
  axis.perBin = rule.ratio > 0 ? rule.ratio : std::max<int64_t>(0, static_cast<int64_t>(std::ceil(bin)));
  constexpr int64_t mostSamples = int64_t{1} << 20;
  if (axis.perBin > mostSamples / bins)
    return context.notSupported(
        fmt::format("{} samples in each of {} bins along an axis are too many", axis.perBin, bins));
  for (int64_t b = 0; b < bins; ++b)
    for (int64_t i = 0; i < axis.perBin; ++i) {
      T place =
          begin + static_cast<T>(b) * bin + (static_cast<T>(i) + T(0.5)) * bin / static_cast<T>(axis.perBin);
      axis.samples.push_back(Sample<T>::at(place, size));
    }
  return axis;
}

template <class T>
T poolBin(const T *plane, int64_t width, const Sample<T> *rows, int64_t rowCount, const Sample<T> *columns,
          int64_t columnCount, bool maximum) {
  T sum = 0, greatest = 0;
  bool first = true;
  for (int64_t i = 0; i < rowCount; ++i)
    for (int64_t j = 0; j < columnCount; ++j) {
      const Sample<T> &y = rows[i], &x = columns[j];
      // A sample outside the image has zero weights along an axis; it is skipped, since the element read
      // there may be NaN.
      bool outside = (y.lowWeight == 0 && y.highWeight == 0) || (x.lowWeight == 0 && x.highWeight == 0);
      T parts[4] = {};
      if (!outside) {
        const T *low = plane + y.low * width, *high = plane + y.high * width;
        parts[0] = y.lowWeight * x.lowWeight * low[x.low];
        parts[1] = y.lowWeight * x.highWeight * low[x.high];
        parts[2] = y.highWeight * x.lowWeight * high[x.low];
        parts[3] = y.highWeight * x.highWeight * high[x.high];
      }
      sum += parts[0] + parts[1] + parts[2] + parts[3];
      T most = std::max(std::max(parts[0], parts[1]), std::max(parts[2], parts[3]));
      greatest = first || most > greatest ? most : greatest;
      first = false;
    }
  return maximum ? greatest : sum / static_cast<T>(std::max<int64_t>(1, rowCount * columnCount));
}

template <class T>
Status alignRegion(const OpContext &context, const RoiRule &rule, const Shape &shape, const T *image,
                   const T *roi, T *y) {
  TILERIG_TRY(RoiAxis<T> columns, roiAxis(context, rule, roi[0], roi[2], rule.wide, shape[3]));
  TILERIG_TRY(RoiAxis<T> rows, roiAxis(context, rule, roi[1], roi[3], rule.high, shape[2]));
  // Limits the number of samples of a region, which is the product of the numbers of samples along both axes.
  const auto samples = static_cast<int64_t>(rows.samples.size() * columns.samples.size());
  if (samples > std::max(int64_t{1} << 20, 16 * shape[2] * shape[3]))
    return context.notSupported(
        fmt::format("{} samples of one region are too many for an image of {} x {} elements", samples,
                    shape[2], shape[3]));
  for (int64_t channel = 0; channel < shape[1]; ++channel)
    for (int64_t i = 0; i < rule.high; ++i)
      for (int64_t j = 0; j < rule.wide; ++j)
        *y++ =
            poolBin(image + channel * shape[2] * shape[3], shape[3], rows.samples.data() + i * rows.perBin,
                    rows.perBin, columns.samples.data() + j * columns.perBin, columns.perBin, rule.maximum);
  return success();
}

Status checkOperands(const OpContext &context, const std::vector<int64_t> &images) {
  const Shape &x = context.input(0).shape(), &rois = context.input(1).shape();
  auto count = static_cast<int64_t>(images.size());
  if (x.size() != 4 || rois != Shape{count, 4} || context.input(2).rank() != 1)
    return context.invalid(fmt::format("input {}, regions {} and {} batch indices do not match", showShape(x),
                                       showShape(rois), count));
  for (int64_t image : images)
    if (image < 0 || image >= x[0])
      return context.invalid(fmt::format("batch index {} is out of range for a batch of {}", image, x[0]));
  if (count && x[2] * x[3] == 0)
    return context.invalid(fmt::format("the input has shape {}, whose images are empty", showShape(x)));
  if (context.input(1).dtype() != context.input(0).dtype())
    return context.invalid("input and regions must have the same type");
  return success();
}

Status roiAlign(OpContext &context) {
  TILERIG_TRY(RoiRule rule, roiRule(context));
  TILERIG_TRY(std::vector<int64_t> images, context.integers(2));
  TILERIG_CHECK_OK(checkOperands(context, images));
  const Tensor &x = context.input(0);
  const Shape &shape = x.shape();
  auto count = static_cast<int64_t>(images.size());
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), {count, shape[1], rule.high, rule.wide}));
    const T *from = x.as<T>().data(), *rois = context.input(1).as<T>().data();
    T *to = y.template mutableAs<T>().data();
    std::vector<Status> done(images.size(), success());
    context.threads.forEach(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        done[static_cast<size_t>(i)] =
            alignRegion(context, rule, shape,
                        from + images[static_cast<size_t>(i)] * product(std::span(shape).subspan(1)),
                        rois + 4 * i, to + i * shape[1] * rule.high * rule.wide);
    });
    for (Status &status : done)
      TILERIG_CHECK_OK(std::move(status));
    context.outputs[0] = std::move(y);
    return success();
  });
}

} // namespace

std::span<const OpEntry> regionOps() {
  static constexpr OpEntry entries[] = {
      {"RoiAlign", 10, 3, 3, roiAlign},
  };
  return entries;
}

} // namespace tilerig::reference
