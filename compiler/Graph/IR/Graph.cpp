#include "compiler/Graph/IR/Graph.h"

#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>
#include <mlir/IR/OpImplementation.h>

#include "compiler/Graph/IR/GraphDialect.cpp.inc"
#include "compiler/Graph/IR/GraphEnums.cpp.inc"
#include "compiler/Graph/IR/GraphInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Graph/IR/GraphAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/Graph/IR/GraphOps.cpp.inc"

namespace tilerig::compiler::graph {

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Graph/IR/GraphAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Graph/IR/GraphOps.cpp.inc"
      >();
}

mlir::Operation *GraphDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value,
                                                   mlir::Type, mlir::Location location) {
  if (const auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value))
    return ConstantOp::create(builder, location, elements);
  return nullptr;
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

llvm::SmallVector<std::pair<mlir::StringAttr, BodyAttr>> bodiesOf(mlir::DictionaryAttr attributes) {
  llvm::SmallVector<std::pair<mlir::StringAttr, BodyAttr>> bodies;
  for (const mlir::NamedAttribute &attribute : attributes)
    if (const auto body = llvm::dyn_cast<BodyAttr>(attribute.getValue()))
      bodies.emplace_back(attribute.getName(), body);
  return bodies;
}

llvm::LogicalResult OpaqueOp::verify() {
  if (getDomain() == partDomain && (bodiesOf(getNodeAttributes()).size() != 1 || !getPresent().empty()))
    return emitOpError() << "a part of the domain '" << partDomain
                         << "' has one subgraph, which reads all operands";
  ptrdiff_t captured = 0;
  for (const auto &[name, body] : bodiesOf(getNodeAttributes()))
    captured += static_cast<ptrdiff_t>(body.getCaptures().size());
  if (llvm::count(getPresent(), true) + captured != static_cast<ptrdiff_t>(getInputs().size()))
    return emitOpError() << "the operator has " << getInputs().size() << " operands, but "
                         << llvm::count(getPresent(), true)
                         << " are marked as present, and its subgraphs read " << captured;
  return llvm::success();
}

} // namespace tilerig::compiler::graph
