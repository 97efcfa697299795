// The operators QLinearAveragePool and QLinearGlobalAveragePool of ONNX Runtime, with its bits.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Pool.h"
#include "reference/Ops/QuantisedGrid.h"
#include "reference/Ops/StridedCopy.h"
#include "reference/Run/Scratch.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Returns the tensor with axis `from` moved to the place of axis `to`.
Result<Tensor> withAxisMoved(const Tensor &tensor, size_t from, size_t to, Threads &threads) {
  StridedView view = viewOf(tensor);
  const auto move = [&](std::vector<int64_t> &sizes) {
    const int64_t moved = sizes[from];
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(from));
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(to), moved);
  };
  move(view.shape);
  move(view.strides);
  return stridedCopy(tensor, view, threads);
}

// The images of input 0 with channels first, whichever layout the attribute channels_last states, and the grids
// of the operand (inputs 1 and 2) and of the result (inputs 3 and 4).
struct QuantisedImages {
  Tensor x;
  bool channelsLast;
  Grid from, to;

  std::span<const int64_t> leading() const { return std::span(x.shape()).first(2); }
};

Result<QuantisedImages> quantisedImages(const OpContext &context) {
  Tensor x = context.input(0);
  if (x.rank() < 3)
    return context.invalid(
        fmt::format("the input has shape {}, expected batch, channels and at least one spatial axis",
                    showShape(x.shape())));
  TILERIG_TRY(Grid from, gridOf(context, 1, 2, x.dtype()));
  TILERIG_TRY(Grid to, gridOf(context, 3, 4, x.dtype()));
  TILERIG_TRY(int64_t channelsLast, context.intAttribute("channels_last", 0));
  if (channelsLast != 0) {
    TILERIG_TRY(x, withAxisMoved(x, x.rank() - 1, 1, context.threads));
  }
  if (x.elementCount() == 0)
    return context.invalid(fmt::format("the input has shape {}, without elements", showShape(x.shape())));
  return QuantisedImages{std::move(x), channelsLast != 0, from, to};
}

// Sets output 0 to a result with channels first, in the layout of the input.
Status finishImages(OpContext &context, const QuantisedImages &images, Tensor y) {
  if (images.channelsLast) {
    TILERIG_TRY(y, withAxisMoved(y, 1, y.rank() - 1, context.threads));
  }
  context.outputs[0] = std::move(y);
  return success();
}

// The exact sum of each image, times one factor, which contains the number of elements.
Status qLinearGlobalAveragePool(OpContext &context) {
  TILERIG_TRY(QuantisedImages images, quantisedImages(context));
  const int64_t planes = product(images.leading()),
                size = static_cast<int64_t>(images.x.elementCount()) / planes;
  Shape shape(images.x.rank(), 1);
  std::copy_n(images.x.shape().begin(), 2, shape.begin());
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(images.x.dtype(), shape));
  const float divisor = images.to.scale * static_cast<float>(size), factor = images.from.scale / divisor;
  if (!(factor >= 0x1p-32f && factor < 256))
    return context.notSupported(fmt::format(
        "the input's scale is {} times the result's scale and the number of elements, which ONNX Runtime "
        "refuses; expected at least 2^-32 and less than 256",
        factor));
  TILERIG_CHECK_OK(forEight(images.x.dtype(), [&]<class T>() {
    const T *x = images.x.as<T>().data();
    for (T &result : y.mutableAs<T>()) {
      int64_t sum = -size * images.from.zero;
      for (int64_t i = 0; i < size; ++i)
        sum += *x++;
      result = requantise<T>(static_cast<int32_t>(sum), factor, images.to.zero);
    }
    return success();
  }));
  return finishImages(context, images, std::move(y));
}

// The window of QLinearAveragePool over images of this shape, which has channels first.
Result<Window> windowOfImages(const OpContext &context, const Shape &shape) {
  TILERIG_TRY(std::vector<int64_t> kernel, context.intsAttribute("kernel_shape"));
  TILERIG_TRY(int64_t ceilMode, context.intAttribute("ceil_mode", 0));
  TILERIG_TRY(Window window, windowOver(context, std::span(shape).subspan(2), kernel, ceilMode != 0));
  for (const WindowAxis &axis : window)
    if (axis.padBegin >= axis.extent() || axis.padEnd >= axis.extent())
      return context.invalid(fmt::format("pads {} and {} must be less than the window's {} elements",
                                         axis.padBegin, axis.padEnd, axis.extent()));
  return window;
}

// The mean of the dequantised elements, summed in row-major order; the zero point is added before rounding.
Status qLinearAveragePool(OpContext &context) {
  TILERIG_TRY(QuantisedImages images, quantisedImages(context));
  TILERIG_TRY(Window window, windowOfImages(context, images.x.shape()));
  TILERIG_TRY(int64_t countPadding, context.intAttribute("count_include_pad", 0));
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(images.x.dtype(), outputShape(images.leading(), window)));
  Scratch<float> reals(static_cast<int64_t>(images.x.elementCount())),
      means(static_cast<int64_t>(y.elementCount()));
  TILERIG_CHECK_OK(forEight(images.x.dtype(), [&]<class T>() {
    std::ranges::transform(images.x.as<T>(), reals.data(), [&](T x) { return dequantised(x, images.from); });
    poolPlanes(AverageOf<float>{}, window, countPadding != 0, product(images.leading()), reals.data(),
               means.data(), context.threads);
    const auto zero = static_cast<float>(images.to.zero);
    auto to = y.mutableAs<T>();
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = roundedWithZero<T>(means.data()[i] / images.to.scale + zero);
    return success();
  }));
  return finishImages(context, images, std::move(y));
}

} // namespace

std::span<const OpEntry> quantisedPoolingOps() {
  static constexpr OpEntry entries[] = {
      {"QLinearAveragePool", 1, 2, 5, qLinearAveragePool, HalfFloats::widened, "com.microsoft"},
      {"QLinearGlobalAveragePool", 1, 5, 5, qLinearGlobalAveragePool, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
