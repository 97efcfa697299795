#include "compiler/PassCheck/KnownTensors.h"

#include "compiler/Export/Export.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Base/Tensor/TakenElements.h"

namespace tilerig::compiler {

Result<Tensor> KnownTensors::get(const graph::TensorOrigin &origin, mlir::Type element,
                                 bool keepsDoubles) const {
  const graph::Order order = graph::inverse(origin.order);
  if (const auto entry = stored.find({origin.name, element.getAsOpaquePointer()}); entry != stored.end())
    return transposed(entry->second, order);
  TILERIG_TRY(const Tensor *const tensor, elements.get(origin.name));
  return storedTensor(transposed(*tensor, order), element, keepsDoubles);
}

Status KnownTensors::computeStored(mlir::ModuleOp module, ModelRunner &runner) {
  TILERIG_TRY(const ExportedModel model, exported(module));
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  TensorMap inputs;
  for (const mlir::BlockArgument argument : function.getArguments()) {
    const std::string &name = model.tensors.at(argument).name;
    TILERIG_TRY(const Tensor *const tensor, elements.get(name));
    TILERIG_TRY(Tensor input, storedTensor(*tensor, layer::elementOf(argument), false));
    TILERIG_CHECK_OK(inputs.add(name, std::move(input)));
  }
  std::map<std::string, Tensor> computed;
  const auto keep = [&](const std::string &name, const Tensor &tensor) { computed[name] = tensor; };
  TILERIG_TRY([[maybe_unused]] const TensorMap outputs,
              runner.run(model.proto, inputs, ModelRunner::Arithmetic::device, keep));
  const Expressions expressions(function, [&](llvm::StringRef name, mlir::Type) { return contains(name); });
  for (const NamedValue &value : expressions.namedValues()) {
    const auto there = model.tensors.find(value.value);
    const auto tensor = there == model.tensors.end() ? computed.end() : computed.find(there->second.name);
    if (tensor == computed.end() || value.dequantised)
      continue;
    // Transposes the tensor from the exported order of axes to the value's order, then to the model's order.
    const Tensor own = transposed(tensor->second, graph::inverse(there->second.order));
    stored[{value.name, layer::elementOf(value.value).getAsOpaquePointer()}] = transposed(own, value.order);
  }
  return success();
}

} // namespace tilerig::compiler
