// Signal operators: window functions, Fourier transforms, mel filter banks; also the determinant, which like
// them is computed in double and rounded once.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <fmt/core.h>
#include <numbers>
#include <optional>

namespace tilerig::reference {

namespace {

using Complex = std::complex<double>;

Result<int64_t> integer(const OpContext &context, size_t index) {
  TILERIG_TRY(std::vector<int64_t> values, context.integers(index));
  if (values.size() != 1)
    return context.invalid(fmt::format("input {} must be a single number", index));
  return values[0];
}

Result<double> number(const OpContext &context, size_t index) {
  const Tensor &tensor = context.input(index);
  if (tensor.elementCount() == 1 && tensor.dtype() == DType::f32)
    return tensor.as<float>()[0];
  if (tensor.elementCount() == 1 && tensor.dtype() == DType::f64)
    return tensor.as<double>()[0];
  return context.invalid(fmt::format("input {} must be a single float", index));
}

// Outputs a tensor of the type in attribute output_datatype; element i is f(i).
template <class F>
Status giveDoubles(OpContext &context, const Shape &shape, F f) {
  TILERIG_TRY(int64_t typeNumber, context.intAttribute("output_datatype", onnxNumber(DType::f32)));
  auto type = dtypeOfOnnx(typeNumber);
  if (!type)
    return context.notSupported(fmt::format("output_datatype {} is not supported", typeNumber));
  auto output = Tensor::makeUninitialised(*type, shape);
  if (!output)
    return context.invalid(output.error().what);
  return dispatch(*type, [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      auto to = output->template mutableAs<T>();
      for (size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<T>(f(static_cast<int64_t>(i)));
      context.outputs[0] = *std::move(output);
      return success();
    } else {
      return context.notSupported(fmt::format("a result of type {} is not supported", nameOf(*type)));
    }
  });
}

// The window functions a0 - a1 cos(x) + a2 cos(2x) with given coefficients (Hann, Hamming and Blackman),
// where x runs from 0 to 2 pi.
Status cosineWindow(OpContext &context, double a0, double a1, double a2) {
  TILERIG_TRY(int64_t size, integer(context, 0));
  TILERIG_TRY(int64_t periodic, context.intAttribute("periodic", 1));
  if (size < 0)
    return context.invalid(fmt::format("the window size is {}, expected at least 0", size));
  double around = static_cast<double>(std::max<int64_t>(1, periodic ? size : size - 1));
  return giveDoubles(context, {size}, [=](int64_t i) {
    double x = 2 * std::numbers::pi * static_cast<double>(i) / around;
    return a0 - a1 * std::cos(x) + a2 * std::cos(2 * x);
  });
}

Status hannWindow(OpContext &context) { return cosineWindow(context, 0.5, 0.5, 0); }
Status hammingWindow(OpContext &context) { return cosineWindow(context, 25.0 / 46, 21.0 / 46, 0); }
Status blackmanWindow(OpContext &context) { return cosineWindow(context, 0.42, 0.5, 0.08); }

double melOf(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertzOf(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// The value at `bin` of a triangle between the bins `lower` and `higher` with its peak at `centre`.
double triangle(double bin, double lower, double centre, double higher) {
  if (bin >= centre && bin < higher)
    return (higher - bin) / (higher - centre);
  if (bin == centre)
    return 1;
  return bin >= lower && bin < centre ? (bin - lower) / (centre - lower) : 0;
}

Status melWeightMatrix(OpContext &context) {
  TILERIG_TRY(int64_t bins, integer(context, 0));
  TILERIG_TRY(int64_t length, integer(context, 1));
  TILERIG_TRY(int64_t rate, integer(context, 2));
  TILERIG_TRY(double lowest, number(context, 3));
  TILERIG_TRY(double highest, number(context, 4));
  if (bins < 1 || length < 1 || rate < 1 || !(lowest >= 0) || !(highest >= lowest))
    return context.invalid(fmt::format("{} mel bins from {} to {} Hz with dft_length {} and sample_rate {} "
                                       "are not valid",
                                       bins, lowest, highest, length, rate));
  double low = melOf(lowest), step = (melOf(highest) - low) / (static_cast<double>(bins) + 2);
  auto edge = [=](int64_t i) {
    double hertz = hertzOf(low + step * static_cast<double>(i));
    return std::floor((static_cast<double>(length) + 1) * hertz / static_cast<double>(rate));
  };
  return giveDoubles(context, {length / 2 + 1, bins}, [=](int64_t i) {
    int64_t bin = i % bins;
    return triangle(static_cast<double>(i / bins), edge(bin), edge(bin + 1), edge(bin + 2));
  });
}

// The discrete Fourier transform of a given length, computed directly from its definition.
class Transform {
public:
  static Result<Transform> create(const OpContext &context, int64_t length, bool inverse) {
    if (length < 1)
      return context.invalid(fmt::format("the transform length is {}, expected at least 1", length));
    TILERIG_TRY(Tensor table, Tensor::makeUninitialised(DType::c128, {length}));
    return Transform(std::move(table), inverse);
  }

  // Computes elements 0 ... bins - 1 of the transform of `in` and calls out(k, element k) for each; if `in`
  // is shorter than the transform, missing elements are zero.
  template <class Out>
  void run(std::span<const Complex> in, int64_t bins, Out out) const {
    const Complex *roots = table.as<Complex>().data();
    auto length = static_cast<int64_t>(table.elementCount());
    for (int64_t k = 0; k < bins; ++k) {
      Complex sum = 0;
      int64_t at = 0;
      for (Complex x : in) {
        sum += Complex(x.real() * roots[at].real() - x.imag() * roots[at].imag(),
                       x.real() * roots[at].imag() + x.imag() * roots[at].real());
        at += k;
        at -= at >= length ? length : 0;
      }
      out(k, sum * scale);
    }
  }

private:
  Transform(Tensor uninitialised, bool inverse) : table(std::move(uninitialised)) {
    auto roots = table.mutableAs<Complex>();
    double angle = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(roots.size());
    for (size_t i = 0; i < roots.size(); ++i)
      roots[i] = {std::cos(angle * static_cast<double>(i)), std::sin(angle * static_cast<double>(i))};
    scale = inverse ? 1 / static_cast<double>(roots.size()) : 1;
  }

  Tensor table;
  double scale = 1;
};

// Reads a complex number: a real element, or the real and imaginary parts in a last dimension of size 2.
template <class T>
Complex elementAt(const T *elements, int64_t parts, int64_t index) {
  return {elements[index * parts], parts == 2 ? elements[index * parts + 1] : T(0)};
}

// Reads the axis of the operator DFT: an attribute before opset 20, an input since then.
Result<size_t> transformAxis(OpContext &context) {
  size_t rank = context.input(0).rank();
  int64_t raw = -2;
  if (context.opset() < 20) {
    TILERIG_TRY(raw, context.intAttribute("axis", 1));
  } else if (context.has(2)) {
    TILERIG_TRY(raw, integer(context, 2));
  }
  TILERIG_TRY(size_t axis, context.axis(raw, rank));
  if (axis + 1 == rank)
    return context.invalid("the axis must not be the last one, which holds the real and imaginary parts");
  return axis;
}

Status dft(OpContext &context) {
  const Shape &in = context.input(0).shape();
  TILERIG_TRY(int64_t inverse, context.intAttribute("inverse", 0));
  TILERIG_TRY(int64_t oneSided, context.intAttribute("onesided", 0));
  TILERIG_TRY(size_t axis, transformAxis(context));
  int64_t parts = in.back(), length = in[axis];
  if (context.has(1)) {
    TILERIG_TRY(length, integer(context, 1));
  }
  if (parts < 1 || parts > 2 || (oneSided && parts != 1))
    return context.invalid(fmt::format(
        "the input has shape {}; its last dimension must be 1, or 2 if onesided is 0", showShape(in)));
  if (oneSided && inverse)
    return context.notSupported("a one-sided inverse transform is not supported");
  TILERIG_TRY(Transform transform, Transform::create(context, length, inverse != 0));
  Shape shape = in;
  shape[axis] = oneSided ? length / 2 + 1 : length;
  shape.back() = 2;
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, shape));
    AxisSplit split(in, axis);
    int64_t inner = split.inner / parts, bins = shape[axis], taken = std::min(split.size, length);
    const T *from = context.input(0).as<T>().data();
    T *to = output.mutableAs<T>().data();
    context.threads.forEach(split.outer * inner, 1, [&](int64_t begin, int64_t end) {
      std::vector<Complex> line(static_cast<size_t>(taken));
      for (int64_t i = begin; i < end; ++i) {
        int64_t outer = i / inner, column = i % inner;
        for (int64_t t = 0; t < taken; ++t)
          line[static_cast<size_t>(t)] = elementAt(from, parts, (outer * split.size + t) * inner + column);
        transform.run(line, bins, [&](int64_t k, Complex value) {
          T *pair = to + ((outer * bins + k) * inner + column) * 2;
          pair[0] = static_cast<T>(value.real());
          pair[1] = static_cast<T>(value.imag());
        });
      }
    });
    context.outputs[0] = std::move(output);
    return success();
  });
}

