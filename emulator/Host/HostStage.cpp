#include "emulator/Host/HostStage.h"

#include "emulator/Host/Kernels.h"
#include "emulator/Memory/Placement.h"
#include "emulator/Memory/Stored.h"
#include "isa/Program/HostSignature.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

static Result<HostResult> runKernel(const HostCall &call, Framework *framework) {
  if (call.work.kernel() != frameworkKernel)
    return findHostKernel(call.work.kernel())->run(call);
  TILERIG_TRY(std::vector<Tensor> outputs, framework->run(call.text("model", ""), call.inputs));
  return HostResult{std::move(outputs)};
}

Result<std::optional<uint64_t>> runHostStage(const Program &program, const proto::HostWork &work,
                                             Memories &memories, Framework *framework) {
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
  TILERIG_TRY(HostResult result, runKernel(call, framework));
  std::vector<Tensor> &outputs = result.outputs;
  for (int i = 0; i < work.outputs_size(); ++i) {
    if (static_cast<size_t>(i) >= outputs.size())
      return call.refuse(
          fmt::format("the kernel has {} outputs, expected {}", outputs.size(), work.outputs_size()));
    if (work.outputs(i).empty())
      continue;
    const proto::Tensor &placement = *placementOf(work.outputs(i));
    if (const HostOperator *row = findHostOperator(work.kernel()); row && row->openAxis) {
      TILERIG_TRY(outputs[i],
                  fitInto(shapeOf(placement), outputs[i], fmt::format("tensor '{}'", placement.name())));
    }
    if (!checkTensor(placement, outputs[i].dtype(), outputs[i].shape()))
      return call.refuse(fmt::format(
          "the layer computes tensor '{}' with type {} and shape {}, but the model declares type {} and shape {}",
          placement.name(), nameOf(outputs[i].dtype()), showShape(outputs[i].shape()), placement.dtype(),
          showShape(shapeOf(placement))));
    TILERIG_CHECK_OK(placeTensor(placement, outputs[i], memories));
  }
  return result.operations;
}

} // namespace tilerig::emulator
