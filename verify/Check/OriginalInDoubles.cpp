#include "verify/Check/OriginalInDoubles.h"

#include "reference/Run/Interpreter.h"
#include "verify/Check/GivenTensors.h"
#include "verify/Check/WidenHalves.h"

namespace tilerig::verify {

Result<TensorMap> originalInDoubles(const SourceModel &source, const TensorMap &inputs,
                                    const TensorMap &substitutes, reference::Threads &threads) {
  TILERIG_TRY(reference::Model model, source.forReference());
  widenHalves(model);
  TILERIG_TRY(const TensorMap given, readGiven(model.graph, withoutHalves(substitutes)));
  reference::NamedTensors operands;
  for (const NamedTensor &input : withoutHalves(inputs))
    operands.emplace(input.name, input.tensor);
  for (const NamedTensor &tensor : given)
    operands.emplace(tensor.name, tensor.tensor);
  TensorMap values;
  reference::RunOptions options;
  options.precision = reference::Precision::fp64;
  options.capture = [&values](const std::string &name, const Tensor &value) {
    return values.add(name, value);
  };
  TILERIG_TRY(const auto interpreter, reference::Interpreter::create(std::move(model), options, threads));
  TILERIG_CHECK_OK(interpreter.run(operands));
  return values;
}

} // namespace tilerig::verify
