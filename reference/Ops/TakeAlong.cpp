#include "reference/Ops/TakeAlong.h"

#include "reference/Ops/Axes.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::reference {

Result<Tensor> takeAlong(const Tensor &input, size_t axis, std::span<const int64_t> places,
                         const Shape &placesShape, Threads &threads) {
  AxisSplit split(input.shape(), axis);
  Shape shape = input.shape();
  auto at = shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
  shape.insert(at, placesShape.begin(), placesShape.end());
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(input.dtype(), shape));
  if (output.elementCount() == 0)
    return output;
  const std::byte *from = input.bytes().data();
  std::byte *to = output.mutableBytes().data();
  auto count = static_cast<int64_t>(places.size());
  int64_t run = split.inner * static_cast<int64_t>(sizeBytes(input.dtype()));
  constexpr int64_t grainBytes = 1 << 17;
  threads.forEach(split.outer * count, std::max<int64_t>(1, grainBytes / run),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i)
                      std::memcpy(to + i * run, from + (i / count * split.size + places[i % count]) * run,
                                  static_cast<size_t>(run));
                  });
  return output;
}

Result<std::vector<int64_t>> placesFrom(const OpContext &context, size_t index, int64_t size) {
  TILERIG_TRY(std::vector<int64_t> places, context.integers(index));
  for (int64_t &place : places) {
    if (place < -size || place >= size)
      return context.invalid(fmt::format("index {} is out of range for an axis of size {}", place, size));
    place += place < 0 ? size : 0;
  }
  return places;
}

} // namespace tilerig::reference
