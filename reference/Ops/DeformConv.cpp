// DeformConv: a convolution whose taps are displaced by an input of offsets and weighted by a mask.
//
// Every tap of every position is sampled by bilinear interpolation and stored in a column, and the
// convolution is a matrix product with the columns. Two-dimensional only.
#include "reference/Gemm/Gemm.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Window.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

struct DeformedConvolution {
  int64_t images, groups, offsetGroups;
  int64_t channelsIn, channelsOut; // of each group
  Window window;

  int64_t channels() const { return groups * channelsIn; }
  int64_t taps() const { return countTaps(window); }
  int64_t positions() const { return countOutputs(window); }
  int64_t image() const { return countImage(window); }
};

Result<DeformedConvolution> deformedConvolution(const OpContext &context) {
  const Shape &x = context.input(0).shape(), &w = context.input(1).shape();
  if (x.size() != 4 || w.size() != 4)
    return context.notSupported(
        fmt::format("input {} and weights {} must both have rank 4; only two spatial axes are supported",
                    showShape(x), showShape(w)));
  Shape kernel(w.begin() + 2, w.end());
  TILERIG_TRY(Shape stated, context.intsAttribute("kernel_shape", kernel));
  TILERIG_TRY(int64_t groups, context.intAttribute("group", 1));
  TILERIG_TRY(int64_t offsetGroups, context.intAttribute("offset_group", 1));
  if (stated != kernel || groups < 1 || offsetGroups < 1 || w[1] > x[1] || x[1] % groups ||
      x[1] / groups != w[1] || w[0] % groups || x[1] % offsetGroups)
    return context.invalid(fmt::format("input {}, weights {}, kernel_shape {}, group {} and offset_group {} "
                                       "do not match",
                                       showShape(x), showShape(w), showShape(stated), groups, offsetGroups));
  TILERIG_TRY(Window window, windowOver(context, std::span(x).subspan(2), kernel));
  return DeformedConvolution{x[0], groups, offsetGroups, w[1], w[0] / groups, std::move(window)};
}

Status checkInput(const OpContext &context, size_t index, std::string_view name, const Shape &wanted) {
  const Tensor &tensor = context.input(index);
  if (tensor.dtype() == context.input(0).dtype() && tensor.shape() == wanted)
    return success();
  return context.invalid(fmt::format("input {} is {} {}, expected {} {}", name, nameOf(tensor.dtype()),
                                     showShape(tensor.shape()), nameOf(context.input(0).dtype()),
                                     showShape(wanted)));
}

// Checks the inputs X, W, offset, B and mask. For each tap of each position, the mask has one number, and the
// offsets have two: down and right.
Status checkInputs(const OpContext &context, const DeformedConvolution &shape) {
  int64_t high = shape.window[0].outputs, wide = shape.window[1].outputs;
  if (shape.offsetGroups > (int64_t{1} << 30) || shape.taps() > (int64_t{1} << 30))
    return context.invalid("more than 2^30 kernel elements or offset groups are not supported");
  TILERIG_CHECK_OK(checkInput(context, 1, "weights", context.input(1).shape()));
  TILERIG_CHECK_OK(
      checkInput(context, 2, "offset", {shape.images, shape.offsetGroups * shape.taps() * 2, high, wide}));
  if (context.has(3)) {
    TILERIG_CHECK_OK(checkInput(context, 3, "bias", {shape.groups * shape.channelsOut}));
  }
  if (context.has(4)) {
    TILERIG_CHECK_OK(
        checkInput(context, 4, "mask", {shape.images, shape.offsetGroups * shape.taps(), high, wide}));
  }
  return success();
}

// The image at (y, x), interpolated bilinearly between pixels; zero outside.
template <class T>
T interpolated(const T *plane, int64_t height, int64_t width, T y, T x) {
  if (!(y > -1 && y < static_cast<T>(height) && x > -1 && x < static_cast<T>(width)))
    return 0;
  T top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
  auto row = static_cast<int64_t>(top), column = static_cast<int64_t>(left);
  auto pixel = [&](int64_t i, int64_t j) {
    return i >= 0 && i < height && j >= 0 && j < width ? plane[i * width + j] : T(0);
  };
  return (1 - down) * ((1 - right) * pixel(row, column) + right * pixel(row, column + 1)) +
         down * ((1 - right) * pixel(row + 1, column) + right * pixel(row + 1, column + 1));
}

