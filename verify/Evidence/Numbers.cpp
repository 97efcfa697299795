#include "verify/Evidence/Numbers.h"

#include "verify/Metrics/Chunks.h"

#include <algorithm>

namespace tilerig::verify {

std::vector<double> numbersOf(const Tensor &tensor) {
  const DType type = partType(tensor.dtype());
  const TensorPair pair{type, type, tensor.bytes().data(), tensor.bytes().data()};
  std::vector<double> numbers(tensor.sizeBytes() / sizeBytes(type));
  WidePair wide;
  for (size_t begin = 0; begin < numbers.size(); begin += WidePair::most) {
    const size_t count = std::min(WidePair::most, numbers.size() - begin);
    widenPair(pair, begin, count, wide);
    std::copy_n(wide.target, count, numbers.begin() + static_cast<ptrdiff_t>(begin));
  }
  return numbers;
}

} // namespace tilerig::verify
