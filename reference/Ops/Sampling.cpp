// Sampling at positions given as data: GridSample, and AffineGrid, which computes such positions.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <algorithm>
#include <cmath>

namespace tilerig::reference {

namespace {

// -- GridSample ------------------------------------------------------------------------------------------

enum class Interpolation { nearest, linear, cubic };
enum class Border { zeros, nearest, reflection };

struct GridRule {
  Interpolation kind;
  Border border;
  bool alignCorners;
};

Result<GridRule> gridRule(const OpContext &context) {
  GridRule rule;
  TILERIG_TRY(std::string mode, context.textAttribute("mode", context.opset() < 20 ? "bilinear" : "linear"));
  TILERIG_TRY(std::string padding, context.textAttribute("padding_mode", "zeros"));
  TILERIG_TRY(int64_t align, context.intAttribute("align_corners", 0));
  if (mode == "nearest")
    rule.kind = Interpolation::nearest;
  else if (mode == "bilinear" || mode == "linear")
    rule.kind = Interpolation::linear;
  else if (mode == "bicubic" || mode == "cubic")
    rule.kind = Interpolation::cubic;
  else
    return context.invalid(fmt::format("attribute mode has the unknown value '{}'", mode));
  if (padding == "zeros")
    rule.border = Border::zeros;
  else if (padding == "border")
    rule.border = Border::nearest;
  else if (padding == "reflection")
    rule.border = Border::reflection;
  else
    return context.invalid(fmt::format("attribute padding_mode has the unknown value '{}'", padding));
  rule.alignCorners = align != 0;
  return rule;
}

// Maps grid coordinates to one axis of the image: -1 and 1 are the centres of the axis's first and last
// elements (alignCorners), or the outer edges of these elements.
template <class T>
struct GridAxis {
  const GridRule &rule;
  int64_t size;

  T least() const { return rule.alignCorners ? T(0) : T(-0.5); }
  T greatest() const { return static_cast<T>(size) - (rule.alignCorners ? T(1) : T(0.5)); }

  T coordinateOf(T n) const {
    auto length = static_cast<T>(size);
    return rule.alignCorners ? (n + 1) / 2 * (length - 1) : ((n + 1) * length - 1) / 2;
  }

  // Reflects the coordinate at the ends of the axis until it lies inside.
  T reflected(T x) const {
    T range = greatest() - least();
    if (range <= 0 || !std::isfinite(x))
      return 0;
    T away = std::fmod(std::abs(x - least()), 2 * range);
    return least() + std::min(away, 2 * range - away);
  }

  // Moves a coordinate into the image if the border mode requires it. In mode `nearest`, every coordinate
  // beyond an end of the axis gives the same result, whatever its distance.
  T inside(T x) const {
    if (rule.border == Border::reflection && !(x >= least() && x <= greatest()))
      x = reflected(x);
    if (rule.border == Border::nearest && !(x >= least() && x <= greatest()))
      x = std::isnan(x) ? T(0) : std::clamp(x, T(0), static_cast<T>(size - 1));
    return x;
  }

  // Clamps a coordinate to a range that an integer can hold; NaN is treated as far before the first element.
  T bounded(T x) const {
    constexpr T far = T(1 << 30);
    return std::isnan(x) ? -far : std::clamp(x, -far, far);
  }

