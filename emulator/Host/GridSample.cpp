// The host operator GridSample: interpolates images at positions that are given as data. The grid has a
// coordinate for each spatial axis, innermost axis first; -1 and 1 are the two ends of an axis.
//
// The bits are those of the reference: a sample adds the products of its taps (elements of the image with a
// weight) in ascending order of their position, from +0, without fused multiplications; the weight of a tap is
// the product of its weights along the axes, outermost axis first. Taps that count as zero are left out.
#include "emulator/Host/Kernels.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

enum class Mode { nearest, linear, cubic };
enum class Padding { zeros, border, reflection };

struct Sampling {
  Mode mode;
  Padding padding;
  bool alignsCorners;
  bool roundsTiesAway; // in mode `nearest`: with three spatial axes; otherwise ties go to even
};

constexpr size_t mostAxes = 3;

Result<Sampling> samplingOf(const HostCall &call, size_t axes) {
  const std::string mode = call.text("mode", "linear"), padding = call.text("padding_mode", "zeros");
  TILERIG_TRY(const int64_t align, call.integer("align_corners", 0));
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    return call.refuse(fmt::format("attribute 'mode' has the unknown value '{}'", mode));
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    return call.refuse(fmt::format("attribute 'padding_mode' has the unknown value '{}'", padding));
  return Sampling{mode == "nearest"  ? Mode::nearest
                  : mode == "linear" ? Mode::linear
                                     : Mode::cubic,
                  padding == "zeros"    ? Padding::zeros
                  : padding == "border" ? Padding::border
                                        : Padding::reflection,
                  align != 0, axes == mostAxes};
}

// An element along one axis, and its weight.
struct Tap {
  int64_t index;
  float weight;
};

// The taps of a sample along one axis, without those that count as zero.
struct PointTaps {
  Tap taps[4];
  size_t count = 0;
};

// Maps grid coordinates along one axis of `size` elements to taps.
class Axis {
public:
  Axis(const Sampling &sampling, int64_t size)
      : sampling(sampling), size(size), first(sampling.alignsCorners ? 0.0f : -0.5f),
        last(static_cast<float>(size) - (sampling.alignsCorners ? 1.0f : 0.5f)) {}

  PointTaps tapsAt(float coordinate) const {
    const auto count = static_cast<float>(size);
    const float place =
        sampling.alignsCorners ? (coordinate + 1) / 2 * (count - 1) : ((coordinate + 1) * count - 1) / 2;
    PointTaps taps;
    if (sampling.mode == Mode::nearest)
      add(taps, indexOf(moved(sampling.roundsTiesAway ? std::round(place) : std::nearbyint(place))), 1);
    else if (sampling.mode == Mode::linear)
      addLinear(taps, limited(moved(place)));
    else // the cubic filter reaches across a border, so only reflection moves the position itself
      addCubic(taps, limited(sampling.padding == Padding::reflection ? moved(place) : place));
    return taps;
  }

private:
  bool isInside(float place) const { return place >= first && place <= last; }

  float reflected(float place) const {
    const float range = last - first;
    if (range <= 0 || !std::isfinite(place))
      return 0;
    const float distance = std::fmod(std::abs(place - first), 2 * range);
    return first + std::min(distance, 2 * range - distance);
  }

  // The position after padding: reflected, or moved to the nearest element.
  float moved(float place) const {
    if (sampling.padding == Padding::zeros || isInside(place))
      return place;
    if (sampling.padding == Padding::reflection)
      return reflected(place);
    return std::isnan(place) ? 0.0f : std::clamp(place, 0.0f, static_cast<float>(size - 1));
  }

  // The position, limited to a range in which integers cannot overflow; NaN is far in front of the axis.
  static float limited(float place) {
    constexpr float far = 1 << 30;
    return std::isnan(place) ? -far : std::clamp(place, -far, far);
  }
  static int64_t indexOf(float place) { return static_cast<int64_t>(limited(place)); }

