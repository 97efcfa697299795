// Pooling operators over windows and over whole images: average, maximum, Lp norm.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/Pool.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Pooling rules (Pool.h) for the Lp norm, (sum of |x|^p)^(1/p): for p = 1, for p = 2, and for general p.
template <class T>
struct SumNorm {
  static constexpr bool orderMatters = true;
  T start() const { return 0; }
  void take(T &sum, T x) const { sum += std::abs(x); }
  T finish(T sum, int64_t) const { return sum; }
};
template <class T>
struct EuclideanNorm {
  static constexpr bool orderMatters = true;
  T start() const { return 0; }
  void take(T &sum, T x) const { sum += x * x; }
  T finish(T sum, int64_t) const { return std::sqrt(sum); }
};
template <class T>
struct PowerNorm {
  static constexpr bool orderMatters = true;
  T p;
  T start() const { return 0; }
  void take(T &sum, T x) const { sum += std::pow(std::abs(x), p); }
  T finish(T sum, int64_t) const { return std::pow(sum, T(1) / p); }
};

// Calls f with the pooling rule for the Lp norm that belongs to `p`.
template <class T, class F>
void withNorm(float p, F f) {
  if (p == 1)
    f(SumNorm<T>{});
  else if (p == 2)
    f(EuclideanNorm<T>{});
  else
    f(PowerNorm<T>{static_cast<T>(p)});
}

// Reads the attribute p of an Lp norm, which is an integer since opset 2.
Result<float> exponentOf(const OpContext &context) {
  if (context.opset() < 2) {
    TILERIG_TRY(float p, context.floatAttribute("p", 2.0f));
    if (!(p >= 1) || std::isinf(p))
      return context.invalid(fmt::format("attribute p is {}, expected at least 1", p));
    return p;
  }
  TILERIG_TRY(int64_t p, context.intAttribute("p", 2));
  if (p < 1)
    return context.invalid(fmt::format("attribute p is {}, expected at least 1", p));
  return static_cast<float>(p);
}

Status checkImages(const OpContext &context) {
  const Shape &shape = context.input(0).shape();
  if (shape.size() < 3)
    return context.invalid(fmt::format(
        "the input has shape {}, expected batch, channels and at least one spatial axis", showShape(shape)));
  return success();
}

// Refuses pads that are not shorter than the window, since a window that only reads padding has no average
// and no maximum. Dilated windows can still have all their taps in the padding (checkNoneEmpty).
Status checkPads(const OpContext &context, const Window &window) {
  for (const WindowAxis &axis : window)
    if (axis.padBegin >= axis.extent() || axis.padEnd >= axis.extent())
      return context.invalid(fmt::format("pads {} and {} must be less than the window's {} elements",
                                         axis.padBegin, axis.padEnd, axis.extent()));
  return success();
}

Status checkNoneEmpty(const OpContext &context, const Window &window) {
  const Shape &shape = context.input(0).shape();
  if (product(std::span(shape).first(2)) == 0)
    return success();
  if (countImage(window) == 0)
    return context.invalid(fmt::format("the input has shape {}, whose images are empty", showShape(shape)));
  for (const WindowAxis &axis : window)
    for (int64_t position = 0; position < axis.outputs; ++position)
      if (tapsInside(axis, position).length() == 0)
        return context.invalid(fmt::format(
            "the window at position {} of an axis of size {} covers only padding", position, axis.size));
  return success();
}

Result<Window> poolWindow(const OpContext &context) {
  TILERIG_CHECK_OK(checkImages(context));
  TILERIG_TRY(std::vector<int64_t> kernel, context.intsAttribute("kernel_shape"));
  TILERIG_TRY(int64_t ceilMode, context.intAttribute("ceil_mode", 0));
  TILERIG_TRY(Window window,
              windowOver(context, std::span(context.input(0).shape()).subspan(2), kernel, ceilMode != 0));
  TILERIG_CHECK_OK(checkPads(context, window));
  return window;
}

// The sizes of batch and channels, the first two dimensions: each pair of their indices is an image of its
// own.
std::span<const int64_t> leadingOf(const Tensor &tensor) { return std::span(tensor.shape()).first(2); }

template <class Rule, class T>
Status poolWith(OpContext &context, Rule rule, const Window &window, bool countPadding) {
  const Tensor &x = context.input(0);
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), outputShape(leadingOf(x), window)));
  poolPlanes(rule, window, countPadding, product(leadingOf(x)), x.as<T>().data(), y.mutableAs<T>().data(),
             context.threads);
  context.outputs[0] = std::move(y);
  return success();
}

