// The host operators GatherElements and GatherND: select elements or blocks by index.
#include "emulator/Host/Places.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::emulator {

// The result has the shape of the indices. Each element of the result is taken from the input at the same
// position, except along `axis`: the index along this axis is the value of the indices tensor at the
// position.
Result<HostResult> runGatherElements(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const std::vector<int64_t> indices, indicesOf(call, 1));
  TILERIG_TRY(const int64_t axis, axisOf(call, "axis", 0, input->rank()));
  const Shape &shape = call.inputs[1]->shape(), &from = input->shape();
  bool fits = shape.size() == from.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = static_cast<int64_t>(d) == axis || shape[d] <= from[d];
  if (!fits)
    return call.refuse(fmt::format("indices of shape {} do not fit into input shape {} with axis {}",
                                   showShape(shape), showShape(from), axis));
  TILERIG_TRY(Tensor result, Tensor::make(input->dtype(), shape));
  const auto strides = input->strides(), own = result.strides();
  const size_t bytes = sizeBytes(input->dtype());
  for (size_t i = 0; i < indices.size(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t place = static_cast<int64_t>(i) / own[d] % shape[d];
      if (static_cast<int64_t>(d) == axis) {
        TILERIG_TRY(place, placeOf(call, indices[i], from[d]));
      }
      at += place * strides[d];
    }
    std::memcpy(result.mutableBytes().data() + i * bytes,
                input->bytes().data() + static_cast<size_t>(at) * bytes, bytes);
  }
  return HostResult{std::vector{std::move(result)}};
}

// The last axis of the indices holds an index for each of the first input axes after the batch axes; the
// remaining input axes are copied as a block.
Result<HostResult> runGatherND(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const std::vector<int64_t> indices, indicesOf(call, 1));
  TILERIG_TRY(const int64_t batchAxes, call.integer("batch_dims", 0));
  const Shape &shape = call.inputs[1]->shape(), &from = input->shape();
  const size_t depth = shape.empty() ? 0 : static_cast<size_t>(shape.back());
  const auto batches = static_cast<size_t>(batchAxes);
  if (shape.empty() || batchAxes < 0 || batches >= shape.size() || batches + depth > from.size() ||
      !std::equal(shape.begin(), shape.begin() + batchAxes, from.begin()))
    return call.refuse(fmt::format("indices of shape {} do not fit input shape {} with batch_dims {}",
                                   showShape(shape), showShape(from), batchAxes));
  Shape resultShape(shape.begin(), shape.end() - 1);
  resultShape.insert(resultShape.end(), from.begin() + static_cast<int64_t>(batches + depth), from.end());
  TILERIG_TRY(Tensor result, Tensor::make(input->dtype(), resultShape));
  const Shape batch(from.begin(), from.begin() + batchAxes),
      block(from.begin() + static_cast<int64_t>(batches + depth), from.end());
  const size_t blockBytes = countOf(block) * sizeBytes(input->dtype()),
               blocks = depth == 0 ? countOf(resultShape) / std::max<uint64_t>(1, countOf(block))
                                   : indices.size() / depth;
  const uint64_t perBatch = blocks / std::max<uint64_t>(1, countOf(batch));
  for (size_t i = 0; i < blocks; ++i) {
    auto at = static_cast<int64_t>(i / perBatch);
    for (size_t d = 0; d < depth; ++d) {
      TILERIG_TRY(const int64_t place, placeOf(call, indices[i * depth + d], from[batches + d]));
      at = at * from[batches + d] + place;
    }
    std::memcpy(result.mutableBytes().data() + i * blockBytes,
                input->bytes().data() + static_cast<size_t>(at) * blockBytes, blockBytes);
  }
  return HostResult{std::vector{std::move(result)}};
}

} // namespace tilerig::emulator
