#include "verify/Check/CheckedCircumstances.h"

namespace tilerig::verify {

Circumstances circumstancesOf(const CheckRun &run, const CheckedTensor &tensor) {
  Circumstances known;
  known.seams = tensor.match.seams;
  known.layerKind = tensor.match.kind;
  known.order = run.order;
  known.trapped = !run.accumulated.faults.empty();
  known.isOracle = true;
  known.isolated = tensor.alone;
  // Where nothing is wrong, the layer had right inputs.
  if (!run.isolated && run.notIsolated.empty())
    known.isolated = tensor.stored.target;
  std::vector<Tensor> others;
  for (const DeviceRun &other : run.others)
    if (const Tensor *came = other.tensors.find(tensor.match.name))
      others.push_back(*came);
  if (run.notProved.empty() || !others.empty())
    known.otherRuns = std::move(others);
  return known;
}

} // namespace tilerig::verify