Status averagePool(OpContext &context) {
  TILERIG_TRY(Window window, poolWindow(context));
  TILERIG_TRY(int64_t countPadding, context.intAttribute("count_include_pad", 0));
  if (!countPadding)
    TILERIG_CHECK_OK(checkNoneEmpty(context, window));
  return withFloats(
      context, [&]<class T>() { return poolWith<AverageOf<T>, T>(context, {}, window, countPadding != 0); });
}

Status lpPool(OpContext &context) {
  TILERIG_TRY(Window window, poolWindow(context));
  TILERIG_TRY(float p, exponentOf(context));
  return withFloats(context, [&]<class T>() {
    Status status = success();
    withNorm<T>(p, [&](auto rule) { status = poolWith<decltype(rule), T>(context, rule, window, false); });
    return status;
  });
}

template <template <class> class Rule>
Status globalPool(OpContext &context) {
  TILERIG_CHECK_OK(checkImages(context));
  const Tensor &x = context.input(0);
  int64_t planes = product(leadingOf(x)), size = product(std::span(x.shape()).subspan(2));
  if (planes && !size)
    return context.invalid(
        fmt::format("the input has shape {}, whose images are empty", showShape(x.shape())));
  Shape shape(x.rank(), 1);
  std::copy_n(x.shape().begin(), 2, shape.begin());
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), shape));
    const T *from = x.as<T>().data();
    T *to = y.template mutableAs<T>().data();
    if constexpr (std::is_same_v<Rule<T>, PowerNorm<T>>) {
      TILERIG_TRY(float p, exponentOf(context));
      withNorm<T>(p, [&](auto rule) { poolWhole(rule, planes, size, from, to, context.threads); });
    } else {
      poolWhole(Rule<T>{}, planes, size, from, to, context.threads);
    }
    context.outputs[0] = std::move(y);
    return success();
  });
}

// Converts the index `place` of an image element from row-major to column-major order.
int64_t placeByColumns(const Window &window, int64_t place) {
  int64_t result = 0;
  for (size_t d = window.size(); d-- > 0; place /= window[d].size)
    result = result * window[d].size + place % window[d].size;
  return result;
}

// Writes to `to` the index of the maximum of each window: the first of equal elements; the first NaN if there
// is one.
template <class T>
void poolPlaces(const Window &window, bool byColumns, int64_t planes, const T *x, int64_t *to,
                Threads &threads) {
  const WindowAxis &inner = window.back();
  int64_t image = countImage(window), positions = countOutputs(window);
  if (planes == 0 || positions == 0)
    return;
  int64_t rows = positions / inner.outputs;
  auto greatestAt = [&](const T *plane, const std::vector<int64_t> &lines, int64_t position) {
    Span taps = tapsInside(inner, position);
    int64_t first = inner.start(position), best = -1;
    for (int64_t line : lines)
      for (int64_t tap = taps.begin; tap < taps.end; ++tap) {
        int64_t at = line * inner.size + first + tap * inner.dilation;
        bool better =
            best < 0 || plane[at] > plane[best] || (plane[at] != plane[at] && plane[best] == plane[best]);
        best = better ? at : best;
      }
    return best;
  };
  threads.forEach(planes * rows, std::max<int64_t>(1, 1024 / inner.outputs), [&](int64_t begin, int64_t end) {
    RowsSeen seen(window);
    for (int64_t i = begin; i < end; ++i) {
      const std::vector<int64_t> &lines = seen.of(i % rows);
      int64_t plane = i / rows * image;
      for (int64_t position = 0; position < inner.outputs; ++position) {
        int64_t best = greatestAt(x + plane, lines, position);
        to[i * inner.outputs + position] = plane + (byColumns ? placeByColumns(window, best) : best);
      }
    }
  });
}

Status maxPool(OpContext &context) {
  TILERIG_TRY(Window window, poolWindow(context));
  TILERIG_TRY(int64_t byColumns, context.intAttribute("storage_order", 0));
  if (byColumns != 0 && byColumns != 1)
    return context.invalid(fmt::format("attribute storage_order is {}, expected 0 or 1", byColumns));
  if (context.wants(1))
    TILERIG_CHECK_OK(checkNoneEmpty(context, window));
  const Tensor &x = context.input(0);
  return dispatch(x.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
      if (context.wants(1)) {
        TILERIG_TRY(Tensor places, Tensor::makeUninitialised(DType::i64, outputShape(leadingOf(x), window)));
        poolPlaces(window, byColumns == 1, product(leadingOf(x)), x.as<T>().data(),
                   places.template mutableAs<int64_t>().data(), context.threads);
        context.outputs[1] = std::move(places);
      }
      return poolWith<GreatestOf<T>, T>(context, {}, window, false);
    } else {
      return context.invalid(
          fmt::format("the input has type {}, expected a float type, int8 or uint8", nameOf(x.dtype())));
    }
  });
}

