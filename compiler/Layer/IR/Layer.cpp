#include "compiler/Layer/IR/Layer.h"

#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/OpImplementation.h>

#include "compiler/Layer/IR/LayerDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Layer/IR/LayerAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/Layer/IR/LayerOps.cpp.inc"

namespace tilerig::compiler::layer {

void LayerDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Layer/IR/LayerAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Layer/IR/LayerOps.cpp.inc"
      >();
}

mlir::Attribute FunctionAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  // Parses the function's parameters directly as fp32, not via double. Values without a short decimal form
  // are printed as their bits.
  llvm::APFloat parameters[2] = {llvm::APFloat(0.0F), llvm::APFloat(0.0F)};
  if (parser.parseLess())
    return {};
  const auto kind = mlir::FieldParser<UnaryFunction>::parse(parser);
  if (mlir::failed(kind))
    return {};
  for (unsigned i = 0; i < numParameters(*kind); ++i)
    if ((i > 0 && parser.parseComma()) || parser.parseFloat(llvm::APFloat::IEEEsingle(), parameters[i]))
      return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *kind, parameters[0].convertToFloat(), parameters[1].convertToFloat());
}

void FunctionAttr::print(mlir::AsmPrinter &printer) const {
  printer << '<' << getKind();
  const llvm::APFloat parameters[] = {getAlpha(), getBeta()};
  for (unsigned i = 0; i < numParameters(getKind()); ++i)
    printer << (i > 0 ? ", " : " ") << parameters[i];
  printer << '>';
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

} // namespace tilerig::compiler::layer
