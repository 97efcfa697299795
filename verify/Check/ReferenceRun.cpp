#include "verify/Check/ReferenceRun.h"

#include <utility>

namespace tilerig::verify {

Result<ReferenceRun> ReferenceRun::load(reference::Model model, reference::Arithmetic arithmetic,
                                        reference::Threads &threads) {
  auto seen = std::make_unique<Seen>();
  reference::RunOptions options;
  options.arithmetic = arithmetic;
  options.capture = [seen = seen.get()](const std::string &name, const Tensor &value) {
    return seen->values.add(name, seen->memory.keep(value));
  };
  TILERIG_TRY(reference::Interpreter interpreter,
              reference::Interpreter::create(std::move(model), std::move(options), threads));
  return ReferenceRun(std::move(seen), std::move(interpreter));
}

Result<TensorMap> ReferenceRun::run(const TensorMap &inputs) const {
  reference::NamedTensors named;
  for (const NamedTensor &input : inputs)
    named.emplace(input.name, input.tensor);
  *seen = Seen();
  TILERIG_TRY(const reference::NamedTensors outputs, interpreter.run(named));
  TensorMap values = std::move(seen->values);
  // Adds the model's inputs, and graph outputs that are initialisers, because the interpreter has captured
  // only values that nodes compute.
  for (const reference::NamedTensors *others : {&std::as_const(named), &outputs})
    for (const auto &[name, tensor] : *others)
      if (!values.find(name))
        TILERIG_CHECK_OK(values.add(name, tensor));
  return values;
}

} // namespace tilerig::verify
