// Two ways to convolve.
//
// As a product: the patches of a block of positions become the columns of a matrix, which the weights
// multiply. The block is small enough to stay in the cache; the matrix of all patches, many times the image,
// is never made. A kernel of one tap over every element needs no patches at all.
//
// Directly: row by row of the output, tap by tap. It serves where the product would have next to no depth
// (depthwise convolution), and where the order of the sum is prescribed.
//
// Blocks are cut by shape alone, so results do not depend on how many threads there are.
#include "reference/Ops/Convolve.h"

#include "reference/Gemm/Gemm.h"
#include "reference/Ops/Patches.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

Result<ConvolutionShape> convolutionShape(const OpContext &context, const Shape &x, const Shape &w) {
  if (x.size() < 3 || x.size() != w.size())
    return context.invalid(fmt::format("input {} and weights {} are not both of one rank from 3 on",
                                       showShape(x), showShape(w)));
  Shape kernel(w.begin() + 2, w.end());
  TRY(auto stated, context.intsAttribute("kernel_shape", kernel));
  if (stated != kernel)
    return context.invalid(
        fmt::format("kernel_shape {} contradicts weights {}", showShape(stated), showShape(w)));
  TRY(int64_t groups, context.intAttribute("group", 1));
  if (groups < 1 || x[1] % groups != 0 || w[0] % groups != 0 || x[1] / groups != w[1])
    return context.invalid(
        fmt::format("input {} and weights {} do not make {} groups", showShape(x), showShape(w), groups));
  TRY(Window window, windowOver(context, std::span(x).subspan(2), kernel));
  return ConvolutionShape{x[0], groups, w[1], w[0] / groups, std::move(window)};
}

namespace {

template <class T>
struct Convolution {
  const ConvolutionShape &shape;
  const T *x, *w, *bias;
  T *y;
  Arithmetic arithmetic;
  int64_t taps = countTaps(shape.window);
  int64_t image = countImage(shape.window), positions = countOutputs(shape.window);
  int64_t depth = shape.channelsIn * taps;
  int64_t blockPositions = 0, blockChannels = 0;

  // Work that falls to one thread at a time.
  struct Block {
    int64_t image, group; // which
    Span positions, channels;
  };

  int64_t positionBlocks() const { return (positions + blockPositions - 1) / blockPositions; }
  int64_t channelBlocks() const { return (shape.channelsOut + blockChannels - 1) / blockChannels; }

  const T *inputOf(const Block &block) const {
    return x + (block.image * shape.groups + block.group) * shape.channelsIn * image;
  }
  const T *weightsOf(const Block &block) const {
    return w + (block.group * shape.channelsOut + block.channels.begin) * depth;
  }
  T *outputOf(const Block &block, int64_t channel) const {
    int64_t row = (block.image * shape.groups + block.group) * shape.channelsOut + channel;
    return y + row * positions + block.positions.begin;
  }
  T biasOf(const Block &block, int64_t channel) const {
    return bias ? bias[block.group * shape.channelsOut + channel] : T(0);
  }
  bool isPointwise() const {
    return std::all_of(shape.window.begin(), shape.window.end(), [](const WindowAxis &axis) {
      return axis.kernel == 1 && axis.stride == 1 && axis.padBegin == 0 && axis.padEnd == 0;
    });
  }
  bool isDirect() const {
    return arithmetic == Arithmetic::machine || (shape.channelsIn == 1 && shape.channelsOut <= 4);
  }

  void run(Threads &threads) {
    if (shape.images * shape.groups * shape.channelsOut * positions == 0)
      return;
    chooseBlocks();
    int64_t perGroup = positionBlocks() * channelBlocks();
    threads.forEach(shape.images * shape.groups * perGroup, 1, [&](int64_t begin, int64_t end) {
      std::vector<T> patches;
      for (int64_t i = begin; i < end; ++i) {
        Block block = blockAt(i);
        if (isDirect())
          addDirectly(block);
        else
          addProduct(block, patches);
      }
    });
  }

