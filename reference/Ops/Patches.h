// Where the taps of a window meet the image, as runs: along the innermost axis a tap of consecutive positions
// sees elements one stride apart, so that gathering, scattering and accumulating are loops without tests.
#pragma once

#include "reference/Ops/Window.h"

namespace tilerig::reference {

// A tap's position in each axis, and the next one.
using Coordinates = std::vector<int64_t>;

// For the positions [first, last) of a window, counted in row-major order.
class PatchRuns {
public:
  PatchRuns(const Window &window, int64_t first, int64_t last)
      : window(window), imageStrides(window.size(), 1) {
    for (size_t d = window.size() - 1; d > 0; --d)
      imageStrides[d - 1] = imageStrides[d] * window[d].size;
    int64_t perRow = window.back().outputs;
    for (int64_t at = first; at < last;) {
      int64_t column = at % perRow, length = std::min(perRow - column, last - at);
      rows.push_back({at - first, coordinatesOf(at / perRow), {column, column + length}});
      at += length;
    }
  }

  int64_t step() const { return window.back().stride; }

  // Calls use(position, image, length) for every run of tap `tap` (counted in row-major order): positions
  // from `position` on, relative to the first one, see the image elements image, image + step(), ...
  template <class Use>
  void forEach(int64_t tap, Use use) const {
    Coordinates taps(window.size());
    for (size_t d = window.size(); d-- > 0; tap /= window[d].kernel)
      taps[d] = tap % window[d].kernel;
    const WindowAxis &inner = window.back();
    for (const Row &row : rows) {
      Span inside = positionsInside(inner, taps.back(), row.columns.begin, row.columns.end);
      int64_t image = inside.length() == 0 ? -1 : outerOffset(row, taps);
      if (image >= 0)
        use(row.position + inside.begin - row.columns.begin,
            image + inner.start(inside.begin) + taps.back() * inner.dilation, inside.length());
    }
  }

private:
  // Positions that differ in the innermost axis alone.
  struct Row {
    int64_t position;
    Coordinates outputs; // of the outer axes
    Span columns;
  };

  Coordinates coordinatesOf(int64_t row) const {
    Coordinates result(window.size() - 1);
    for (size_t d = result.size(); d-- > 0; row /= window[d].outputs)
      result[d] = row % window[d].outputs;
    return result;
  }

  // The image offset of a row's tap by its outer axes, or -1 where it lies in the padding.
  int64_t outerOffset(const Row &row, const Coordinates &taps) const {
    int64_t offset = 0;
    for (size_t d = 0; d + 1 < window.size(); ++d) {
      int64_t at = window[d].start(row.outputs[d]) + taps[d] * window[d].dilation;
      if (at < 0 || at >= window[d].size)
        return -1;
      offset += at * imageStrides[d];
    }
    return offset;
  }

  const Window &window;
  std::vector<int64_t> imageStrides;
  std::vector<Row> rows;
};

} // namespace tilerig::reference
