#include "compiler/PassCheck/Expressions.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

namespace {

graph::Order fullOrder(graph::Order order, mlir::Value value) {
  if (order.empty())
    order = llvm::to_vector(llvm::seq<int64_t>(static_cast<int64_t>(graph::shapeOf(value).size())));
  return order;
}

std::string nameIn(mlir::DictionaryAttr attributes, const std::string &otherwise) {
  const auto name = attributes ? attributes.getAs<mlir::StringAttr>(nameAttribute) : mlir::StringAttr();
  return name ? name.str() : otherwise;
}

} // namespace

std::set<std::string> tensorNames(mlir::func::FuncOp function) {
  std::set<std::string> names;
  for (const mlir::BlockArgument argument : function.getArguments())
    names.insert(nameIn(function.getArgAttrDict(argument.getArgNumber()),
                        "input" + std::to_string(argument.getArgNumber())));
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    for (const mlir::Value result : operation.getResults())
      if (const auto origin = graph::tensorOrigin(result))
        names.insert(origin->name);
  return names;
}

Expressions::Expressions(mlir::func::FuncOp function, IsKnown isKnown) {
  addArguments(function, isKnown);
  for (mlir::Operation &operation : function.getBody().front().without_terminator()) {
    for (const mlir::OpResult result : operation.getResults())
      if (auto origin = graph::tensorOrigin(result); origin &&
                                                     !operation.hasTrait<mlir::OpTrait::ConstantLike>() &&
                                                     isKnown(origin->name, result.getType())) {
        origin->order = fullOrder(std::move(origin->order), result);
        known[result] = *std::move(origin);
      }
    const llvm::hash_code hash = hashOf(operation);
    for (const mlir::OpResult result : operation.getResults()) {
      hashes[result] = llvm::hash_combine(hash, result.getResultNumber(), result.getType());
      if (const graph::TensorOrigin *const origin = knownTensor(result))
        named.push_back({origin->name, origin->order, result, hashes[result]});
    }
  }
  addResults(function);
}

void Expressions::addArguments(mlir::func::FuncOp function, IsKnown isKnown) {
  for (const mlir::BlockArgument argument : function.getArguments()) {
    const unsigned number = argument.getArgNumber();
    const std::string name = nameIn(function.getArgAttrDict(number), "input" + std::to_string(number));
    hashes[argument] = llvm::hash_combine(llvm::StringRef("argument"), llvm::StringRef(name));
    if (!isKnown(name, argument.getType()))
      continue;
    known[argument] = {name, fullOrder({}, argument)};
    named.push_back({name, known[argument].order, argument, hashes[argument]});
  }
}

// Adds every value that the function returns, even if it holds no tensor of the model: a pass may return a
// wrong value.
void Expressions::addResults(mlir::func::FuncOp function) {
  mlir::Operation *const terminator = function.getBody().front().getTerminator();
  for (mlir::OpOperand &result : terminator->getOpOperands()) {
    const unsigned number = result.getOperandNumber();
    const std::string name = nameIn(function.getResultAttrDict(number), "output" + std::to_string(number));
    auto dequantised = layer::dequantisedOutput(function, number);
    const llvm::hash_code host = dequantised
                                     ? llvm::hash_combine(llvm::hash_combine_range(dequantised->shape),
                                                          llvm::hash_combine_range(dequantised->order))
                                     : llvm::hash_code(0);
    named.push_back({name, fullOrder({}, result.get()), result.get(),
                     llvm::hash_combine(llvm::StringRef("result"), number, tensorHash(result.get()), host),
                     std::move(dequantised)});
  }
}

const graph::TensorOrigin *Expressions::knownTensor(mlir::Value value) const {
  const auto entry = known.find(value);
  return entry == known.end() ? nullptr : &entry->second;
}

bool Expressions::endsAt(mlir::OpOperand &operand) const {
  const graph::TensorOrigin *const tensor = knownTensor(operand.get());
  if (!tensor || !operand.get().getDefiningOp())
    return tensor;
  return llvm::none_of(operand.getOwner()->getResults(), [&](mlir::Value result) {
    const graph::TensorOrigin *const other = knownTensor(result);
    return other && other->name == tensor->name;
  });
}

bool Expressions::endsAt(mlir::OpOperand &operand, const std::set<std::string> &expanded) const {
  return endsAt(operand) &&
         (!operand.get().getDefiningOp() || !expanded.contains(knownTensor(operand.get())->name));
}

std::map<std::string, mlir::Value> Expressions::ends(mlir::Value value,
                                                     const std::set<std::string> &expanded) const {
  std::map<std::string, mlir::Value> tensors;
  llvm::DenseSet<mlir::Operation *> visited;
  llvm::SmallVector<mlir::Value> waiting = {value};
  while (!waiting.empty()) {
    mlir::Operation *const operation = waiting.pop_back_val().getDefiningOp();
    if (!operation || !visited.insert(operation).second)
      continue;
    for (mlir::OpOperand &operand : operation->getOpOperands()) {
      if (endsAt(operand, expanded))
        tensors.emplace(knownTensor(operand.get())->name, operand.get());
      else
        waiting.push_back(operand.get());
    }
  }
  return tensors;
}

std::optional<std::set<std::string>>
Expressions::tensorsBetween(const std::map<std::string, mlir::Value> &tensors, mlir::Value value) const {
  std::set<std::string> names;
  llvm::DenseSet<mlir::Operation *> visited;
  llvm::SmallVector<mlir::Value> waiting = {value};
  while (!waiting.empty()) {
    mlir::Operation *const operation = waiting.pop_back_val().getDefiningOp();
    if (!operation)
      return {}; // the value depends on an argument of the function that is not in `tensors`
    if (!visited.insert(operation).second)
      continue;
    for (mlir::OpOperand &operand : operation->getOpOperands()) {
      if (const graph::TensorOrigin *const tensor = knownTensor(operand.get()); tensor && endsAt(operand)) {
        if (tensors.contains(tensor->name))
          continue;
        names.insert(tensor->name);
      }
      waiting.push_back(operand.get());
    }
  }
  return names;
}

// Hash of a value. Values that hold the same known tensor have the same hash, however they are computed.
llvm::hash_code Expressions::tensorHash(mlir::Value value) const {
  if (const graph::TensorOrigin *const tensor = knownTensor(value))
    return llvm::hash_combine(llvm::StringRef(tensor->name), llvm::hash_combine_range(tensor->order),
                              value.getType());
  return hashes.lookup(value);
}

llvm::hash_code Expressions::hashOf(mlir::Operation &operation) const {
  llvm::SmallVector<llvm::hash_code> operands;
  for (mlir::OpOperand &operand : operation.getOpOperands())
    operands.push_back(endsAt(operand) ? tensorHash(operand.get()) : hashes.lookup(operand.get()));
  // The hash leaves out discardable attributes, which only annotate an operation: its region, or the reasons
  // for its place and precision.
  return llvm::hash_combine(operation.getName(), operation.hashProperties(),
                            llvm::hash_combine_range(operands));
}

} // namespace tilerig::compiler
