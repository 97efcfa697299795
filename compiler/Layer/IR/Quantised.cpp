#include "compiler/Layer/IR/Quantised.h"

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

template <class Call>
auto withStorage(mlir::Type element, Call call) {
  switch (*storedAs(element)) {
  case ElementType::i8:
    return call.template operator()<int8_t>();
  case ElementType::u8:
    return call.template operator()<uint8_t>();
  default:
    return call.template operator()<I9>();
  }
}

} // namespace

std::vector<int32_t> tableOf(FunctionAttr function, mlir::Type from, mlir::Type to) {
  return withStorage(from, [&]<class From>() {
    return withStorage(to, [&]<class To>() { return table<From, To>(function, from, to); });
  });
}

bool isBound(FunctionAttr function) {
  return !function || function.getKind() == UnaryFunction::identity ||
         function.getKind() == UnaryFunction::relu || function.getKind() == UnaryFunction::clip;
}

} // namespace tilerig::compiler::layer
