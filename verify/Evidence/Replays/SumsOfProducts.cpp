#include "verify/Evidence/Replays/SumsOfProducts.h"

#include <algorithm>
#include <array>

namespace tilerig::verify {

float dot(const float *a, const float *b, size_t count) {
  std::array<float, 8> sums{};
  size_t i = 0;
  for (; i + sums.size() <= count; i += sums.size())
    for (size_t lane = 0; lane < sums.size(); ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  for (size_t lane = 0; i < count; ++i, ++lane)
    sums[lane] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

SumsOfProducts::SumsOfProducts(const Product &product)
    : product(product), perGroup(product.outputs() / product.groups),
      channels(static_cast<int64_t>(product.weightSizes[3])) {}

// The first row (or column) of the input under the convolution window of an element, from the element's row
// (or column) in the result.
static int64_t firstOf(const Product::Axis &axis, const Reading::Axis &reading, int64_t at, int64_t origin) {
  return at * axis.stride - axis.padding + reading.shift + reading.stride * (at - origin);
}

// Calls visit(tap, row, column) for each tap of the element's convolution window that lies inside the image.
template <class Visit>
void SumsOfProducts::forTaps(const ElementPosition &position, const Reading &reading, Visit visit) const {
  const auto height = static_cast<int64_t>(product.inputSizes[1]),
             width = static_cast<int64_t>(product.inputSizes[2]);
  const auto rows = static_cast<int64_t>(product.weightSizes[1]),
             columns = static_cast<int64_t>(product.weightSizes[2]);
  const int64_t top = firstOf(product.rows, reading.rows, position.row, position.firstRow),
                left = firstOf(product.columns, reading.columns, position.column, position.firstColumn);
  const int64_t down = product.rows.dilation + reading.rows.dilation,
                right = product.columns.dilation + reading.columns.dilation;
  for (int64_t y = 0; y < rows; ++y) {
    const int64_t row = top + y * down;
    if (row < reading.rows.cutFront || row >= height - reading.rows.cutBehind)
      continue;
    for (int64_t x = 0; x < columns; ++x) {
      const int64_t column = left + x * right;
      if (column >= reading.columns.cutFront && column < width - reading.columns.cutBehind)
        visit(static_cast<size_t>(y * columns + x), row, column);
    }
  }
}

float SumsOfProducts::sum(const ElementPosition &position, const Reading &reading,
                          const float *weights) const {
  const int64_t firstRow =
      std::max<int64_t>(position.firstRow * product.rows.stride - product.rows.padding, 0);
  float total = 0;
  forTaps(position, reading, [&](size_t tap, int64_t row, int64_t column) {
    const int64_t address =
        addressOf(position, row, column) + reading.address + reading.pitch * (row - firstRow);
    total += sumAt(address, weights + tap * product.weightSizes[3]);
  });
  return total;
}

void SumsOfProducts::readWindow(const ElementPosition &position, float *window, uint8_t *isInside) const {
  forTaps(position, {}, [&](size_t tap, int64_t row, int64_t column) {
    isInside[tap] = 1;
    const float *from = product.input.data() + addressOf(position, row, column);
    std::copy(from, from + channels, window + tap * product.weightSizes[3]);
  });
}

// Address, at a row and column of the input, of the first channel that contributes to the element. In a
// grouped convolution, this is the first channel of the element's group.
int64_t SumsOfProducts::addressOf(const ElementPosition &position, int64_t row, int64_t column) const {
  const auto height = static_cast<int64_t>(product.inputSizes[1]),
             width = static_cast<int64_t>(product.inputSizes[2]);
  return ((position.batch * height + row) * width + column) * static_cast<int64_t>(product.inputSizes[3]) +
         static_cast<int64_t>(position.output / perGroup) * channels;
}

// Dot product of the weights with the input from an address on; elements outside the input count as zero.
float SumsOfProducts::sumAt(int64_t address, const float *weights) const {
  const int64_t begin = std::max<int64_t>(-address, 0),
                end = std::min(channels, static_cast<int64_t>(product.input.size()) - address);
  return begin < end
             ? dot(product.input.data() + address + begin, weights + begin, static_cast<size_t>(end - begin))
             : 0;
}

} // namespace tilerig::verify