// The sizes of a short-time Fourier transform: `count` frames of `length` samples, which begin `step` samples
// apart; `bins` elements are computed for each frame.
struct Frames {
  int64_t batch, samples, parts, step, length, count, bins;
};

Result<Frames> framesOf(OpContext &context) {
  const Shape &in = context.input(0).shape();
  if (in.size() < 2 || in.size() > 3 || (in.size() == 3 && (in[2] < 1 || in[2] > 2)))
    return context.invalid(fmt::format("the signal has shape {}, expected [batch, samples], "
                                       "[batch, samples, 1] or [batch, samples, 2]",
                                       showShape(in)));
  Frames frames{};
  frames.batch = in[0];
  frames.samples = in[1];
  frames.parts = in.size() == 3 ? in[2] : 1;
  TILERIG_TRY(frames.step, integer(context, 1));
  bool windowed = context.has(2);
  if (windowed && context.input(2).rank() != 1)
    return context.invalid("the window must have rank 1");
  frames.length = windowed ? context.input(2).shape()[0] : frames.samples;
  if (context.has(3)) {
    TILERIG_TRY(frames.length, integer(context, 3));
  }
  if (frames.step < 1 || frames.length < 1 || frames.length > frames.samples ||
      (windowed && context.input(2).shape()[0] != frames.length))
    return context.invalid(
        fmt::format("frame_length {} and frame_step {} do not match {} samples or the window", frames.length,
                    frames.step, frames.samples));
  frames.count = (frames.samples - frames.length) / frames.step + 1;
  TILERIG_TRY(int64_t oneSided, context.intAttribute("onesided", 1));
  frames.bins = oneSided && frames.parts == 1 ? frames.length / 2 + 1 : frames.length;
  return frames;
}

