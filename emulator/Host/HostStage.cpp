#include "emulator/Host/HostStage.h"

#include "emulator/Host/Kernels.h"
#include "emulator/Memory/Placement.h"
#include "emulator/Memory/Stored.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

Result<std::optional<uint64_t>> runHostStage(const Program &program, const proto::HostWork &work,
                                             Memories &memories) {
  const auto placementOf = [&](const std::string &name) {
    return std::ranges::find(program.metadata.tensors(), name, &proto::Tensor::name);
  };
  std::vector<Tensor> inputs(static_cast<size_t>(work.inputs_size()));
  HostCall call{work, {}};
  for (int i = 0; i < work.inputs_size(); ++i) {
    if (!work.inputs(i).empty()) {
      TILERIG_TRY(inputs[i], collectTensor(*placementOf(work.inputs(i)), memories));
    }
    call.inputs.push_back(work.inputs(i).empty() ? nullptr : &inputs[i]);
  }
  const HostKernel &kernel = *findHostKernel(work.kernel());
  TILERIG_TRY(HostResult result, kernel.run(call));
  std::vector<Tensor> &outputs = result.outputs;
  for (int i = 0; i < work.outputs_size(); ++i) {
    if (static_cast<size_t>(i) >= outputs.size())
      return call.refuse(
          fmt::format("the kernel has {} outputs, expected {}", outputs.size(), work.outputs_size()));
    if (work.outputs(i).empty())
      continue;
    const proto::Tensor &placement = *placementOf(work.outputs(i));
    if (findHostOperator(work.kernel())->openAxis) {
      TILERIG_TRY(outputs[i],
                  fitInto(shapeOf(placement), outputs[i], fmt::format("tensor '{}'", placement.name())));
    }
    TILERIG_CHECK_OK(placeTensor(placement, outputs[i], memories));
  }
  return result.operations;
}

} // namespace tilerig::emulator
