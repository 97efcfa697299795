// Tensors whose shape depends on the values of other tensors, such as the indices that NonZero returns.
//
// The compiler holds such a tensor at its bound: in a tensor whose axes have the greatest size that they can have.
// Its elements are at the beginning of every axis, and what follows them has no meaning. These tables state, for
// each such value of the module, the sizes that the axes of the model's tensor have at run time. They also state
// the elements of small integer tensors that are made of sizes, such as those that Shape returns.
#pragma once

#include "compiler/Graph/Import/NodeReader.h"
#include "compiler/Graph/Sizes/Size.h"

#include <map>

namespace tilerig::compiler {

using Sizes = llvm::SmallVector<Size>;

Size product(llvm::ArrayRef<Size> sizes);

// What a symbol of a size stands for.
struct Symbol {
  enum class Kind { element, least, greatest, quotient, remainder, selected };
  Kind kind = Kind::element;
  // Kind `element`: the element number `index` of this tensor. Kind `selected`: the condition, a single bool.
  mlir::Value value;
  int64_t index = 0;
  // The operands of the other kinds: min(a, b), max(a, b), a / b rounded down, its remainder, value ? a : b.
  Size a{}, b{};
  Bounds bounds = {0, unbounded};
};

class OpenTensors {
public:
  // The sizes of a tensor at run time if one of them is not known before; else null.
  const Sizes *openShape(mlir::Value value) const;
  // The elements of an integer tensor if they are made of sizes; else null. Constants are not in the table.
  const Sizes *openElements(mlir::Value value) const;
  bool isOpen(mlir::Value value) const { return value && (openShape(value) || openElements(value)); }
  // The sizes of any tensor of static type.
  Sizes shape(mlir::Value value) const;
  // The integers of a constant, or of a tensor made of sizes; nullopt for other tensors.
  std::optional<Sizes> elements(mlir::Value value) const;
  // The same; elements of other integer tensors become symbols of their own.
  std::optional<Sizes> anyElements(mlir::Value value);

  void setShape(mlir::Value value, const Sizes &sizes);
  void setElements(mlir::Value value, Sizes sizes) { elementTable[value] = std::move(sizes); }
  // Must be called before an operation is erased.
  void forget(mlir::Operation &operation);

  Bounds bounds(const Size &size) const;
  // The sizes at their bounds; nullopt if one has none.
  std::optional<Ints> most(llvm::ArrayRef<Size> sizes) const;

  // The element of a tensor as a size.
  Size element(mlir::Value value, int64_t index, Bounds bounds);
  Size combined(Symbol::Kind kind, const Size &a, const Size &b, mlir::Value condition = {});
  const Symbol &symbol(unsigned index) const { return symbols[index]; }

  // A branch of an If that is being imported although its condition is known only at run time: its parts for the
  // framework run only if the condition has this value, because they may fail otherwise.
  struct Guard {
    mlir::Value condition;
    bool value;
  };
  llvm::SmallVector<Guard> guards;

private:
  Size add(const std::string &key, const Symbol &symbol);

  llvm::DenseMap<mlir::Value, Sizes> shapeTable, elementTable;
  std::vector<Symbol> symbols;
  std::map<std::string, unsigned> known; // indices of symbols by what they stand for
};

} // namespace tilerig::compiler
