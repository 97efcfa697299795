// Convolution by one of two algorithms, chosen by shape; both compute every sum in the same order.
//
// As a matrix product (im2col): the patches of some positions become the columns of a matrix, which the
// weights multiply. Patches are packed block by block, for a few positions and some taps and channels; the
// matrix of all patches, many times as large as the image, is never built. A kernel with one tap that visits
// every element needs no patches.
//
// As a depthwise convolution (Depthwise.h), where the sums of a matrix product would be very short.
#include "reference/Ops/Convolve.h"

#include "reference/Ops/Depthwise.h"
#include "reference/Ops/Patches.h"
#include "reference/Ops/Products.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

Result<ConvolutionShape> convolutionShape(const OpContext &context, const Shape &x, const Shape &w) {
  if (x.size() < 3 || x.size() != w.size())
    return context.invalid(fmt::format("input {} and weights {} must have the same rank, at least 3",
                                       showShape(x), showShape(w)));
  Shape kernel(w.begin() + 2, w.end());
  TILERIG_TRY(auto stated, context.intsAttribute("kernel_shape", kernel));
  if (stated != kernel)
    return context.invalid(
        fmt::format("kernel_shape {} does not match weights {}", showShape(stated), showShape(w)));
  TILERIG_TRY(int64_t groups, context.intAttribute("group", 1));
  if (groups < 1 || x[1] % groups != 0 || w[0] % groups != 0 || x[1] / groups != w[1])
    return context.invalid(
        fmt::format("input {}, weights {} and group {} do not match", showShape(x), showShape(w), groups));
  TILERIG_TRY(Window window, windowOver(context, std::span(x).subspan(2), kernel));
  return ConvolutionShape{x[0], groups, w[1], w[0] / groups, std::move(window)};
}

template <class T>
PackedWeights<T> packWeights(const ConvolutionShape &shape, const T *w, Threads &threads) {
  PackedWeights<T> groups;
  int64_t taps = countTaps(shape.window), channels = shape.channelsIn, depth = channels * taps;
  if (isDepthwise(shape) || depth == 0)
    return groups;
  for (int64_t group = 0; group < shape.groups; ++group) {
    RowPanels<T> &panels = groups.emplace_back(shape.channelsOut, depth);
    threads.forEach(shape.channelsOut, 8, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        T *to = panels.panel(row / panels.height) + row % panels.height;
        const T *from = w + (group * shape.channelsOut + row) * depth;
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t channel = 0; channel < channels; ++channel, to += panels.height)
            *to = from[channel * taps + tap];
      }
    });
  }
  return groups;
}
template PackedWeights<float> packWeights(const ConvolutionShape &, const float *, Threads &);
template PackedWeights<double> packWeights(const ConvolutionShape &, const double *, Threads &);

namespace {

template <class T>
struct Convolution {
  const ConvolutionShape &shape;
  const T *x, *w;
  const PackedWeights<T> &packed;
  const T *bias;
  T *y;
  Arithmetic arithmetic;
  const FinishRow<T> &finish;
  int64_t taps = countTaps(shape.window);
  int64_t image = countImage(shape.window), positions = countOutputs(shape.window);
  int64_t depth = shape.channelsIn * taps;
  const T *end = x + shape.images * shape.groups * shape.channelsIn * image;
  Chain chain = chainOf(arithmetic);

  // The part of a convolution that concerns one group of channels of one element of the batch: input x and
  // output y.
  struct Plane {
    int64_t group;
    const T *x;
    T *y;
  };
  Plane planeAt(int64_t index) const {
    return {index % shape.groups, x + index * shape.channelsIn * image,
            y + index * shape.channelsOut * positions};
  }
  const T *biasOf(const Plane &plane) const {
    return bias ? bias + plane.group * shape.channelsOut : nullptr;
  }
  const T *weightsOf(const Plane &plane, int64_t channel) const {
    return w + (plane.group * shape.channelsOut + channel) * depth;
  }

