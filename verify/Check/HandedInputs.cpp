#include "verify/Check/HandedInputs.h"

#include "emulator/Memory/Stored.h"
#include "verify/Check/StoredTensors.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

bool isOfFloats(DType type) {
  return type == DType::f32 || type == DType::f64 || type == DType::f16 || type == DType::bf16;
}

} // namespace

Result<HandedInputs> handOver(const Program &program, const TensorMap &inputs) {
  HandedInputs handed;
  for (const NamedTensor &input : inputs) {
    const auto &placements = program.metadata.tensors();
    const auto placement = std::ranges::find_if(placements, [&](const proto::Tensor &tensor) {
      return tensor.role() == proto::INPUT && tensor.name() == input.name;
    });
    Tensor integers = input.tensor, reals = input.tensor;
    if (placement != placements.end() && hasScale(*placement) && isOfFloats(input.tensor.dtype())) {
      const proto::Tensor converted = withOutsideType(*placement, input.tensor.dtype());
      TILERIG_TRY(integers, emulator::toStored(converted, input.tensor));
      TILERIG_TRY(reals, emulator::fromStored(converted, integers));
    }
    TILERIG_CHECK_OK(handed.integers.add(input.name, std::move(integers)));
    TILERIG_CHECK_OK(handed.reals.add(input.name, std::move(reals)));
  }
  return handed;
}

} // namespace tilerig::verify