  // Adds the element at `index`, which may be outside the image.
  void add(PointTaps &taps, int64_t index, float weight) const {
    if (index < 0 || index >= size) {
      if (sampling.padding == Padding::zeros)
        return;
      if (sampling.padding == Padding::reflection)
        index = static_cast<int64_t>(reflected(static_cast<float>(index)));
      index = std::clamp<int64_t>(index, 0, size - 1);
    }
    taps.taps[taps.count++] = {index, weight};
  }

  void addLinear(PointTaps &taps, float place) const {
    const float below = std::floor(place), beyond = place - below;
    add(taps, static_cast<int64_t>(below), 1 - beyond);
    add(taps, static_cast<int64_t>(below) + 1, beyond);
  }

  // The cubic convolution of Keys with slope -3/4: the taps at distances up to 2.
  void addCubic(PointTaps &taps, float place) const {
    constexpr float a = -0.75f;
    const auto near = [](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto distant = [](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    const float below = std::floor(place), beyond = place - below;
    const auto index = static_cast<int64_t>(below);
    add(taps, index - 1, distant(beyond + 1));
    add(taps, index, near(beyond));
    add(taps, index + 1, near(1 - beyond));
    add(taps, index + 2, distant(2 - beyond));
  }

  const Sampling &sampling;
  int64_t size;
  float first, last; // the ends of the axis: its outer elements, or their outer edges
};

// The taps of the sample at grid position `grid` as offsets into an image, in ascending order of positions.
std::vector<Tap> tapsAt(const std::vector<Axis> &axes, std::span<const int64_t> image, const float *grid) {
  std::vector<Tap> taps = {{0, 1.0f}}, next;
  for (size_t d = 0; d < axes.size(); ++d) {
    const PointTaps along = axes[d].tapsAt(grid[axes.size() - 1 - d]);
    next.clear();
    for (const Tap &outer : taps)
      for (const Tap &tap : std::span(along.taps, along.count))
        next.push_back({outer.index * image[d] + tap.index, outer.weight * tap.weight});
    std::swap(taps, next);
  }
  return taps;
}

} // namespace

Result<HostResult> runGridSample(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const Tensor *positions, call.input(1));
  TILERIG_TRY(const auto from, input->tryAs<float>());
  TILERIG_TRY(const auto grid, positions->tryAs<float>());
  const Shape &shape = input->shape(), &gridShape = positions->shape();
  const size_t count = shape.size() < 2 ? 0 : shape.size() - 2;
  if (count < 1 || count > mostAxes || gridShape.size() != shape.size() || gridShape[0] != shape[0] ||
      gridShape.back() != static_cast<int64_t>(count))
    return call.refuse(fmt::format("a grid of shape {} does not fit an input of shape {}",
                                   showShape(gridShape), showShape(shape)));
  TILERIG_TRY(const Sampling sampling, samplingOf(call, count));
  const std::span image = std::span(shape).subspan(2);
  std::vector<Axis> axes;
  for (const int64_t size : image)
    axes.emplace_back(sampling, size);
  Shape resultShape = {shape[0], shape[1]};
  resultShape.insert(resultShape.end(), gridShape.begin() + 1, gridShape.end() - 1);
  TILERIG_TRY(Tensor result, Tensor::make(DType::f32, resultShape));
  const auto to = result.mutableAs<float>();
  const uint64_t channels = static_cast<uint64_t>(shape[1]),
                 plane = countOf(Shape(image.begin(), image.end())),
                 samples = countOf(Shape(gridShape.begin() + 1, gridShape.end() - 1));
  if (plane == 0 && !to.empty())
    return call.refuse(fmt::format("the images of the input of shape {} are empty", showShape(shape)));
  for (uint64_t i = 0; i < static_cast<uint64_t>(shape[0]) * samples; ++i) {
    const std::vector<Tap> taps = tapsAt(axes, image, &grid[i * count]);
    for (uint64_t channel = i / samples * channels; channel < (i / samples + 1) * channels; ++channel) {
      float sum = 0;
      for (const Tap &tap : taps)
        sum += tap.weight * from[channel * plane + static_cast<uint64_t>(tap.index)];
      to[channel * samples + i % samples] = sum;
    }
  }
  return HostResult{std::vector{std::move(result)}};
}

} // namespace tilerig::emulator
