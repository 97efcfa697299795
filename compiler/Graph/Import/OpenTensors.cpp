#include "compiler/Graph/Import/OpenTensors.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/TensorAttributes.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

// Integer tensors of at most this many elements may be made of sizes.
constexpr int64_t mostElements = 64;

template <class T>
Sizes sizesIn(const Tensor &tensor) {
  return Sizes(llvm::map_range(tensor.as<T>(), [](T x) { return Size(x); }));
}

} // namespace

Size product(llvm::ArrayRef<Size> sizes) {
  Size all = 1;
  for (const Size &size : sizes)
    all = all * size;
  return all;
}

const Sizes *OpenTensors::openShape(mlir::Value value) const {
  const auto entry = shapeTable.find(value);
  return entry == shapeTable.end() ? nullptr : &entry->second;
}

const Sizes *OpenTensors::openElements(mlir::Value value) const {
  const auto entry = elementTable.find(value);
  return entry == elementTable.end() ? nullptr : &entry->second;
}

Sizes OpenTensors::shape(mlir::Value value) const {
  if (const Sizes *open = openShape(value))
    return *open;
  return Sizes(llvm::map_range(graph::shapeOf(value), [](int64_t size) { return Size(size); }));
}

std::optional<Sizes> OpenTensors::elements(mlir::Value value) const {
  if (const Sizes *open = openElements(value))
    return *open;
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant || graph::tensorType(value).getNumElements() > mostElements)
    return {};
  const Tensor tensor = tensorOf(constant.getValue());
  if (tensor.dtype() == DType::i64)
    return sizesIn<int64_t>(tensor);
  return tensor.dtype() == DType::i32 ? std::optional(sizesIn<int32_t>(tensor)) : std::nullopt;
}

std::optional<Sizes> OpenTensors::anyElements(mlir::Value value) {
  if (auto all = elements(value))
    return all;
  const auto type = graph::tensorType(value);
  if (openShape(value) || !type.getElementType().isInteger(64) || type.getNumElements() > mostElements)
    return {};
  Sizes all;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    all.push_back(element(value, i, {-unbounded, unbounded}));
  return all;
}

void OpenTensors::setShape(mlir::Value value, const Sizes &sizes) {
  if (llvm::any_of(sizes, [](const Size &size) { return !size.constant(); }))
    shapeTable[value] = sizes;
}

void OpenTensors::forget(mlir::Operation &operation) {
  for (const mlir::Value result : operation.getResults()) {
    shapeTable.erase(result);
    elementTable.erase(result);
    // A symbol that stands for an element of the result is not read any more, but must not be found again.
    std::erase_if(known, [&](const auto &entry) { return symbols[entry.second].value == result; });
  }
}

Bounds OpenTensors::bounds(const Size &size) const {
  Bounds sum = {0, 0};
  for (const auto &[monomial, coefficient] : size.terms()) {
    Bounds product = {coefficient, coefficient};
    for (const unsigned index : monomial)
      product = product * symbols[index].bounds;
    sum = sum + product;
  }
  return sum;
}

std::optional<Ints> OpenTensors::most(llvm::ArrayRef<Size> sizes) const {
  Ints all;
  for (const Size &size : sizes) {
    const int64_t most = bounds(size).most;
    if (most >= unbounded)
      return {};
    all.push_back(std::max<int64_t>(most, 0));
  }
  return all;
}

Size OpenTensors::add(const std::string &key, const Symbol &symbol) {
  const auto [entry, isNew] = known.try_emplace(key, static_cast<unsigned>(symbols.size()));
  if (isNew)
    symbols.push_back(symbol);
  return Size::symbol(entry->second);
}

Size OpenTensors::element(mlir::Value value, int64_t index, Bounds bounds) {
  return add(fmt::format("{}[{}]", value.getAsOpaquePointer(), index),
             {.kind = Symbol::Kind::element, .value = value, .index = index, .bounds = bounds});
}

Size OpenTensors::combined(Symbol::Kind kind, const Size &a, const Size &b, mlir::Value condition) {
  const Bounds ofA = bounds(a), ofB = bounds(b), difference = bounds(a - b);
  Bounds result = {std::min(ofA.least, ofB.least), std::max(ofA.most, ofB.most)};
  switch (kind) {
  case Symbol::Kind::least:
  case Symbol::Kind::greatest: {
    const bool isLeast = kind == Symbol::Kind::least;
    if (difference.most <= 0)
      return isLeast ? a : b;
    if (difference.least >= 0)
      return isLeast ? b : a;
    result = isLeast ? Bounds{std::min(ofA.least, ofB.least), std::min(ofA.most, ofB.most)}
                     : Bounds{std::max(ofA.least, ofB.least), std::max(ofA.most, ofB.most)};
    break;
  }
  case Symbol::Kind::quotient:
    if (const auto quotient = a.dividedBy(b))
      return *quotient;
    result = ofA.least >= 0 && ofB.least >= 1 && ofA.most < unbounded
                 ? Bounds{ofA.least / std::max<int64_t>(ofB.most, 1), ofA.most / ofB.least}
                 : Bounds{-unbounded, unbounded};
    break;
  case Symbol::Kind::remainder:
    if (a.dividedBy(b))
      return Size(0);
    result = ofB.least >= 1 ? Bounds{0, ofB.most - 1} : Bounds{-unbounded, unbounded};
    break;
  case Symbol::Kind::selected:
    if (a == b)
      return a;
    break;
  case Symbol::Kind::element:
    break;
  }
  return add(fmt::format("{} {} | {} | {}", static_cast<int>(kind), condition.getAsOpaquePointer(), a.text(),
                         b.text()),
             {.kind = kind, .value = condition, .a = a, .b = b, .bounds = result});
}

} // namespace tilerig::compiler