template <class T>
class Deformation {
public:
  Deformation(OpContext &context, const DeformedConvolution &shape) : context(context), shape(shape) {}

  // Computes, by interpolation, the values that one tap of one channel reads at all positions of an image.
  void fillColumn(int64_t image, int64_t channel, int64_t tap, T *column) const {
    const WindowAxis &rows = shape.window[0], &columns = shape.window[1];
    int64_t positions = shape.positions(), perGroup = shape.channels() / shape.offsetGroups;
    int64_t at = (image * shape.offsetGroups + channel / perGroup) * shape.taps() + tap;
    const T *down = data(2) + at * 2 * positions, *right = down + positions;
    const T *mask = context.has(4) ? data(4) + at * positions : nullptr;
    const T *plane = data(0) + (image * shape.channels() + channel) * shape.image();
    for (int64_t p = 0; p < positions; ++p) {
      T y = static_cast<T>(rows.start(p / columns.outputs) + tap / columns.kernel * rows.dilation) + down[p];
      T x = static_cast<T>(columns.start(p % columns.outputs) + tap % columns.kernel * columns.dilation) +
            right[p];
      T seen = interpolated(plane, rows.size, columns.size, y, x);
      column[p] = mask ? seen * mask[p] : seen;
    }
  }

  // Convolves one group of one image; `columns` is a buffer with a row for each pair of an input channel of
  // the group and a tap.
  void convolve(int64_t image, int64_t group, T *columns, T *y) const {
    int64_t lines = shape.channelsIn * shape.taps(), positions = shape.positions();
    context.threads.forEach(lines, 1, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line)
        fillColumn(image, group * shape.channelsIn + line / shape.taps(), line % shape.taps(),
                   columns + line * positions);
    });
    T *to = y + (image * shape.groups + group) * shape.channelsOut * positions;
    for (int64_t m = 0; m < shape.channelsOut; ++m)
      std::fill_n(to + m * positions, positions,
                  context.has(3) ? data(3)[group * shape.channelsOut + m] : T(0));
    multiply<T>({data(1) + group * shape.channelsOut * lines, lines}, {columns, positions}, {to, positions},
                shape.channelsOut, positions, lines, {true}, Chain::fused, context.threads);
  }

private:
  const T *data(size_t index) const { return context.input(index).as<T>().data(); }

  OpContext &context;
  const DeformedConvolution &shape;
};

template <class T>
Status run(OpContext &context, const DeformedConvolution &shape) {
  TILERIG_TRY(
      Tensor y,
      Tensor::makeUninitialised(
          dtypeOf<T>, outputShape(std::array{shape.images, shape.groups * shape.channelsOut}, shape.window)));
  TILERIG_TRY(Tensor columns,
              Tensor::makeUninitialised(dtypeOf<T>, {shape.channelsIn, shape.taps(), shape.positions()}));
  Deformation<T> deformation(context, shape);
  if (y.elementCount())
    for (int64_t image = 0; image < shape.images; ++image)
      for (int64_t group = 0; group < shape.groups; ++group)
        deformation.convolve(image, group, columns.mutableAs<T>().data(), y.mutableAs<T>().data());
  context.outputs[0] = std::move(y);
  return success();
}

Status deformConv(OpContext &context) {
  TILERIG_TRY(DeformedConvolution shape, deformedConvolution(context));
  TILERIG_CHECK_OK(checkInputs(context, shape));
  if (context.input(0).dtype() == DType::f32)
    return run<float>(context, shape);
  if (context.input(0).dtype() == DType::f64)
    return run<double>(context, shape);
  return context.invalid(
      fmt::format("the input has type {}, expected a float type", nameOf(context.input(0).dtype())));
}

} // namespace

std::span<const OpEntry> deformConvOps() {
  static constexpr OpEntry entries[] = {
      {"DeformConv", 19, 3, 5, deformConv},
  };
  return entries;
}

} // namespace tilerig::reference
