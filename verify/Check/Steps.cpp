#include "verify/Check/Steps.h"

#include "emulator/Memory/Stored.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

Result<TensorMap> stateOf(const std::vector<StateLink> &links, const CheckRun &run) {
  TensorMap state;
  for (const StateLink &link : links) {
    if (state.find(link.output))
      continue;
    const auto placement =
        std::ranges::find(run.program.metadata.tensors(), link.output, &proto::Tensor::name);
    TILERIG_TRY(const Tensor *const stored, run.accumulated.tensors.get(link.output));
    TILERIG_TRY(Tensor output, emulator::fromStored(*placement, *stored));
    TILERIG_CHECK_OK(state.add(link.output, std::move(output)));
  }
  return state;
}

Json stepRecord(size_t step, const Check &check, const CheckRun &run) {
  Json record = {{"record", "step"}, {"name", fmt::format("step {}", step)},
                 {"step", step},     {"status", nameOf(TensorStatus::match)},
                 {"reason", ""},     {"first_wrong", Json()}};
  if (!run.accumulated.ended) {
    record["status"] = "faulty";
    record["reason"] =
        run.accumulated.faults.empty() ? "the run did not end" : run.accumulated.faults.front();
  } else if (const auto wrong = check.firstDiffering(run)) {
    record["status"] = nameOf(TensorStatus::mismatch);
    record["reason"] = fmt::format("'{}' is the first tensor that differs", wrong->match.name);
    record["first_wrong"] = wrong->match.name;
  }
  return record;
}

} // namespace tilerig::verify
