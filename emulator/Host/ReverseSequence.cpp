// The host operator ReverseSequence: reverses the first steps of each sequence of a batch, as many as its
// length states.
#include "emulator/Host/Places.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::emulator {

Result<HostResult> runReverseSequence(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const std::vector<int64_t> lengths, indicesOf(call, 1));
  TILERIG_TRY(const int64_t time, axisOf(call, "time_axis", 0, input->rank()));
  TILERIG_TRY(const int64_t batch, axisOf(call, "batch_axis", 1, input->rank()));
  const Shape &shape = input->shape();
  if (time == batch || std::ssize(lengths) != shape[batch])
    return call.refuse(fmt::format("{} sequence lengths do not match input shape {} with time_axis {} and "
                                   "batch_axis {}",
                                   lengths.size(), showShape(shape), time, batch));
  for (const int64_t length : lengths)
    if (length < 0 || length > shape[time])
      return call.refuse(
          fmt::format("sequence length {} is out of range for {} time steps", length, shape[time]));
  TILERIG_TRY(Tensor result, Tensor::make(input->dtype(), shape));
  const auto strides = input->strides();
  const size_t bytes = sizeBytes(input->dtype());
  for (int64_t i = 0; i < static_cast<int64_t>(input->elementCount()); ++i) {
    const int64_t step = i / strides[time] % shape[time], length = lengths[i / strides[batch] % shape[batch]];
    const int64_t from = step < length ? i + (length - 1 - 2 * step) * strides[time] : i;
    std::memcpy(result.mutableBytes().data() + static_cast<size_t>(i) * bytes,
                input->bytes().data() + static_cast<size_t>(from) * bytes, bytes);
  }
  return HostResult{std::vector{std::move(result)}};
}

} // namespace tilerig::emulator
