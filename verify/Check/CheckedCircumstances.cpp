#include "verify/Check/CheckedCircumstances.h"

#include "verify/Check/ProductOperands.h"
#include "verify/Check/StoredTensors.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

// The part of a tensor that each tile holds; empty if any part is in DDR.
std::optional<std::vector<TilePart>> partsOf(const Program &program, const std::string &tensor) {
  const auto &placements = program.metadata.tensors();
  const auto placement = std::ranges::find(placements, tensor, &proto::Tensor::name);
  std::vector<TilePart> parts;
  for (const proto::Piece &piece : placement->pieces()) {
    if (piece.ddr())
      return {};
    parts.push_back({piece.tile(),
                     {piece.begin().begin(), piece.begin().end()},
                     {piece.extent().begin(), piece.extent().end()}});
  }
  return parts.empty() ? std::nullopt : std::optional(std::move(parts));
}

// The constant bias that the emitted layer adds to each channel of its result.
std::optional<std::vector<float>> biasOf(const Check &check, const std::string &tensor) {
  for (const compiler::DescribedLayer &layer : check.model().oracleLayers)
    for (const compiler::LayerTensor &output : layer.outputs)
      for (const compiler::LayerTensor &input : layer.inputs) {
        const Tensor *bias = output.name == tensor && input.role == "Bias" && input.isConstant
                                 ? check.expectation().oracle.find(input.name)
                                 : nullptr;
        if (!bias)
          continue;
        std::vector<float> numbers(bias->elementCount());
        if (bias->dtype() == DType::f32)
          std::ranges::copy(bias->as<float>(), numbers.begin());
        else if (bias->dtype() == DType::i32)
          std::ranges::transform(bias->as<int32_t>(), numbers.begin(),
                                 [](int32_t number) { return static_cast<float>(number); });
        else
          return {};
        return numbers;
      }
  return {};
}

} // namespace

Circumstances circumstancesOf(const Check &check, const CheckRun &run, const CheckedTensor &tensor) {
  Circumstances known;
  known.parts = partsOf(run.program, tensor.match.name);
  known.bias = biasOf(check, tensor.match.name);
  known.product = productOf(check, tensor.match.name);
  known.seams = tensor.match.seams;
  known.layerKind = tensor.match.kind;
  known.order = run.order;
  known.trapped = !run.accumulated.faults.empty();
  known.isOracle = true;
  known.isolated = tensor.alone;
  // If no tensor is wrong, there is no isolated run, in which each layer gets right inputs. The ordinary run
  // then serves as isolated run, because all its layers had right inputs.
  if (!run.isolated && run.notIsolated.empty())
    known.isolated = tensor.stored.target;
  std::vector<Tensor> others;
  const auto placement =
      std::ranges::find(run.program.metadata.tensors(), tensor.match.name, &proto::Tensor::name);
  for (const DeviceRun &other : run.others)
    if (const Tensor *came = other.tensors.find(tensor.match.name))
      others.push_back(asEmitted(*placement, tensor.stored.reference, *came));
  if (run.notProved.empty() || !others.empty())
    known.otherRuns = std::move(others);
  return known;
}

} // namespace tilerig::verify
