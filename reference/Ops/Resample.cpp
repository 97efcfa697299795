// The loops of Resize, applied axis by axis from the innermost outwards, each axis with its own taps and
// weights.
#include "reference/Ops/Axes.h"
#include "reference/Ops/ElementOfSize.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/Resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilerig::reference {

namespace {

constexpr int64_t grain = 1 << 14;

// Calls use(outer, i) for all slices of a resized tensor, in parallel: `outer` is the number of a combination
// of indices along the axes before the resized one, i an index along the resized axis, which has `out`
// elements.
template <class Use>
void forEachSlice(const AxisSplit &split, int64_t out, Threads &threads, Use use) {
  threads.forEach(split.outer * out, std::max<int64_t>(1, grain / split.inner),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i)
                      use(i / out, i % out);
                  });
}

// Calls use(row), in parallel, for all rows of a tensor that is resized along its innermost axis.
// forEachSlice() would make a call for each element there.
template <class Use>
void forEachRow(const AxisSplit &split, int64_t out, Threads &threads, Use use) {
  threads.forEach(split.outer, std::max<int64_t>(1, grain / out), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      use(row);
  });
}

template <class T>
void pickAlong(const T *x, const AxisSplit &split, const AxisTaps &taps, int64_t out, T *y,
               Threads &threads) {
  const int64_t *places = taps.places.data();
  if (split.inner == 1)
    forEachRow(split, out, threads, [&](int64_t row) {
      for (int64_t i = 0; i < out; ++i)
        y[row * out + i] = x[row * split.size + places[i]];
    });
  else
    forEachSlice(split, out, threads, [&](int64_t outer, int64_t i) {
      std::copy_n(x + (outer * split.size + places[i]) * split.inner, split.inner,
                  y + (outer * out + i) * split.inner);
    });
}

// Starting value of a weighted sum: adding any product to -0 gives the product unchanged, even if it is -0.
template <class T>
constexpr T nothing = T(-0.0);

// One step of a weighted sum, fused in the machine's arithmetic. An element of weight 0 is skipped, even if
// infinite.
template <bool fused, class T>
T plusProduct(T sum, T weight, T x) {
  T more = fused ? std::fma(weight, x, sum) : sum + weight * x;
  return weight == 0 ? sum : more;
}

// Sets y to the weighted sum of `count` rows, added in ascending order.
template <bool fused, class T>
void sumRows(const T *x, int64_t inner, const int64_t *places, const T *weights, int64_t count, T *y) {
  const T *first = x + places[0] * inner, *second = x + places[1] * inner;
  for (int64_t i = 0; i < inner; ++i)
    y[i] = plusProduct<fused>(plusProduct<fused>(nothing<T>, weights[0], first[i]), weights[1], second[i]);
  for (int64_t tap = 2; tap < count; ++tap) {
    const T *row = x + places[tap] * inner;
    T weight = weights[tap];
    for (int64_t i = 0; i < inner; ++i)
      y[i] = plusProduct<fused>(y[i], weight, row[i]);
  }
}

template <bool fused, class T>
void weighAlong(const T *x, const AxisSplit &split, const AxisTaps &taps, int64_t out, T *y,
                Threads &threads) {
  std::vector<T> weights(taps.weights.begin(), taps.weights.end());
  const int64_t *places = taps.places.data();
  if (split.inner > 1)
    return forEachSlice(split, out, threads, [&](int64_t outer, int64_t i) {
      sumRows<fused>(x + outer * split.size * split.inner, split.inner, places + i * taps.taps,
                     weights.data() + i * taps.taps, taps.taps, y + (outer * out + i) * split.inner);
    });
  auto rows = [&](auto count) {
    forEachRow(split, out, threads, [&](int64_t row) {
      const T *from = x + row * split.size;
      for (int64_t i = 0; i < out; ++i) {
        const int64_t *place = places + i * count;
        const T *weight = weights.data() + i * count;
        T sum = nothing<T>;
        for (int64_t tap = 0; tap < count; ++tap)
          sum = plusProduct<fused>(sum, weight[tap], from[place[tap]]);
        y[row * out + i] = sum;
      }
    });
  };
  if (taps.taps == 2)
    rows(std::integral_constant<int64_t, 2>());
  else
    rows(taps.taps);
}

// Sets the slices of the result that lie outside the input (taps.outside) to `element`.
template <class T>
void fillOutside(T *y, const AxisSplit &split, const AxisTaps &taps, int64_t out, T element) {
  for (int64_t outer = 0; outer < split.outer; ++outer)
    for (int64_t i = 0; i < out; ++i)
      if (taps.outside[static_cast<size_t>(i)])
        std::fill_n(y + (outer * out + i) * split.inner, split.inner, element);
}

// Converts a float to an integer type: truncates towards zero and clamps; NaN becomes 0. For small types, the
// value is first rounded to float32. Otherwise a tiny error below a whole number would make the result too
// small by one.
template <class T>
T cutOff(double x) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (sizeof(T) < 4)
      x = static_cast<double>(static_cast<float>(x));
    using Limits = std::numeric_limits<T>;
    // The smallest number above the range of the type, exact in double.
    const double above = std::ldexp(1.0, Limits::digits);
    return std::isnan(x)                            ? T(0)
           : x >= above                             ? Limits::max()
           : x < static_cast<double>(Limits::min()) ? Limits::min()
                                                    : static_cast<T>(x);
  } else {
    return static_cast<T>(x);
  }
}