// The default shape of the result of MaxUnpool: the smallest images from which MaxPool with the node's
// attributes would produce the input.
Result<Shape> unpooledShape(const OpContext &context) {
  const Shape &in = context.input(0).shape();
  TILERIG_TRY(std::vector<int64_t> kernel, context.intsAttribute("kernel_shape"));
  if (kernel.size() + 2 != in.size())
    return context.invalid(fmt::format("the kernel has {} axes, which does not match input shape {}",
                                       kernel.size(), showShape(in)));
  TILERIG_TRY(WindowAttributes attributes, windowAttributes(context, kernel));
  Shape shape(in.begin(), in.begin() + 2);
  for (size_t d = 0; d < kernel.size(); ++d) {
    const WindowAxis &axis = attributes.axes[d];
    int64_t size;
    if (__builtin_mul_overflow(in[d + 2] - 1, axis.stride, &size) ||
        __builtin_add_overflow(size, axis.kernel - axis.padBegin - axis.padEnd, &size) || size < 0)
      return context.invalid(
          fmt::format("an axis of size {} cannot be unpooled with stride {}, kernel {} and pads {}+{}",
                      in[d + 2], axis.stride, axis.kernel, axis.padBegin, axis.padEnd));
    shape.push_back(size);
  }
  TILERIG_CHECK_OK(sizeBytesOf(DType::f64, shape));
  return shape;
}

// The operator MaxUnpool; if output_shape is larger than the default, zeros are added at the end of each
// axis.
Status maxUnpool(OpContext &context) {
  TILERIG_CHECK_OK(checkImages(context));
  const Tensor &x = context.input(0);
  if (context.input(1).dtype() != DType::i64 || context.input(1).shape() != x.shape())
    return context.invalid(fmt::format("the indices have type and shape {} {}, expected int64 {}",
                                       nameOf(context.input(1).dtype()), showShape(context.input(1).shape()),
                                       showShape(x.shape())));
  TILERIG_TRY(Shape inferred, unpooledShape(context));
  Shape wanted = inferred;
  if (context.has(2)) {
    TILERIG_TRY(wanted, context.integers(2));
    bool fits = wanted.size() == inferred.size();
    for (size_t d = 0; fits && d < wanted.size(); ++d)
      fits = d < 2 ? wanted[d] == inferred[d] : wanted[d] >= inferred[d];
    if (!fits)
      return context.invalid(
          fmt::format("output_shape is {}, expected at least {}", showShape(wanted), showShape(inferred)));
  }
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::make(x.dtype(), wanted));
    auto strides = y.strides();
    auto from = x.as<T>();
    auto places = context.input(1).as<int64_t>();
    T *elements = y.template mutableAs<T>().data();
    int64_t size = product(inferred);
    for (size_t i = 0; i < from.size(); ++i) {
      int64_t place = places[i], at = 0;
      if (place < 0 || place >= size)
        return context.invalid(
            fmt::format("index {} is out of range for shape {}", place, showShape(inferred)));
      for (size_t d = inferred.size(); d-- > 0; place /= inferred[d])
        at += place % inferred[d] * strides[d];
      elements[at] = from[i];
    }
    context.outputs[0] = std::move(y);
    return success();
  });
}

} // namespace

std::span<const OpEntry> poolingOps() {
  static constexpr OpEntry entries[] = {
      {"AveragePool", 1, 1, 1, averagePool},
      {"MaxPool", 1, 1, 1, maxPool},
      {"LpPool", 1, 1, 1, lpPool},
      {"GlobalAveragePool", 1, 1, 1, globalPool<AverageOf>},
      {"GlobalMaxPool", 1, 1, 1, globalPool<GreatestOf>},
      {"GlobalLpPool", 1, 1, 1, globalPool<PowerNorm>},
      {"MaxUnpool", 9, 2, 3, maxUnpool},
  };
  return entries;
}

} // namespace tilerig::reference