  void chooseBlocks() {
    constexpr int64_t patchElements = 1 << 17; // what stays in a second-level cache
    blockPositions = std::clamp<int64_t>(patchElements / std::max<int64_t>(1, depth) / 16 * 16, 64, 4096);
    blockPositions = std::min(blockPositions, positions);
    // Patches are made anew for each block of channels: only as many of those as make enough work to share.
    constexpr int64_t enoughBlocks = 16, leastChannels = 64;
    blockChannels = shape.channelsOut;
    int64_t missing = enoughBlocks / std::max<int64_t>(1, shape.images * shape.groups * positionBlocks());
    if (isDirect())
      blockChannels = 1;
    else if (missing > 1)
      blockChannels = std::clamp(shape.channelsOut / missing, std::min(leastChannels, shape.channelsOut),
                                 shape.channelsOut);
  }

  Block blockAt(int64_t index) const {
    int64_t channel = index % channelBlocks() * blockChannels;
    index /= channelBlocks();
    int64_t position = index % positionBlocks() * blockPositions;
    index /= positionBlocks();
    return {index / shape.groups,
            index % shape.groups,
            {position, std::min(position + blockPositions, positions)},
            {channel, std::min(channel + blockChannels, shape.channelsOut)}};
  }

  void addProduct(const Block &block, std::vector<T> &patches) const {
    MatrixView<const T> columns{inputOf(block) + block.positions.begin, image};
    if (!isPointwise()) {
      patches.resize(static_cast<size_t>(depth * blockPositions));
      gather(block, patches.data());
      columns = {patches.data(), block.positions.length()};
    }
    for (int64_t channel = block.channels.begin; channel < block.channels.end; ++channel)
      std::fill_n(outputOf(block, channel), block.positions.length(), biasOf(block, channel));
    multiplyBlock({weightsOf(block), depth}, columns, {outputOf(block, block.channels.begin), positions},
                  block.channels.length(), block.positions.length(), depth, true);
  }

  // Row (channel, tap), column position; what lies in the padding is zero.
  void gather(const Block &block, T *patches) const {
    PatchRuns runs(shape.window, block.positions.begin, block.positions.end);
    int64_t width = block.positions.length();
    std::fill_n(patches, depth * width, T(0));
    for (int64_t tap = 0; tap < taps; ++tap)
      runs.forEach(tap, [&](int64_t position, int64_t from, int64_t length) {
        for (int64_t channel = 0; channel < shape.channelsIn; ++channel) {
          T *to = patches + (channel * taps + tap) * width + position;
          const T *source = inputOf(block) + channel * image + from;
          if (runs.step() == 1)
            std::copy_n(source, length, to);
          else
            for (int64_t i = 0; i < length; ++i)
              to[i] = source[i * runs.step()];
        }
      });
  }

  void addDirectly(const Block &block) const {
    PatchRuns runs(shape.window, block.positions.begin, block.positions.end);
    for (int64_t channel = block.channels.begin; channel < block.channels.end; ++channel) {
      T *to = outputOf(block, channel);
      std::fill_n(to, block.positions.length(), biasOf(block, channel));
      const T *weights = w + (block.group * shape.channelsOut + channel) * depth;
      for (int64_t tap = 0; tap < taps; ++tap)
        runs.forEach(tap, [&](int64_t position, int64_t from, int64_t length) {
          for (int64_t in = 0; in < shape.channelsIn; ++in)
            addRun(weights[in * taps + tap], inputOf(block) + in * image + from, runs.step(), to + position,
                   length);
        });
    }
  }

  void addRun(T weight, const T *from, int64_t step, T *to, int64_t length) const {
    if (arithmetic == Arithmetic::machine)
      for (int64_t i = 0; i < length; ++i)
        to[i] = std::fma(from[i * step], weight, to[i]);
    else if (step == 1)
      for (int64_t i = 0; i < length; ++i)
        to[i] += weight * from[i];
    else
      for (int64_t i = 0; i < length; ++i)
        to[i] += weight * from[i * step];
  }
};

} // namespace

template <class T>
void convolve(const ConvolutionShape &shape, const T *x, const T *w, const T *bias, T *y,
              Arithmetic arithmetic, Threads &threads) {
  Convolution<T>{shape, x, w, bias, y, arithmetic}.run(threads);
}
template void convolve(const ConvolutionShape &, const float *, const float *, const float *, float *,
                       Arithmetic, Threads &);
template void convolve(const ConvolutionShape &, const double *, const double *, const double *, double *,
                       Arithmetic, Threads &);

} // namespace tilerig::reference
