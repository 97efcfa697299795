#include "compiler/Dialect/Layer/Quantised.h"

#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Tables.h"

namespace tilerig::compiler::layer {

namespace {

Quantisation quantisationOf(mlir::Type element) {
  const auto type = llvm::cast<mlir::quant::UniformQuantizedType>(element);
  return {static_cast<float>(type.getScale()), static_cast<int32_t>(type.getZeroPoint())};
}

template <QuantisedStorage From, QuantisedStorage To>
std::vector<int32_t> table(FunctionAttr function, mlir::Type from, mlir::Type to) {
  const Quantisation out = quantisationOf(to);
  const auto kind = function ? function.getKind() : UnaryFunction::identity;
  const float alpha = function ? function.getAlpha().convertToFloat() : 0,
              beta = function ? function.getBeta().convertToFloat() : 0;
  const auto entries = functionTable<From, To>(kind, alpha, beta, quantisationOf(from), out.scale,
                                               Landing::of<To>(out.zeroPoint));
  std::vector<int32_t> integers;
  for (const To entry : entries)
    integers.push_back(integerOf(entry));
  return integers;
}

} // namespace

std::vector<int32_t> tableOf(FunctionAttr function, mlir::Type from, mlir::Type to) {
  const bool isFromSigned = quantisedOf(from).isSigned(), isToSigned = quantisedOf(to).isSigned();
  if (isFromSigned)
    return isToSigned ? table<int8_t, int8_t>(function, from, to)
                      : table<int8_t, uint8_t>(function, from, to);
  return isToSigned ? table<uint8_t, int8_t>(function, from, to)
                    : table<uint8_t, uint8_t>(function, from, to);
}

bool isBound(FunctionAttr function) {
  return !function || function.getKind() == UnaryFunction::identity ||
         function.getKind() == UnaryFunction::relu || function.getKind() == UnaryFunction::clip;
}

} // namespace tilerig::compiler::layer