  bool isPointwise() const {
    return std::all_of(shape.window.begin(), shape.window.end(), [](const WindowAxis &axis) {
      return axis.kernel == 1 && axis.stride == 1 && axis.padBegin == 0 && axis.padEnd == 0;
    });
  }

  void run(Threads &threads) const {
    int64_t planes = shape.images * shape.groups;
    if (planes * shape.channelsOut * positions == 0)
      return;
    if (isDepthwise(shape)) {
      convolveDepthwise(shape, x, w, bias, y, chain, threads, finish);
      return repairBorders(threads);
    }
    auto multiplyPlanes = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        multiplyPlane(planeAt(i), threads);
    };
    // A plane is one group of channels of one element of the batch. If there are many planes, each is
    // computed by a single thread. If there are few, they are computed one after the other, each by all
    // threads together.
    if (planes >= 4 * static_cast<int64_t>(threads.count()))
      threads.forEach(planes, 1, multiplyPlanes);
    else
      multiplyPlanes(0, planes);
    repairBorders(threads);
  }

  void multiplyPlane(const Plane &plane, Threads &threads) const {
    if (depth == 0) {
      for (int64_t channel = 0; channel < shape.channelsOut; ++channel) {
        T *to = plane.y + channel * positions;
        std::fill_n(to, positions, biasOf(plane) ? biasOf(plane)[channel] : T(0));
        if (finish)
          finish(to, positions, plane.group * shape.channelsOut + channel);
      }
      return;
    }
    const TileKernels<T> &kernels = tileKernels<T>();
    bool pointwise = isPointwise();
    PackPanel<T> pack = [&](int64_t panel, DepthRange steps, T *to) -> PanelView<T> {
      const int64_t width = kernels.panelColumns, first = panel * width;
      if (pointwise && first + width <= positions)
        return {plane.x + steps.begin * positions + first, positions};
      if (pointwise)
        kernels.packColumns({plane.x, positions}, steps.begin, steps.length(), first, positions, to);
      else
        packPatches(plane, {first, std::min(first + width, positions)}, steps, to);
      return {to, width};
    };
    multiply(packed[static_cast<size_t>(plane.group)], positions, pack, MatrixView<T>{plane.y, positions},
             Start<T>{false, biasOf(plane)}, chain, threads, finishOf(plane));
  }

  // Adapts `finish`, the callback for complete sums, to the matrix product of one group: the rows of this
  // product are the group's output channels, but `finish` takes channel numbers of the whole output.
  FinishRow<T> finishOf(const Plane &plane) const {
    if (!finish)
      return {};
    return [this, first = plane.group * shape.channelsOut](T *run, int64_t size, int64_t row) {
      finish(run, size, first + row);
    };
  }

  // Packs the patches of a panel of positions, for the requested values of k, the summation index; each value
  // of k stands for a (tap, channel) pair.
  void packPatches(const Plane &plane, Span columns, DepthRange steps, T *to) const {
    const TileKernels<T> &kernels = tileKernels<T>();
    PatchRuns patches(shape.window, columns.begin, columns.end);
    std::vector<PatchRun> runs;
    for (int64_t step = steps.begin; step < steps.end;) {
      int64_t tap = step / shape.channelsIn, channel = step % shape.channelsIn;
      int64_t channels = std::min(shape.channelsIn - channel, steps.end - step);
      runs.clear();
      int64_t covered = 0;
      patches.forEach(tap, [&](int64_t position, int64_t from, int64_t length) {
        if (position > covered)
          runs.push_back({covered, position - covered, -1, 0});
        runs.push_back({position, length, from, patches.step()});
        covered = position + length;
      });
      if (covered < kernels.panelColumns)
        runs.push_back({covered, kernels.panelColumns - covered, -1, 0});
      kernels.packPatches(plane.x + channel * image, image, channels, runs.data(),
                          static_cast<int64_t>(runs.size()), end, to);
      to += channels * kernels.panelColumns;
      step += channels;
    }
  }

