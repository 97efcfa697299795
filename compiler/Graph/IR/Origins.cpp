#include "compiler/Graph/IR/Origins.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <mlir/IR/Builders.h>

namespace tilerig::compiler::graph {

namespace {

using Locations = llvm::SmallVector<mlir::Location>;

bool isIdentity(llvm::ArrayRef<int64_t> perm) { return llvm::equal(perm, llvm::seq<int64_t>(perm.size())); }

// The locations of the single ONNX nodes that an MLIR location combines. The location of a node contains the
// locations of the tensors that the node computes.
Locations nodesOf(mlir::Location location) {
  if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    return Locations(fused.getLocations());
  return llvm::isa<mlir::NameLoc>(location) ? Locations{location} : Locations();
}

// The locations of the tensors that a node computes; a single tensor is not wrapped in a fused location.
Locations tensorsOf(mlir::NameLoc node) {
  const mlir::Location inside = node.getChildLoc();
  const auto fused = llvm::dyn_cast<mlir::FusedLoc>(inside);
  if (fused && !fused.getMetadata())
    return Locations(fused.getLocations());
  return llvm::isa<mlir::UnknownLoc>(inside) ? Locations() : Locations{inside};
}

std::optional<TensorOrigin> tensorIn(mlir::Location location) {
  TensorOrigin tensor;
  if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    const auto order = llvm::dyn_cast_or_null<OrderAttr>(fused.getMetadata());
    if (!order || fused.getLocations().size() != 1)
      return {};
    tensor.order = Order(order.getAxes());
    location = fused.getLocations().front();
  }
  const auto name = llvm::dyn_cast<mlir::NameLoc>(location);
  if (!name || name.getName().empty())
    return {};
  tensor.name = name.getName().str();
  return tensor;
}

mlir::Location locationOf(mlir::MLIRContext *context, const TensorOrigin &tensor) {
  const mlir::Location name = mlir::NameLoc::get(mlir::StringAttr::get(context, tensor.name));
  if (tensor.order.empty() || isIdentity(tensor.order))
    return name;
  return mlir::FusedLoc::get(context, {name}, OrderAttr::get(context, tensor.order));
}

} // namespace

llvm::LogicalResult OrderAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                      llvm::ArrayRef<int64_t> axes) {
  Order sorted(axes);
  llvm::sort(sorted);
  if (!isIdentity(sorted))
    return emitError() << "expected a permutation of " << axes.size() << " axes";
  return llvm::success();
}

llvm::SmallVector<std::string> nodeNames(mlir::Location location) {
  llvm::SmallVector<std::string> names;
  for (const mlir::Location node : nodesOf(location))
    if (const auto name = llvm::dyn_cast<mlir::NameLoc>(node); name && !name.getName().empty())
      names.push_back(name.getName().str());
  return names;
}

std::string nodeName(mlir::Location location) {
  const auto names = nodeNames(location);
  return names.empty() ? "" : names.back();
}

std::string resultName(mlir::Location location, unsigned index) {
  const Locations nodes = nodesOf(location);
  const auto node = nodes.empty() ? mlir::NameLoc() : llvm::dyn_cast<mlir::NameLoc>(nodes.back());
  const Locations tensors = node ? tensorsOf(node) : Locations();
  const auto tensor = index < tensors.size() ? tensorIn(tensors[index]) : std::nullopt;
  return tensor ? tensor->name : "";
}

std::optional<TensorOrigin> tensorOrigin(mlir::Value value) {
  const Locations nodes = nodesOf(value.getLoc());
  const auto node = nodes.empty() ? mlir::NameLoc() : llvm::dyn_cast<mlir::NameLoc>(nodes.back());
  if (!node)
    return {};
  const Locations tensors = tensorsOf(node);
  const auto result = llvm::dyn_cast<mlir::OpResult>(value);
  if (tensors.empty() && (!result || llvm::isa<ConstantOp>(result.getOwner())))
    return tensorIn(mlir::NameLoc::get(node.getName()));
  const size_t index = result ? result.getResultNumber() : 0;
  return index < tensors.size() ? tensorIn(tensors[index]) : std::nullopt;
}

mlir::Location withTensor(mlir::Location location, const std::optional<TensorOrigin> &tensor) {
  Locations nodes = nodesOf(location);
  const auto last = nodes.empty() ? mlir::NameLoc() : llvm::dyn_cast<mlir::NameLoc>(nodes.back());
  if (!last)
    return location;
  mlir::MLIRContext *context = location.getContext();
  nodes.back() = tensor ? mlir::NameLoc::get(last.getName(), locationOf(context, *tensor))
                        : mlir::NameLoc::get(last.getName());
  return mlir::FusedLoc::get(context, nodes);
}

mlir::Location fusedLocation(llvm::ArrayRef<mlir::Location> locations) {
  Locations nodes;
  for (const mlir::Location location : locations)
    for (const mlir::Location node : nodesOf(location)) {
      // If an ONNX node became several operations, their merged location has the node once, with the result
      // of its last operation.
      llvm::erase_if(nodes, [&](mlir::Location other) { return nodeName(other) == nodeName(node); });
      nodes.push_back(node);
    }
  return mlir::FusedLoc::get(locations.front().getContext(), nodes);
}

mlir::Location locationBehind(mlir::Value value, const std::optional<TensorOrigin> &tensor) {
  if (value.getDefiningOp() && !value.getDefiningOp<ConstantOp>())
    return withTensor(value.getLoc(), tensor);
  // The value is an argument or a constant: it holds a tensor, but no node computes it.
  mlir::MLIRContext *context = value.getContext();
  const auto nobody = mlir::StringAttr::get(context, "");
  return tensor ? mlir::NameLoc::get(nobody, locationOf(context, *tensor)) : mlir::NameLoc::get(nobody);
}

std::optional<TensorOrigin> transposed(std::optional<TensorOrigin> tensor, llvm::ArrayRef<int64_t> perm) {
  if (!tensor)
    return {};
  if (tensor->order.empty())
    tensor->order = llvm::to_vector(llvm::seq<int64_t>(perm.size()));
  // Axis perm[j] of the value becomes axis j of the transposed result, so the inverse of perm maps axes of
  // the value to axes of the result.
  const Order to = inverse(perm);
  for (int64_t &axis : tensor->order)
    axis = to[axis];
  return tensor;
}

Order inverse(llvm::ArrayRef<int64_t> perm) {
  Order result(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    result[perm[i]] = static_cast<int64_t>(i);
  return result;
}

} // namespace tilerig::compiler::graph
