// Naive convolution in double: one image, channels first, no groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilerig::verify::test {

struct PlainImage {
  int64_t channels = 0, rows = 0, columns = 0;
  std::vector<double> values = {};

  double at(int64_t c, int64_t h, int64_t w) const {
    if (h < 0 || w < 0 || h >= rows || w >= columns)
      return 0;
    return values[static_cast<size_t>((c * rows + h) * columns + w)];
  }
};

struct PlainConv {
  int64_t outputs = 0, kernel = 3;
  std::vector<double> weights = {}, bias = {}; // weights by output, channel, row, column
  int64_t padTop = 1, padLeft = 1, strideH = 1, strideW = 1, dilationH = 1, dilationW = 1;
  int64_t channelsUsed = INT64_MAX; // each sum uses only this many channels of the input

  double weight(int64_t channels, int64_t o, int64_t c, int64_t i, int64_t j) const {
    return weights[static_cast<size_t>(((o * channels + c) * kernel + i) * kernel + j)];
  }
  PlainImage of(const PlainImage &x, int64_t rows, int64_t columns) const {
    PlainImage y{outputs, rows, columns, {}};
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t h = 0; h < rows; ++h)
        for (int64_t w = 0; w < columns; ++w) {
          double sum = bias[static_cast<size_t>(o)];
          for (int64_t c = 0; c < std::min(x.channels, channelsUsed); ++c)
            for (int64_t i = 0; i < kernel; ++i)
              for (int64_t j = 0; j < kernel; ++j)
                sum += weight(x.channels, o, c, i, j) *
                       x.at(c, h * strideH - padTop + i * dilationH, w * strideW - padLeft + j * dilationW);
          y.values.push_back(sum);
        }
    return y;
  }
};

} // namespace tilerig::verify::test