struct Resizing {
  const ResizeRule &rule;
  std::span<const ResizeAxis> axes;
  Threads &threads;

  bool crops() const { return rule.coordinates == CoordinateMode::tfCropAndResize; }
  bool changes(const ResizeAxis &axis) const {
    return axis.in != axis.out || axis.scale != 1 || (crops() && (axis.begin != 0 || axis.end != 1));
  }

  Result<Tensor> nearest(Tensor x) const {
    return along(std::move(x), [&](const Tensor &from, const AxisSplit &split, const AxisTaps &taps,
                                   int64_t out, Tensor &to) {
      withElementOfSize(sizeBytes(from.dtype()), [&]<class Element>() {
        pickAlong(reinterpret_cast<const Element *>(from.bytes().data()), split, taps, out,
                  reinterpret_cast<Element *>(to.mutableBytes().data()), threads);
      });
    });
  }

  template <class T>
  Result<Tensor> interpolated(Tensor x) const {
    return along(std::move(x), [&](const Tensor &from, const AxisSplit &split, const AxisTaps &taps,
                                   int64_t out, Tensor &to) {
      auto weigh = taps.machine ? weighAlong<true, T> : weighAlong<false, T>;
      weigh(from.as<T>().data(), split, taps, out, to.mutableAs<T>().data(), threads);
    });
  }

private:
  // Resizes along every axis that changes size, one after the other, by calling step(from, split, taps, out,
  // to). Extrapolated slices are filled last, so that later axes do not change them.
  template <class Step>
  Result<Tensor> along(Tensor x, Step step) const {
    std::vector<std::pair<size_t, AxisTaps>> cropped;
    for (size_t d = axes.size(); d-- > 0;) {
      const ResizeAxis &axis = axes[d];
      if (!changes(axis))
        continue;
      Shape shape = x.shape();
      shape[d] = axis.out;
      TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), shape));
      AxisSplit split(x.shape(), d);
      AxisTaps taps = axis.in == 0 ? AxisTaps() : tapsOf(rule, axis);
      if (y.elementCount())
        step(x, split, taps, axis.out, y);
      if (!taps.outside.empty())
        cropped.emplace_back(d, std::move(taps));
      x = std::move(y);
    }
    for (const auto &[d, taps] : cropped)
      fill(x, d, taps);
    return x;
  }

  void fill(Tensor &y, size_t d, const AxisTaps &taps) const {
    AxisSplit split(y.shape(), d);
    dispatch(y.dtype(), [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>)
        fillOutside(y.mutableAs<T>().data(), split, taps, split.size, cutOff<T>(rule.extrapolation));
    });
  }
};

template <class T>
Tensor toDouble(const Tensor &x) {
  Tensor result(DType::f64, x.shape());
  auto from = x.as<T>();
  std::transform(from.begin(), from.end(), result.mutableAs<double>().begin(),
                 [](T element) { return static_cast<double>(element); });
  return result;
}
template <class T>
Tensor fromDouble(const Tensor &x) {
  Tensor result(dtypeOf<T>, x.shape());
  auto from = x.as<double>();
  std::transform(from.begin(), from.end(), result.mutableAs<T>().begin(), cutOff<T>);
  return result;
}

// Checks that the sizes in bytes of the intermediate tensors do not overflow: each axis counts with the
// larger of its old and new size.
Status checkSizes(const Tensor &x, std::span<const ResizeAxis> axes) {
  Shape shape = x.shape();
  for (size_t d = 0; d < axes.size(); ++d)
    shape[d] = std::max(shape[d], axes[d].out);
  TILERIG_CHECK_OK(sizeBytesOf(DType::f64, shape));
  return success();
}

} // namespace

Status resample(OpContext &context, ResizeRule rule, std::span<const ResizeAxis> axes) {
  const Tensor &x = context.input(0);
  DType type = x.dtype();
  rule.machine = context.arithmetic == Arithmetic::machine && type != DType::f64;
  TILERIG_CHECK_OK(checkSizes(x, axes));
  Resizing resizing{rule, axes, context.threads};
  return dispatch(type, [&]<class T>() -> Status {
    bool fills = resizing.crops() && !std::is_floating_point_v<T> && !isHalf(type);
    if (fills && (!std::is_arithmetic_v<T> || std::is_same_v<T, bool>))
      return context.invalid(
          fmt::format("an input of type {} cannot be cropped, expected a numeric type", nameOf(type)));
    if (rule.kind == ResizeRule::Kind::nearest && !isHalf(type)) {
      TILERIG_TRY(context.outputs[0], resizing.nearest(x));
    } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
      TILERIG_TRY(context.outputs[0], resizing.interpolated<T>(x));
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      TILERIG_TRY(Tensor y, resizing.interpolated<double>(toDouble<T>(x)));
      context.outputs[0] = fromDouble<T>(y);
    } else if (isHalf(type)) {
      Tensor from = widened(x);
      bool nearest = rule.kind == ResizeRule::Kind::nearest;
      TILERIG_TRY(Tensor y, nearest ? resizing.nearest(from) : resizing.interpolated<float>(from));
      context.outputs[0] = narrowed(y, type);
    } else {
      return context.invalid(
          fmt::format("an input of type {} cannot be interpolated, expected a numeric type", nameOf(type)));
    }
    return success();
  });
}

} // namespace tilerig::reference