  // The index of the element to use for index `place`, which may lie outside the image; -1: use the value 0.
  int64_t elementAt(int64_t place) const {
    if (place >= 0 && place < size)
      return place;
    if (rule.border == Border::zeros)
      return -1;
    if (rule.border == Border::reflection)
      place = static_cast<int64_t>(reflected(static_cast<T>(place)));
    return std::clamp<int64_t>(place, 0, size - 1);
  }
};

// The elements (indices; -1: the value 0) that a sample combines along one axis, with their weights.
template <class T>
struct AxisSample {
  int count = 0;
  int64_t elements[4];
  T weights[4];
};

// Rounds to the nearest element; ties go to even with two spatial axes, and away from zero with three, as in
// PyTorch, where the operator comes from, and in the ONNX reference implementation.
template <class T>
T rounded(T x, size_t axes) {
  return axes == 3 ? std::round(x) : std::nearbyint(x);
}

template <class T>
AxisSample<T> sampleAlong(const GridAxis<T> &axis, T n, size_t axes) {
  T x = axis.coordinateOf(n);
  AxisSample<T> sample;
  auto take = [&](int64_t place, T weight) {
    sample.elements[sample.count] = axis.elementAt(place);
    sample.weights[sample.count++] = weight;
  };
  if (axis.rule.kind == Interpolation::nearest) {
    take(static_cast<int64_t>(axis.bounded(axis.inside(rounded(x, axes)))), 1);
    return sample;
  }
  // With the cubic filter and border mode "border", the indices of elements are clamped to the image but the
  // coordinate is not, since the filter extends across the border.
  if (axis.rule.kind == Interpolation::linear || axis.rule.border == Border::reflection)
    x = axis.inside(x);
  x = axis.bounded(x);
  T below = std::floor(x), r = x - below;
  auto place = static_cast<int64_t>(below);
  if (axis.rule.kind == Interpolation::linear) {
    take(place, 1 - r);
    take(place + 1, r);
    return sample;
  }
  // Keys' cubic convolution kernel with slope -3/4.
  constexpr T a = T(-0.75);
  auto outer = [&](T d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  auto inner = [&](T d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  take(place - 1, outer(r + 1));
  take(place, inner(r));
  take(place + 1, inner(1 - r));
  take(place + 2, outer(2 - r));
  return sample;
}

// The elements of a plane (one channel of an image) that one sample combines, without those that count as
// zero.
template <class T>
struct Taken {
  std::vector<int64_t> elements;
  std::vector<T> weights;
};

template <class T>
class GridSampler {
public:
  GridSampler(const GridRule &rule, std::span<const int64_t> image) : rule(rule), image(image) {}

  // Computes the elements and weights for the sample at position `grid`, which has a coordinate for each
  // axis, innermost first.
  const Taken<T> &at(const T *grid) {
    taken.elements.assign(1, 0);
    taken.weights.assign(1, T(1));
    for (size_t d = 0; d < image.size(); ++d)
      multiply(sampleAlong(GridAxis<T>{rule, image[d]}, grid[image.size() - 1 - d], image.size()), image[d]);
    return taken;
  }

private:
  void multiply(const AxisSample<T> &sample, int64_t size) {
    Taken<T> &product = other;
    product.elements.clear();
    product.weights.clear();
    for (size_t i = 0; i < taken.elements.size(); ++i)
      for (int tap = 0; tap < sample.count; ++tap)
        if (sample.elements[tap] >= 0) {
          product.elements.push_back(taken.elements[i] * size + sample.elements[tap]);
          product.weights.push_back(taken.weights[i] * sample.weights[tap]);
        }
    std::swap(taken, other);
  }

  const GridRule &rule;
  std::span<const int64_t> image;
  Taken<T> taken, other;
};

Status checkGrid(const OpContext &context) {
  const Shape &x = context.input(0).shape(), &grid = context.input(1).shape();
  size_t axes = x.size() - 2;
  bool fits = x.size() >= 3 && grid.size() == x.size() && grid[0] == x[0] &&
              grid.back() == static_cast<int64_t>(axes);
  if (!fits)
    return context.invalid(
        fmt::format("a grid of shape {} does not match input shape {}", showShape(grid), showShape(x)));
  if (axes > 3)
    return context.notSupported(fmt::format("sampling along {} spatial axes is not supported", axes),
                                "use at most 3");
  return success();
}

template <class T>
void sampleGrid(const GridRule &rule, const Shape &shape, const T *x, const T *grid, int64_t positions, T *y,
                Threads &threads) {
  auto image = std::span(shape).subspan(2);
  int64_t channels = shape[1], plane = product(image), axes = static_cast<int64_t>(image.size());
  constexpr int64_t grain = 256;
  threads.forEach(shape[0] * positions, grain, [&](int64_t begin, int64_t end) {
    GridSampler<T> sampler(rule, image);
    for (int64_t i = begin; i < end; ++i) {
      const Taken<T> &taken = sampler.at(grid + i * axes);
      int64_t first = i / positions * channels;
      for (int64_t channel = 0; channel < channels; ++channel) {
        const T *from = x + (first + channel) * plane;
        T sum = 0;
        for (size_t tap = 0; tap < taken.elements.size(); ++tap)
          sum += taken.weights[tap] * from[taken.elements[tap]];
        y[(first + channel) * positions + i % positions] = sum;
      }
    }
  });
}

Status gridSample(OpContext &context) {
  TILERIG_TRY(GridRule rule, gridRule(context));
  TILERIG_CHECK_OK(checkGrid(context));
  DType type = context.input(0).dtype();
  Tensor x = wide(context.input(0));
  const Shape &gridShape = context.input(1).shape();
  Shape shape(x.shape().begin(), x.shape().begin() + 2);
  shape.insert(shape.end(), gridShape.begin() + 1, gridShape.end() - 1);
  int64_t positions = product(std::span(gridShape).subspan(1, x.rank() - 2));
  return withFloats(context, x, [&]<class T>() -> Status {
    TILERIG_TRY(std::vector<T> grid, floatsAs<T>(context, context.input(1)));
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), shape));
    if (y.elementCount() && x.elementCount() == 0)
      return context.invalid(
          fmt::format("the input has shape {}, whose images are empty", showShape(x.shape())));
    if (y.elementCount())
      sampleGrid(rule, x.shape(), x.as<T>().data(), grid.data(), positions, y.template mutableAs<T>().data(),
                 context.threads);
    context.outputs[0] = narrow(std::move(y), type);
    return success();
  });
}

// -- AffineGrid ------------------------------------------------------------------------------------------

// The grid coordinate of element `index` of an axis: -1 and 1 are the centres of the first and last elements
// (alignCorners), or the outer edges of these elements. The coordinate of a single element is 0.
double gridCoordinate(int64_t index, int64_t size, bool alignCorners) {
  auto i = static_cast<double>(index), count = static_cast<double>(size);
  if (alignCorners)
    return size == 1 ? 0 : 2 * i / (count - 1) - 1;
  return (2 * i + 1) / count - 1;
}

// The operator AffineGrid for one image: multiplies the position of every grid point by the matrix theta. The
// coordinates of a position are in the order innermost axis first.
template <class T>
void transformGrid(const T *theta, std::span<const int64_t> image, bool alignCorners, T *grid) {
  size_t axes = image.size();
  int64_t positions = product(image);
  std::vector<double> place(axes + 1, 1);
  for (int64_t i = 0; i < positions; ++i) {
    int64_t rest = i;
    for (size_t d = axes; d-- > 0; rest /= image[d])
      place[axes - 1 - d] = gridCoordinate(rest % image[d], image[d], alignCorners);
    for (size_t row = 0; row < axes; ++row) {
      double sum = 0;
      for (size_t column = 0; column <= axes; ++column)
        sum += static_cast<double>(theta[row * (axes + 1) + column]) * place[column];
      *grid++ = static_cast<T>(sum);
    }
  }
}

Status affineGrid(OpContext &context) {
  const Tensor &theta = context.input(0);
  TILERIG_TRY(std::vector<int64_t> size, context.integers(1));
  TILERIG_TRY(int64_t align, context.intAttribute("align_corners", 0));
  auto axes = static_cast<int64_t>(size.size()) - 2;
  if ((axes != 2 && axes != 3) || theta.shape() != Shape{size[0], axes, axes + 1})
    return context.invalid(fmt::format("theta of shape {} does not match an image of shape {}",
                                       showShape(theta.shape()), showShape(size)));
  std::span<const int64_t> image = std::span(size).subspan(2);
  Shape shape{size[0]};
  shape.insert(shape.end(), image.begin(), image.end());
  shape.push_back(axes);
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor grid, Tensor::makeUninitialised(theta.dtype(), shape));
    const T *from = theta.as<T>().data();
    T *to = grid.template mutableAs<T>().data();
    if (grid.elementCount())
      context.threads.forEach(size[0], 1, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n)
          transformGrid(from + n * axes * (axes + 1), image, align != 0, to + n * product(image) * axes);
      });
    context.outputs[0] = std::move(grid);
    return success();
  });
}

} // namespace

std::span<const OpEntry> samplingOps() {
  static constexpr OpEntry entries[] = {
      {"GridSample", 16, 2, 2, gridSample, HalfFloats::native},
      {"AffineGrid", 20, 2, 2, affineGrid},
  };
  return entries;
}

} // namespace tilerig::reference
