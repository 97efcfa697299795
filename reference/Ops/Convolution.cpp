// The operators Conv and ConvTranspose.
#include "reference/Gemm/Gemm.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Convolve.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Patches.h"
#include "reference/Run/Scratch.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Checks that all inputs have the same float type, and that a bias has one element for each output channel.
Status checkOperands(const OpContext &context, int64_t channelsOut) {
  DType type = context.input(0).dtype();
  if (type != DType::f32 && type != DType::f64)
    return context.invalid(fmt::format("the input has type {}, expected a float type", nameOf(type)));
  if (context.input(1).dtype() != type || (context.has(2) && context.input(2).dtype() != type))
    return context.invalid("input, weights and bias must have the same type");
  if (context.has(2) && context.input(2).shape() != Shape{channelsOut})
    return context.invalid(fmt::format("the bias has shape {}, but there are {} output channels",
                                       showShape(context.input(2).shape()), channelsOut));
  return success();
}

template <class T>
const T *biasOf(const OpContext &context) {
  return context.has(2) ? context.input(2).as<T>().data() : nullptr;
}

template <class T>
FinishRow<T> finishOf(const OpContext &context) {
  if constexpr (std::is_same_v<T, float>)
    if (context.finish)
      return [finish = context.finish](T *run, int64_t size, int64_t channel) {
        finish->apply(run, size, channel);
      };
  return {};
}

template <class F>
Status forFloats(DType type, F f) {
  return type == DType::f32 ? f.template operator()<float>() : f.template operator()<double>();
}

Status conv(OpContext &context) {
  const Tensor &x = context.input(0), &w = context.input(1);
  TILERIG_TRY(ConvolutionShape shape, convolutionShape(context, x.shape(), w.shape()));
  TILERIG_CHECK_OK(checkOperands(context, w.shape()[0]));
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(
                            x.dtype(), outputShape(std::array{x.shape()[0], w.shape()[0]}, shape.window)));
  TILERIG_CHECK_OK(forFloats(x.dtype(), [&]<class T>() {
    auto packed = context.keep<PackedWeights<T>>(
        1, [&] { return packWeights(shape, w.as<T>().data(), context.threads); });
    convolve(shape, x.as<T>().data(), w.as<T>().data(), *packed, biasOf<T>(context), y.mutableAs<T>().data(),
             context.arithmetic, context.threads, finishOf<T>(context));
    return success();
  }));
  context.outputs[0] = std::move(y);
  return success();
}

// ConvTranspose is the transpose of a convolution that maps the output of ConvTranspose to its input. The
// window describes this convolution: its image is the output of ConvTranspose, and its positions are the
// elements of the input.
//
// The length of the output along an axis is stride * (input - 1) + extent + output_padding - pads. If
// output_shape or auto_pad SAME (output = input * stride) gives the length, the pads are computed from it.
Status placeTransposed(const OpContext &context, WindowAxis &axis, AutoPad autoPad, int64_t input,
                       int64_t outputPadding, std::optional<int64_t> wanted) {
  constexpr int64_t limit = int64_t{1} << 31;
  axis.outputs = input;
  if (input < 1 || input >= limit)
    return context.invalid(
        fmt::format("a spatial axis of the input has size {}, which is out of range", input));
  int64_t padded = (input - 1) * axis.stride + axis.extent();
  if (autoPad == AutoPad::sameUpper || autoPad == AutoPad::sameLower)
    wanted = wanted.value_or(input * axis.stride);
  if (wanted) {
    if (*wanted < 0 || *wanted >= limit)
      return context.invalid(
          fmt::format("a spatial axis of the output has size {}, which is out of range", *wanted));
    int64_t total = std::max<int64_t>(0, padded + outputPadding - *wanted);
    bool moreAtEnd = autoPad == AutoPad::sameUpper;
    axis.padBegin = moreAtEnd ? total / 2 : total - total / 2;
    axis.padEnd = total - axis.padBegin;
  }
  axis.size = wanted.value_or(padded + outputPadding - axis.padBegin - axis.padEnd);
  if (axis.size < 0 || axis.size >= limit)
    return context.invalid(
        fmt::format("a spatial axis of the output has size {}, which is out of range", axis.size));
  return success();
}