Status stft(OpContext &context) {
  TILERIG_TRY(Frames frames, framesOf(context));
  if (context.has(2) && context.input(2).dtype() != context.input(0).dtype())
    return context.invalid("window and signal must have the same type");
  TILERIG_TRY(Transform transform, Transform::create(context, frames.length, false));
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, {frames.batch, frames.count, frames.bins, 2}));
    const T *from = context.input(0).as<T>().data();
    const T *window = context.has(2) ? context.input(2).as<T>().data() : nullptr;
    T *to = output.mutableAs<T>().data();
    context.threads.forEach(frames.batch * frames.count, 1, [&](int64_t begin, int64_t end) {
      std::vector<Complex> line(static_cast<size_t>(frames.length));
      for (int64_t i = begin; i < end; ++i) {
        int64_t first = i / frames.count * frames.samples + i % frames.count * frames.step;
        for (int64_t t = 0; t < frames.length; ++t)
          line[static_cast<size_t>(t)] =
              elementAt(from, frames.parts, first + t) * (window ? double(window[t]) : 1.0);
        transform.run(line, frames.bins, [&](int64_t k, Complex value) {
          to[(i * frames.bins + k) * 2] = static_cast<T>(value.real());
          to[(i * frames.bins + k) * 2 + 1] = static_cast<T>(value.imag());
        });
      }
    });
    context.outputs[0] = std::move(output);
    return success();
  });
}

// The determinant by Gaussian elimination with partial pivoting; overwrites the matrix.
double determinantOf(std::vector<double> &matrix, size_t n) {
  double result = 1;
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column + 1; row < n; ++row)
      if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column]))
        pivot = row;
    if (pivot != column) {
      std::swap_ranges(&matrix[pivot * n], &matrix[pivot * n] + n, &matrix[column * n]);
      result = -result;
    }
    double top = matrix[column * n + column];
    result *= top;
    if (top == 0)
      return result;
    for (size_t row = column + 1; row < n; ++row) {
      double factor = matrix[row * n + column] / top;
      for (size_t i = column; i < n; ++i)
        matrix[row * n + i] -= factor * matrix[column * n + i];
    }
  }
  return result;
}

Status determinant(OpContext &context) {
  const Shape &in = context.input(0).shape();
  if (in.size() < 2 || in.back() != in[in.size() - 2])
    return context.invalid(fmt::format("the input has shape {}, expected square matrices", showShape(in)));
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, Shape(in.begin(), in.end() - 2)));
    auto n = static_cast<size_t>(in.back());
    auto from = context.input(0).as<T>();
    auto to = output.mutableAs<T>();
    for (size_t i = 0; i < to.size(); ++i) {
      auto matrix = from.subspan(i * n * n, n * n);
      std::vector<double> copy(matrix.begin(), matrix.end());
      to[i] = static_cast<T>(determinantOf(copy, n));
    }
    context.outputs[0] = std::move(output);
    return success();
  });
}

} // namespace

std::span<const OpEntry> signalOps() {
  static constexpr OpEntry entries[] = {
      {"HannWindow", 17, 1, 1, hannWindow},
      {"HammingWindow", 17, 1, 1, hammingWindow},
      {"BlackmanWindow", 17, 1, 1, blackmanWindow},
      {"MelWeightMatrix", 17, 5, 5, melWeightMatrix},
      {"DFT", 17, 1, 2, dft},
      {"DFT", 20, 1, 3, dft},
      {"STFT", 17, 2, 4, stft},
      {"Det", 11, 1, 1, determinant},
  };
  return entries;
}

} // namespace tilerig::reference