  // Padding is multiplied as zeros. This changes only two kinds of results: a sum of -0 may lose its sign,
  // and an infinite weight times zero gives NaN. Border outputs that are 0 or NaN are therefore recomputed,
  // tap by tap.
  void repairBorders(Threads &threads) const {
    std::vector<int64_t> border;
    if (arithmetic == Arithmetic::machine && depth > 0)
      border = borderPositions();
    int64_t channels = shape.images * shape.groups * shape.channelsOut;
    threads.forEach(border.empty() ? 0 : channels, 16, [&](int64_t begin, int64_t end) {
      Coordinates output(shape.window.size()), tap(shape.window.size());
      for (int64_t channel = begin; channel < end; ++channel)
        for (int64_t position : border)
          if (T &result = y[channel * positions + position]; result == 0 || std::isnan(result)) {
            setCoordinates(output, position);
            result =
                sumOfTaps(planeAt(channel / shape.channelsOut), channel % shape.channelsOut, output, tap);
          }
    });
  }

  // The positions (numbered in row-major order) with at least one tap in the padding.
  std::vector<int64_t> borderPositions() const {
    std::vector<std::vector<bool>> whole;
    for (const WindowAxis &axis : shape.window)
      for (whole.emplace_back(); static_cast<int64_t>(whole.back().size()) < axis.outputs;)
        whole.back().push_back(tapsInside(axis, static_cast<int64_t>(whole.back().size())).length() ==
                               axis.kernel);
    std::vector<int64_t> border;
    Coordinates output(shape.window.size());
    for (int64_t position = 0; position < positions; ++position) {
      for (size_t d = 0; d < output.size(); ++d)
        if (!whole[d][static_cast<size_t>(output[d])]) {
          border.push_back(position);
          break;
        }
      for (size_t d = output.size(); d-- > 0 && ++output[d] == shape.window[d].outputs;)
        output[d] = 0;
    }
    return border;
  }

  void setCoordinates(Coordinates &output, int64_t position) const {
    for (size_t d = output.size(); d-- > 0; position /= shape.window[d].outputs)
      output[d] = position % shape.window[d].outputs;
  }

  // Computes one output element anew, over the taps that do not lie in the padding; `tap` is a buffer for the
  // coordinates of a tap.
  T sumOfTaps(const Plane &plane, int64_t channel, const Coordinates &output, Coordinates &tap) const {
    const T *weights = weightsOf(plane, channel);
    T sum = biasOf(plane) ? biasOf(plane)[channel] : T(0);
    std::fill(tap.begin(), tap.end(), 0);
    for (int64_t index = 0; index < taps; ++index) {
      if (int64_t from = elementSeen(output, tap); from >= 0)
        for (int64_t in = 0; in < shape.channelsIn; ++in)
          sum = std::fma(plane.x[in * image + from], weights[in * taps + index], sum);
      for (size_t d = tap.size(); d-- > 0 && ++tap[d] == shape.window[d].kernel;)
        tap[d] = 0;
    }
    return sum;
  }

  // Index of the element that a tap of an output reads; -1 in the padding.
  int64_t elementSeen(const Coordinates &output, const Coordinates &tap) const {
    int64_t element = 0;
    for (size_t d = 0; d < tap.size(); ++d) {
      const WindowAxis &axis = shape.window[d];
      int64_t at = axis.start(output[d]) + tap[d] * axis.dilation;
      if (at < 0 || at >= axis.size)
        return -1;
      element = element * axis.size + at;
    }
    return element;
  }
};

} // namespace

template <class T>
void convolve(const ConvolutionShape &shape, const T *x, const T *w, const PackedWeights<T> &packed,
              const T *bias, T *y, Arithmetic arithmetic, Threads &threads, const FinishRow<T> &finish) {
  Convolution<T>{shape, x, w, packed, bias, y, arithmetic, finish}.run(threads);
}
template void convolve(const ConvolutionShape &, const float *, const float *, const PackedWeights<float> &,
                       const float *, float *, Arithmetic, Threads &, const FinishRow<float> &);
template void convolve(const ConvolutionShape &, const double *, const double *,
                       const PackedWeights<double> &, const double *, double *, Arithmetic, Threads &,
                       const FinishRow<double> &);

} // namespace tilerig::reference