Result<Window> transposedWindow(const OpContext &context, std::span<const int64_t> input,
                                std::span<const int64_t> kernel) {
  TILERIG_TRY(WindowAttributes attributes, windowAttributes(context, kernel));
  TILERIG_TRY(auto outputPadding,
              context.intsAttribute("output_padding", std::vector<int64_t>(kernel.size(), 0)));
  TILERIG_TRY(auto wanted, context.intsAttribute("output_shape", std::vector<int64_t>()));
  if (wanted.size() == kernel.size() + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (outputPadding.size() != kernel.size() || (!wanted.empty() && wanted.size() != kernel.size()))
    return context.invalid("output_padding and output_shape must have one number for each kernel axis");
  for (size_t d = 0; d < kernel.size(); ++d) {
    WindowAxis &axis = attributes.axes[d];
    if (outputPadding[d] < 0 || outputPadding[d] >= std::max(axis.stride, axis.dilation))
      return context.invalid(
          fmt::format("output_padding {} must be at least 0 and below the larger of stride and dilation",
                      outputPadding[d]));
    TILERIG_CHECK_OK(placeTransposed(context, axis, attributes.autoPad, input[d], outputPadding[d],
                                     wanted.empty() ? std::nullopt : std::optional(wanted[d])));
  }
  return std::move(attributes.axes);
}

Result<ConvolutionShape> transposedShape(const OpContext &context, const Shape &x, const Shape &w) {
  if (x.size() < 3 || x.size() != w.size())
    return context.invalid(fmt::format("input {} and weights {} must have the same rank, at least 3",
                                       showShape(x), showShape(w)));
  Shape kernel(w.begin() + 2, w.end());
  TILERIG_TRY(auto stated, context.intsAttribute("kernel_shape", kernel));
  TILERIG_TRY(int64_t groups, context.intAttribute("group", 1));
  if (stated != kernel || groups < 1 || x[1] != w[0] || x[1] % groups != 0)
    return context.invalid(fmt::format("input {}, weights {}, kernel_shape {} and group {} do not match",
                                       showShape(x), showShape(w), showShape(stated), groups));
  if (groups > (int64_t{1} << 31) || w[1] > (int64_t{1} << 31))
    return context.notSupported("more than 2^31 channels are not supported");
  TILERIG_TRY(Window window, transposedWindow(context, std::span(x).subspan(2), kernel));
  return ConvolutionShape{x[0], groups, x[1] / groups, w[1], std::move(window)};
}

// ConvTranspose of a block of output channels of one group of one image: the product of the transposed
// weights and a block of the input gives the contribution of every input element through every tap; the
// contributions are then added to the outputs.
template <class T>
void addTransposed(const ConvolutionShape &shape, const T *x, const T *w, Span channels, T *y,
                   Threads &threads) {
  int64_t taps = countTaps(shape.window), positions = countOutputs(shape.window);
  int64_t image = countImage(shape.window), rows = channels.length() * taps;
  constexpr int64_t blockElements = 1 << 18;
  int64_t block = std::min(positions, std::clamp<int64_t>(blockElements / rows, 64, 4096));
  Scratch<T> added(rows * block);
  MatrixView<const T> weights{w, shape.channelsOut * taps, true};
  for (int64_t first = 0; first < positions; first += block) {
    int64_t last = std::min(first + block, positions), width = last - first;
    multiply<T>(weights.at(channels.begin * taps, 0), {x + first, positions}, {added.data(), width}, rows,
                width, shape.channelsIn, {}, Chain::either, threads);
    PatchRuns runs(shape.window, first, last);
    for (int64_t tap = 0; tap < taps; ++tap)
      runs.forEach(tap, [&](int64_t position, int64_t at, int64_t length) {
        for (int64_t channel = 0; channel < channels.length(); ++channel) {
          const T *from = added.data() + (channel * taps + tap) * width + position;
          T *to = y + (channels.begin + channel) * image + at;
          for (int64_t i = 0; i < length; ++i)
            to[i * runs.step()] += from[i];
        }
      });
  }
}

template <class T>
void convolveTransposed(const ConvolutionShape &shape, const T *x, const T *w, const T *bias, T *y,
                        Threads &threads) {
  constexpr int64_t blockChannels = 32;
  int64_t positions = countOutputs(shape.window), image = countImage(shape.window);
  int64_t weights = shape.channelsIn * shape.channelsOut * countTaps(shape.window);
  int64_t blocks = (shape.channelsOut + blockChannels - 1) / blockChannels;
  threads.forEach(shape.images * shape.groups * blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t group = i / blocks % shape.groups, plane = i / blocks;
      Span channels{i % blocks * blockChannels,
                    std::min((i % blocks + 1) * blockChannels, shape.channelsOut)};
      T *to = y + plane * shape.channelsOut * image;
      for (int64_t channel = channels.begin; channel < channels.end; ++channel)
        std::fill_n(to + channel * image, image, bias ? bias[group * shape.channelsOut + channel] : T(0));
      addTransposed(shape, x + plane * shape.channelsIn * positions, w + group * weights, channels, to,
                    threads);
    }
  });
}

