// Maps the taps of a window to runs of image elements: along the innermost axis, a tap of consecutive
// positions reads elements one stride apart, so gathering, scattering and accumulating need no bounds checks
// per element.
#pragma once

#include "reference/Ops/Window.h"

namespace tilerig::reference {

// The coordinates of a tap within the kernel, or of a position of the window, along all axes.
using Coordinates = std::vector<int64_t>;

// Splits the positions [first, last) of a window, counted in row-major order, into runs that read elements at
// constant distance.
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
  // from `position` on, relative to `first`, read the image elements image, image + step(), ...
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
  // Consecutive positions that differ only in their index along the innermost axis.
  struct Row {
    int64_t position;    // number of the row's first position, counted from the first position of all rows
    Coordinates outputs; // the row's index along each axis but the innermost
    Span columns;        // range of the row's positions along the innermost axis
  };

  Coordinates coordinatesOf(int64_t row) const {
    Coordinates result(window.size() - 1);
    for (size_t d = result.size(); d-- > 0; row /= window[d].outputs)
      result[d] = row % window[d].outputs;
    return result;
  }

  // Offset in the image of the row that a tap (`taps`) reads for the positions of `row`; -1 if that row lies
  // in the padding.
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
