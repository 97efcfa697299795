// The host operator NonZero: the indices of nonzero elements, a column for each, in row-major order.
#include "emulator/Host/Kernels.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

template <class T>
bool isZero(T element) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return (element.bits & 0x7FFF) == 0;
  else
    return element == T(0);
}

} // namespace

Result<HostResult> runNonZero(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  return dispatch(input->dtype(), [&]<class T>() -> Result<HostResult> {
    const auto elements = input->as<T>();
    const auto rank = static_cast<int64_t>(input->rank());
    const int64_t count = std::ranges::count_if(elements, [](T element) { return !isZero(element); });
    TILERIG_TRY(Tensor places, Tensor::make(DType::i64, {rank, count}));
    const auto to = places.mutableAs<int64_t>();
    const auto strides = input->strides();
    int64_t column = 0;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (isZero(elements[i]))
        continue;
      for (int64_t d = 0; d < rank; ++d)
        to[d * count + column] = static_cast<int64_t>(i) / strides[d] % input->shape()[d];
      ++column;
    }
    return HostResult{std::vector{std::move(places)},
                      operationsOfNonZero(elements.size(), static_cast<uint64_t>(count), input->rank())};
  });
}

} // namespace tilerig::emulator
