#include "compiler/Export/OrderedNames.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Layer.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <numeric>

namespace tilerig::compiler {

Order identityOrder(size_t rank) {
  Order order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order between(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  Order perm;
  for (const int64_t axis : to)
    perm.push_back(llvm::find(from, axis) - from.begin());
  return perm;
}

bool isIdentity(llvm::ArrayRef<int64_t> order) {
  return llvm::equal(order, llvm::seq<int64_t>(static_cast<int64_t>(order.size())));
}

llvm::ArrayRef<int64_t> OrderedNames::homeOf(mlir::Value value) {
  Order &home = homes[value];
  const size_t rank = graph::shapeOf(value).size();
  // Only results of operations take over the axis order of the model: arguments and constants are exported in
  // their own order.
  mlir::Operation *const maker = value.getDefiningOp();
  if (home.empty() && maker && !maker->hasTrait<mlir::OpTrait::ConstantLike>())
    if (const auto origin = graph::tensorOrigin(value); origin && origin->order.size() == rank)
      home = origin->order;
  if (home.empty())
    home = identityOrder(rank);
  return home;
}

int64_t endOfSlice(int64_t start, int64_t step, int64_t count) {
  const int64_t end = start + count * step;
  return end < 0 ? INT64_MIN : end;
}

void OrderedNames::define(mlir::Value value, llvm::ArrayRef<int64_t> order, const std::string &name) {
  names[value][Order(order)] = name;
}

std::string OrderedNames::forResult(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  std::string name =
      order == homeOf(value) ? writer.nameOf(value) : writer.freshName(writer.nameOf(value) + ".moved");
  define(value, order, name);
  return name;
}

void OrderedNames::nameResults(mlir::Operation *operation) {
  for (const mlir::Value result : operation->getResults()) {
    const auto origin = graph::tensorOrigin(result);
    if (origin && !writer.isNamed(result) && homeOf(result) == llvm::ArrayRef<int64_t>(origin->order))
      writer.setName(result, writer.freshName(origin->name));
  }
}

std::pair<std::string, Order> OrderedNames::anywhere(mlir::Value value) {
  const Order home(homeOf(value));
  const auto entry = names.find(value);
  if (entry == names.end() || entry->second.empty())
    return {writer.nameOf(value), home};
  if (const auto known = entry->second.find(home); known != entry->second.end())
    return {known->second, home};
  return {entry->second.begin()->second, entry->second.begin()->first};
}

bool OrderedNames::isAtHand(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  if (value.getDefiningOp<layer::ConstantOp>())
    return true;
  const auto &known = names[value];
  return known.empty() ? order == homeOf(value) : known.contains(Order(order));
}

std::string OrderedNames::in(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  auto &known = names[value];
  if (const auto entry = known.find(Order(order)); entry != known.end())
    return entry->second;
  // A constant is written once, and a Transpose makes its copies in other axis orders. So a change of the
  // constant in the file applies to all its uses.
  if (auto constant = value.getDefiningOp<layer::ConstantOp>(); constant && known.empty()) {
    const std::string name = forResult(value, order);
    const auto elements = [attribute = constant.getValue(), axes = Order(order)] {
      Tensor own = tensorOf(attribute);
      if (isIdentity(axes))
        return own;
      Tensor ordered = transposed(own, axes);
      releasePages(own.bytes());
      return ordered;
    };
    const auto type = constant.getType();
    const auto ordered =
        mlir::RankedTensorType::get(graph::permuted(type.getShape(), order), type.getElementType());
    writer.addInitialiserFrom(elements, ordered, name);
    return name;
  }
  if (known.empty()) // arguments and constants of the dialect `graph` have names already
    return known[Order(homeOf(value))] = writer.nameOf(value), in(value, order);
  const auto [from, source] = *known.begin();
  const std::string name = forResult(value, order);
  setAttribute(writer.addNode("Transpose", name, {source}, name), "perm", between(from, order));
  return name;
}

} // namespace tilerig::compiler
