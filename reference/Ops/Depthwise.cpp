// Depthwise convolution. A channel's image is copied with its padding, in bands of rows that fit into the L1
// cache. For each tap, a row of outputs then reads consecutive elements of the copy, without bounds checks:
// if the stride along the innermost axis is s, the copy places every s-th element side by side.
#include "reference/Ops/Depthwise.h"

#include "reference/Run/Scratch.h"

#include <algorithm>
#include <type_traits>

namespace tilerig::reference {

// Number of elements that outputs [0, outputs) of an axis read, including padding.
static int64_t spannedBy(const WindowAxis &axis, int64_t outputs) {
  return (outputs - 1) * axis.stride + axis.extent();
}

bool isDepthwise(const ConvolutionShape &shape) {
  if (shape.channelsIn != 1 || shape.channelsOut > 4)
    return false;
  int64_t most = 4 * (countImage(shape.window) + countOutputs(shape.window)) + 1024, padded = 1;
  return std::ranges::all_of(shape.window, [&](const WindowAxis &axis) {
    int64_t spanned = spannedBy(axis, axis.outputs);
    bool fits = spanned <= most / padded;
    padded *= fits ? spanned : 1;
    return fits;
  });
}

namespace {

// Copies `count` elements in whole vectors, the last of which may start early and copy some elements again.
// Rows are often hardly longer than a vector, so copying their ends one element at a time would be slow.
template <class T>
void copyRun(const T *from, int64_t count, T *to) {
  constexpr int64_t vector = 16 / sizeof(T);
  if (count < vector) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i < count - vector; i += vector)
    __builtin_memcpy(to + i, from + i, 16);
  __builtin_memcpy(to + count - vector, from + count - vector, 16);
}

// A band of rows of a channel: outputs [first, last) along the outermost axis, all outputs along the other
// axes, and the padded copy of the image elements that these outputs read.
class Band {
public:
  Band(const Window &window, int64_t first, int64_t last) : window(window), first(first) {
    const WindowAxis &inner = window.back();
    outputs = window;
    outputs[0].outputs = last - first;
    phase = (spannedBy(inner, outputs.back().outputs) + inner.stride - 1) / inner.stride;
    strides.assign(window.size(), phase * inner.stride);
    for (size_t d = window.size() - 1; d-- > 1;)
      strides[d - 1] = strides[d] * spannedBy(outputs[d], outputs[d].outputs);
    size = window.size() > 1 ? strides[0] * spannedBy(outputs[0], outputs[0].outputs) : phase * inner.stride;
    // Bands split only the outermost axis. So along the innermost axis a band begins at output 0, unless
    // there is a single axis, which is both innermost and outermost.
    int64_t from = inner.start(window.size() == 1 ? first : 0);
    seen = {std::max<int64_t>(from, 0), std::min(inner.size, from + phase * inner.stride)};
    padding = seen.begin - from;
    placeTaps();
    placeRows();
    if (seen.length() > 0)
      placeImageRows();
  }

  int64_t size; // size of the padded copy of the image, in elements
  int64_t begin() const { return first * countOutputs(window) / window[0].outputs; }
  int64_t columns() const { return outputs.back().outputs; }
  const std::vector<int64_t> &tapOffsets() const { return taps; }
  const std::vector<int64_t> &rowOffsets() const { return rows; }

  // Copies the image elements of the band; the padding in `to` is left unchanged.
  template <class T>
  void copy(const T *image, T *to) const {
    int64_t stride = window.back().stride;
    // With constant strides, the compiler vectorises the copy.
    if (stride == 1)
      for (const ImageRow &row : imageRows)
        copyRun(image + seen.begin + row.image, seen.length(), to + padding + row.at);
    else if (stride == 2)
      copyRows(image, to, std::integral_constant<int64_t, 2>());
    else
      copyRows(image, to, stride);
  }

private:
  struct ImageRow {
    int64_t image, at; // offsets of the row in the image and in the padded copy
  };

  template <class T, class Stride>
  void copyRows(const T *image, T *to, Stride stride) const {
    for (int64_t p = 0; p < std::min<int64_t>(stride, seen.length()); ++p) {
      int64_t at = padding + p, count = (seen.length() - p + stride - 1) / stride;
      const T *source = image + seen.begin + p;
      T *target = to + at % stride * phase + at / stride;
      for (const ImageRow &row : imageRows)
        for (int64_t i = 0; i < count; ++i)
          target[row.at + i] = source[row.image + i * stride];
    }
  }

