#include "compiler/Tile/IR/Tile.h"

#include "compiler/Isa/IR/Programs.h"
#include "compiler/Tile/Emit/TileLevel.h"
#include "isa/Assembly/Text.h"

#include <llvm/ADT/TypeSwitch.h>
#include <llvm/Support/Format.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>

namespace tilerig::compiler::tile {

static mlir::ParseResult parseAddress(mlir::OpAsmParser &parser, mlir::IntegerAttr &address) {
  uint64_t value = 0;
  if (parser.parseInteger(value))
    return mlir::failure();
  address = parser.getBuilder().getI64IntegerAttr(static_cast<int64_t>(value));
  return mlir::success();
}
static void printAddress(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::IntegerAttr address) {
  printer << llvm::format_hex(static_cast<uint64_t>(address.getInt()), 0);
}

// Parses a set of tiles, for example {0-3, 7}.
static mlir::ParseResult parseTileSet(mlir::OpAsmParser &parser, mlir::DenseI32ArrayAttr &tiles) {
  llvm::SmallVector<int32_t> all;
  const auto parseRange = [&]() -> mlir::ParseResult {
    const llvm::SMLoc at = parser.getCurrentLocation();
    int32_t low = 0, high = 0;
    if (parser.parseInteger(low))
      return mlir::failure();
    high = low;
    if (mlir::succeeded(parser.parseOptionalMinus()) && parser.parseInteger(high))
      return mlir::failure();
    if (low < (all.empty() ? 0 : all.back() + 1) || high < low || high >= static_cast<int32_t>(maxTiles))
      return parser.emitError(at) << "expected tiles 0.." << maxTiles - 1
                                  << "; list each tile once, in ascending order";
    for (int32_t tile = low; tile <= high; ++tile)
      all.push_back(tile);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Braces, parseRange))
    return mlir::failure();
  tiles = parser.getBuilder().getDenseI32ArrayAttr(all);
  return mlir::success();
}
static void printTileSet(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI32ArrayAttr tiles) {
  uint64_t set = 0;
  for (const int32_t tile : tiles.asArrayRef())
    set |= uint64_t{1} << (tile & 63); // tiles are numbered up to 63; the verifier refuses higher numbers
  std::string text;
  appendSet(text, set);
  printer << text;
}

static mlir::ParseResult parseWord(mlir::OpAsmParser &parser, mlir::StringAttr &word) {
  llvm::StringRef name;
  if (parser.parseKeyword(&name))
    return mlir::failure();
  word = parser.getBuilder().getStringAttr(name);
  return mlir::success();
}
static void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr word) {
  printer << word.getValue();
}

} // namespace tilerig::compiler::tile

#include "compiler/Tile/IR/TileDialect.cpp.inc"
#include "compiler/Tile/IR/TileInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/Tile/IR/TileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/Tile/IR/TileOps.cpp.inc"

namespace tilerig::compiler::tile {

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Tile/IR/TileOps.cpp.inc"
      >();
}

// In the text form, MLIR values for buffers are named %b, and values for the ends of tasks %t.

using SetName = mlir::OpAsmSetValueNameFn;
void BufferOp::getAsmResultNames(SetName setName) { setName(getBuffer(), "b"); }
void ComputeOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }
void MoveOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }
void LoadOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }
void StoreOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }
void GatherOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }
void MarkOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }
void SendOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }
void MulticastOp::getAsmResultNames(SetName setName) { setName(getDone(), "t"); }

// --- Text form of tasks ---

llvm::StringRef taskNameOf(const Instruction &instruction) {
  return std::visit(
      []<class T>(const T &typed) -> llvm::StringRef {
        if constexpr (std::is_same_v<T, Store>)
          return typed.destination.space == Space::ddr ? StoreOp::getOperationName()
                                                       : SendOp::getOperationName();
        else if constexpr (std::is_same_v<T, Load>)
          return LoadOp::getOperationName();
        else if constexpr (std::is_same_v<T, Multicast>)
          return MulticastOp::getOperationName();
        else if constexpr (std::is_same_v<T, Gather>)
          return GatherOp::getOperationName();
        else if constexpr (T::family == Family::move)
          return MoveOp::getOperationName();
        else if constexpr (ComputeInstruction<T>)
          return ComputeOp::getOperationName();
        else if constexpr (ControlInstruction<T>)
          return MarkOp::getOperationName();
      },
      instruction);
}

const Instruction &instructionOf(Task task) { return isa::instructionOf(&task.getBody().front().front()); }

mlir::LogicalResult BufferOp::verify() {
  if (getSpace() != "ocm" && getSpace() != "ddr")
    return emitOpError() << "the buffer is in memory '" << getSpace() << "'; expected ocm or ddr";
  if (static_cast<int64_t>(getSizeBytes()) <= 0)
    return emitOpError("the buffer must have at least one byte");
  if (const auto steps = getTimeSteps(); steps && (steps->size() != 2 || (*steps)[0] > (*steps)[1]))
    return emitOpError("the buffer must give its time steps as a first and a last one, in this order");
  return mlir::success();
}

} // namespace tilerig::compiler::tile
