#include "compiler/Isa/IR/Isa.h"

#include "compiler/Isa/IR/Programs.h"
#include "isa/Instructions/Check.h"

#include <bitset>
#include <llvm/Support/Format.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/OpImplementation.h>

namespace tilerig::compiler::isa {

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

static mlir::ParseResult parsePhase(mlir::OpAsmParser &parser, mlir::StringAttr &phase) {
  llvm::StringRef name;
  if (parser.parseKeyword(&name))
    return mlir::failure();
  phase = parser.getBuilder().getStringAttr(name);
  return mlir::success();
}
static void printPhase(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::StringAttr phase) {
  printer << phase.getValue();
}

} // namespace tilerig::compiler::isa

#include "compiler/Isa/IR/IsaDialect.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/Isa/IR/IsaOps.cpp.inc"

namespace tilerig::compiler::isa {

using mlir::LogicalResult;
using mlir::success;

void IsaDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/Isa/IR/IsaOps.cpp.inc"
      >();
  forEachInstructionType([this]<class T>() { addOperations<InstructionOp<T>>(); });
}

LogicalResult ConstantOp::verify() {
  const mlir::ElementsAttr elements = getBytes();
  if (!elements.getElementType().isInteger(8))
    return emitOpError("the constant must have elements of type i8");
  if (const auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    const mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return emitOpError() << "the constant has no data: the text lacks resource '"
                           << resource.getRawHandle().getKey() << "'";
    if (blob->getData().size() != static_cast<size_t>(elements.getNumElements()))
      return emitOpError() << "the constant has " << blob->getData().size()
                           << " bytes of data, but its type has " << elements.getNumElements();
  } else if (!llvm::isa<mlir::DenseElementsAttr>(elements)) {
    return emitOpError("the constant must hold its bytes as dense elements or as a resource");
  }
  return success();
}

LogicalResult StageOp::verify() {
  if (getPhase() != "initial" && getPhase() != "inference" && getPhase() != "finishing")
    return emitOpError() << "the stage has the phase '" << getPhase()
                         << "'; expected initial, inference or finishing";
  if (getBody().empty())
    return success();
  bool hasHost = false;
  std::bitset<maxTiles> seen;
  for (mlir::Operation &operation : getBody().front()) {
    hasHost |= llvm::isa<HostOp>(operation);
    auto tile = llvm::dyn_cast<TileOp>(operation);
    if (!tile)
      continue;
    if (tile.getTile() >= maxTiles)
      return tile.emitOpError() << "the instruction list is for tile " << tile.getTile()
                                << ", but no machine has so many tiles";
    if (seen.test(tile.getTile()))
      return tile.emitOpError() << "the instruction list is for tile " << tile.getTile()
                                << ", which is already in this stage";
    seen.set(tile.getTile());
  }
  if (hasHost && !llvm::hasSingleElement(getBody().front()))
    return emitOpError("this is a host stage, so it must contain nothing besides isa.host");
  return success();
}

LogicalResult TileOp::verifyRegions() {
  for (mlir::Operation &operation : getBody().front())
    if (!isInstruction(&operation))
      return operation.emitOpError() << "the operation is not an instruction, but is among those of tile "
                                     << getTile();
  if (!std::holds_alternative<Halt>(instructionOf(&getBody().front().back())))
    return emitOpError() << "the instruction list for tile " << getTile() << " does not end with isa.halt";
  return success();
}

// Checks the instructions of a tile. Error messages give the index of the wrong instruction in the tile's
// list, because the instruction's MLIR location names only the layer.
static LogicalResult verifyTile(TileOp tile, const Machine &machine, unsigned tiles) {
  if (tile.getTile() >= tiles)
    return tile.emitOpError() << "the instruction list is for tile " << tile.getTile()
                              << ", but the program uses " << tiles << " tiles";
  size_t index = 0;
  for (mlir::Operation &operation : tile.getBody().front()) {
    if (const Status status = checkInstruction(instructionOf(&operation), machine, tile.getTile(), tiles);
        !status)
      return operation.emitOpError() << "is instruction " << index << " of tile " << tile.getTile() << ": "
                                     << status.error().message();
    ++index;
  }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  const Result<Machine> machine = machineOf(*this);
  if (!machine)
    return emitOpError() << machine.error().message();
  if (getTiles() < 1 || getTiles() > machine->network.tiles)
    return emitOpError() << "the program uses " << getTiles() << " tiles, but the machine has "
                         << machine->network.tiles;
  for (StageOp stage : getBody().getOps<StageOp>())
    for (TileOp tile : stage.getBody().getOps<TileOp>())
      if (mlir::failed(verifyTile(tile, *machine, getTiles())))
        return mlir::failure();
  return success();
}

} // namespace tilerig::compiler::isa