  // Calls use(coordinates) for all coordinates along the axes but the innermost, in row-major order; axis d
  // has sizeOf(d) of them.
  template <class SizeOf, class Use>
  void forOuter(SizeOf sizeOf, Use use) const {
    std::vector<int64_t> at(window.size() - 1, 0);
    for (;;) {
      use(at);
      size_t d = at.size();
      while (d-- > 0 && ++at[d] == sizeOf(d))
        at[d] = 0;
      if (d == static_cast<size_t>(-1))
        return;
    }
  }

  void placeTaps() {
    const WindowAxis &inner = window.back();
    forOuter([&](size_t d) { return window[d].kernel; },
             [&](const std::vector<int64_t> &at) {
               int64_t offset = 0;
               for (size_t d = 0; d < at.size(); ++d)
                 offset += at[d] * window[d].dilation * strides[d];
               for (int64_t tap = 0; tap < inner.kernel; ++tap) {
                 int64_t x = tap * inner.dilation;
                 taps.push_back(offset + x % inner.stride * phase + x / inner.stride);
               }
             });
  }

  void placeRows() {
    forOuter([&](size_t d) { return outputs[d].outputs; },
             [&](const std::vector<int64_t> &at) {
               int64_t offset = 0;
               for (size_t d = 0; d < at.size(); ++d)
                 offset += at[d] * window[d].stride * strides[d];
               rows.push_back(offset);
             });
  }

  void placeImageRows() {
    forOuter([&](size_t d) { return spannedBy(outputs[d], outputs[d].outputs); },
             [&](const std::vector<int64_t> &at) {
               ImageRow row{0, 0};
               for (size_t d = 0; d < at.size(); ++d) {
                 int64_t index = window[d].start(d == 0 ? first : 0) + at[d];
                 if (index < 0 || index >= window[d].size)
                   return;
                 row.image = (row.image + index) * window[d + 1].size;
                 row.at += at[d] * strides[d];
               }
               imageRows.push_back(row);
             });
  }

  const Window &window;
  int64_t first;
  Window outputs;  // window of the kernel, limited to the outputs of the band
  int64_t phase;   // number of elements copied side by side: every s-th one of a row, at stride s
  Span seen;       // range of indices that the band reads along the image's innermost axis
  int64_t padding; // number of padding elements that precede the image elements in a padded row
  std::vector<int64_t> strides; // strides of the padded copy, for all axes but the innermost
  std::vector<int64_t> taps, rows;
  std::vector<ImageRow> imageRows;
};

} // namespace

template <class T>
void convolveDepthwise(const ConvolutionShape &shape, const T *x, const T *w, const T *bias, T *y,
                       Chain chain, Threads &threads, const FinishRow<T> &finish) {
  constexpr int64_t elementsInCache = 5000, slack = 64 / sizeof(T);
  const Window &window = shape.window;
  int64_t image = countImage(window), positions = countOutputs(window), taps = countTaps(window);
  int64_t outer = window[0].outputs, perOutput = 1;
  for (size_t d = 1; d < window.size(); ++d)
    perOutput *= spannedBy(window[d], window[d].outputs);
  int64_t height = std::clamp<int64_t>(elementsInCache / (perOutput * window[0].stride), 1, outer);
  int64_t bands = (outer + height - 1) / height, channels = shape.images * shape.groups * shape.channelsOut;
  int64_t grain = std::max<int64_t>(1, (1 << 17) / (positions / bands * taps + 1));
  threads.forEach(bands * channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      int64_t first = i / channels * height;
      Band band(window, first, std::min(first + height, outer));
      Scratch<T> padded(band.size + slack);
      std::ranges::fill(padded, T(0));
      int64_t copied = -1;
      for (int64_t stop = std::min(end, (i / channels + 1) * channels); i < stop; ++i) {
        int64_t plane = i % channels / shape.channelsOut, out = i % (shape.groups * shape.channelsOut);
        if (plane != copied)
          band.copy(x + plane * image, padded.data());
        copied = plane;
        const auto rows = static_cast<int64_t>(band.rowOffsets().size());
        T *to = y + i % channels * positions + band.begin();
        tileKernels<T>().sumTaps({padded.data(), w + out * taps, band.tapOffsets().data(),
                                  band.rowOffsets().data(), taps, rows, band.columns(),
                                  bias ? bias[out] : T(0), to},
                                 chain);
        if (finish)
          finish(to, rows * band.columns(), out);
      }
    }
  });
}
template void convolveDepthwise(const ConvolutionShape &, const float *, const float *, const float *,
                                float *, Chain, Threads &, const FinishRow<float> &);
template void convolveDepthwise(const ConvolutionShape &, const double *, const double *, const double *,
                                double *, Chain, Threads &, const FinishRow<double> &);

} // namespace tilerig::reference