// ConvTranspose in the machine's arithmetic: the input, with stride - 1 zeros inserted between its elements,
// is convolved at stride 1 with the flipped kernel. The padding in front is extent - 1 minus that of the
// transposed convolution; negative padding crops the input.
ConvolutionShape spreadShape(const ConvolutionShape &shape) {
  ConvolutionShape spread = shape;
  for (WindowAxis &axis : spread.window) {
    int64_t size = (axis.outputs - 1) * axis.stride + 1, outputs = axis.size;
    int64_t padBegin = axis.extent() - 1 - axis.padBegin;
    axis = {size,   axis.kernel, 1, axis.dilation, padBegin, outputs - 1 + axis.extent() - size - padBegin,
            outputs};
  }
  return spread;
}

template <class T>
Result<Tensor> withZerosBetween(const ConvolutionShape &shape, const ConvolutionShape &spread, const T *x) {
  Shape result{shape.images * shape.groups * shape.channelsIn};
  for (const WindowAxis &axis : spread.window)
    result.push_back(axis.size);
  TILERIG_TRY(Tensor tensor, Tensor::make(dtypeOf<T>, result));
  std::vector<int64_t> strides = tensor.strides();
  T *to = tensor.mutableAs<T>().data();
  int64_t positions = countOutputs(shape.window);
  for (int64_t i = 0; i < result[0] * positions; ++i) {
    int64_t at = i / positions * strides[0], rest = i % positions;
    for (size_t d = shape.window.size(); d-- > 0; rest /= shape.window[d].outputs)
      at += rest % shape.window[d].outputs * shape.window[d].stride * strides[d + 1];
    to[at] = x[i];
  }
  return tensor;
}

// Reorders the weights from input × output channels of each group to output × input channels, with the taps
// reversed.
template <class T>
Scratch<T> turnedRound(const ConvolutionShape &shape, const T *w) {
  int64_t taps = countTaps(shape.window);
  Scratch<T> turned(shape.groups * shape.channelsIn * shape.channelsOut * taps);
  T *to = turned.begin();
  for (int64_t group = 0; group < shape.groups; ++group)
    for (int64_t out = 0; out < shape.channelsOut; ++out)
      for (int64_t in = 0; in < shape.channelsIn; ++in, to += taps)
        std::reverse_copy(w + ((group * shape.channelsIn + in) * shape.channelsOut + out) * taps,
                          w + ((group * shape.channelsIn + in) * shape.channelsOut + out + 1) * taps, to);
  return turned;
}

template <class T>
Status convolveSpread(const ConvolutionShape &shape, const T *x, const T *w, const T *bias, T *y,
                      Threads &threads) {
  ConvolutionShape spread = spreadShape(shape);
  TILERIG_TRY(Tensor image, withZerosBetween(shape, spread, x));
  Scratch<T> turned = turnedRound(shape, w);
  convolve(spread, image.as<T>().data(), turned.data(), packWeights(spread, turned.data(), threads), bias, y,
           Arithmetic::machine, threads);
  return success();
}

Status convTranspose(OpContext &context) {
  const Tensor &x = context.input(0), &w = context.input(1);
  TILERIG_TRY(ConvolutionShape shape, transposedShape(context, x.shape(), w.shape()));
  int64_t channels = shape.groups * shape.channelsOut;
  TILERIG_CHECK_OK(checkOperands(context, channels));
  Shape outputShape{x.shape()[0], channels};
  for (const WindowAxis &axis : shape.window)
    outputShape.push_back(axis.size);
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), outputShape));
  TILERIG_CHECK_OK(forFloats(x.dtype(), [&]<class T>() -> Status {
    T *to = y.mutableAs<T>().data();
    if (context.arithmetic == Arithmetic::machine)
      return convolveSpread(shape, x.as<T>().data(), w.as<T>().data(), biasOf<T>(context), to,
                            context.threads);
    convolveTransposed(shape, x.as<T>().data(), w.as<T>().data(), biasOf<T>(context), to, context.threads);
    return success();
  }));
  context.outputs[0] = std::move(y);
  return success();
}

} // namespace

std::span<const OpEntry> convolutionOps() {
  static constexpr OpEntry entries[] = {
      {"Conv", 1, 2, 3, conv, HalfFloats::widened, {}, nullptr, true},
      {"ConvTranspose", 1, 2, 3, convTranspose},
  };
  return entries;
}

} // namespace tilerig::reference
