// Verifier of a sequence (the tasks of all tiles in a stage): every task is a legal instruction of its kind
// that accesses exactly the buffers that the task names, and synchronisation refers to existing tasks. The
// analyser later proves that the synchronisation suffices.
#include "compiler/Isa/IR/Programs.h"
#include "compiler/Tile/Emit/TileLevel.h"
#include "compiler/Tile/IR/Tile.h"
#include "isa/Instructions/Access.h"
#include "isa/Instructions/Check.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler::tile {

namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

std::optional<Engine> engineNamed(llvm::StringRef name) {
  const auto &names = EnumNames<Engine>::values;
  const auto match = std::ranges::find(names, std::string_view(name));
  if (match == names.end())
    return {};
  return static_cast<Engine>(match - names.begin());
}

class Verifier {
public:
  Verifier(SequenceOp sequence, Machine machine, unsigned tiles)
      : sequence(sequence), machine(std::move(machine)), tiles(tiles) {}

  LogicalResult verify() {
    mlir::Block &body = sequence.getBody().front();
    for (mlir::Operation &operation : body)
      if (mlir::failed(verifyOne(operation)))
        return failure();
    if (!body.empty() && !llvm::isa<Task>(body.back()))
      return body.back().emitOpError("the synchronisation must be followed by a task");
    return success();
  }

private:
  LogicalResult verifyOne(mlir::Operation &operation) {
    if (auto task = llvm::dyn_cast<Task>(operation))
      return verifyTask(task);
    return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&operation)
        .Case<WaitOp, LocalSyncOp>([&](auto sync) { return verifySource(sync); })
        .Case([&](RelayOp relay) {
          return success(
              mlir::succeeded(verifyEngine(relay, relay.getTile(), relay.getEngine(), false)) &&
              mlir::succeeded(verifyEngine(relay, relay.getFromTile(), relay.getFromEngine(), false)));
        })
        .Case([&](BarrierOp barrier) { return verifyTiles(barrier, barrier.getTiles(), "joins"); })
        .Default([](mlir::Operation *other) {
          return other->emitOpError("the operation is neither a task nor a synchronisation operation");
        });
  }

  // --- Checks of tasks ---

  LogicalResult verifyTask(Task task) {
    mlir::Operation *operation = task.getOperation();
    mlir::Block &body = task.getBody().front();
    if (!llvm::hasSingleElement(body) || !isa::isInstruction(&body.front()))
      return operation->emitOpError("the task must contain exactly one instruction");
    const Instruction &instruction = instructionOf(task);
    if (operation->getName().getStringRef() != taskNameOf(instruction))
      return operation->emitOpError() << "the task contains isa." << mnemonicOf(instruction)
                                      << ", which belongs in a " << taskNameOf(instruction);
    if (llvm::isa<MarkOp>(operation) && !std::holds_alternative<Marker>(instruction) &&
        !std::holds_alternative<Delay>(instruction))
      return operation->emitOpError() << "the task contains isa." << mnemonicOf(instruction)
                                      << "; synchronise with the operations of dialect 'tile' instead";
    if (task.getTile() >= tiles)
      return operation->emitOpError()
             << "the task is on tile " << task.getTile() << ", but the program has " << tiles << " tiles";
    if (const Status legal = checkInstruction(instruction, machine, task.getTile(), tiles); !legal)
      return operation->emitOpError()
             << "the operation on tile " << task.getTile() << ": " << legal.error().message();
    if (const auto signals = task.getSignals();
        signals && mlir::failed(verifyTiles(operation, *signals, "signals")))
      return failure();
    if (const auto purpose = operation->getAttrOfType<mlir::StringAttr>("purpose"))
      if (const auto &names = EnumNames<Purpose>::values;
          std::ranges::find(names, std::string_view(purpose.getValue())) == names.end())
        return operation->emitOpError() << "the transfer has the purpose '" << purpose.getValue()
                                        << "'; expected halo, gather or rebalance";
    return verifyAccesses(task, instruction);
  }

  LogicalResult verifyAccesses(Task task, const Instruction &instruction) {
    accesses.clear();
    appendAccesses(instruction, task.getTile(), accesses);
    llvm::SmallDenseSet<mlir::Value> used;
    for (const Access &access : accesses) {
      const bool isRead = access.kind == AccessKind::read;
      const mlir::Value buffer = bufferOf(access, isRead ? task.getReads() : task.getWrites());
      if (!buffer)
        return task->emitOpError() << "the operation on tile " << task.getTile()
                                   << (isRead ? " reads" : " writes") << " bytes " << access.region.begin
                                   << " to " << access.region.end << " (" << access.operand.data() << ") of "
                                   << (access.memory == ddrMemory ? "DDR" : "an OCM")
                                   << "; none of the buffers that the task lists contains these bytes";
      used.insert(buffer);
    }
    for (const mlir::Value buffer : task->getOperands())
      if (!used.contains(buffer))
        return task->emitOpError() << "the operation on tile " << task.getTile()
                                   << " accesses no byte of a buffer that it lists: '"
                                   << buffer.getDefiningOp<BufferOp>().getName() << "'";
    return success();
  }

  static mlir::Value bufferOf(const Access &access, mlir::OperandRange buffers) {
    for (const mlir::Value value : buffers) {
      auto buffer = value.getDefiningOp<BufferOp>();
      if (buffer && (buffer.getSpace() == "ddr") == (access.memory == ddrMemory) &&
          buffer.getAddress() <= access.region.begin &&
          access.region.end <= buffer.getAddress() + buffer.getSizeBytes())
        return value;
    }
    return {};
  }

  // --- Checks of the operations that synchronise tasks ---

  template <class Op>
  LogicalResult verifySource(Op sync) {
    auto source = llvm::dyn_cast_if_present<Task>(sync.getSource().getDefiningOp());
    if (!source || source->getParentOp() != sequence)
      return sync.emitOpError("the operation must wait for a task of the same sequence");
    constexpr bool isLocal = std::is_same_v<Op, LocalSyncOp>;
    if (mlir::failed(verifyEngine(sync, sync.getTile(), sync.getEngine(), isLocal)))
      return failure();
    const Engine from = engineOf(instructionOf(source));
    if (from == Engine::sequencer)
      return sync.emitOpError("the operation waits for a task of the sequencer, which signals no end");
    if constexpr (isLocal) {
      if (source.getTile() != sync.getTile())
        return sync.emitOpError() << "the operation on tile " << sync.getTile()
                                  << " waits for a task of tile " << source.getTile()
                                  << "; use tile.wait instead";
      if (engineNamed(sync.getEngine()) == from)
        return sync.emitOpError() << "the operation makes engine " << sync.getEngine() << " of tile "
                                  << sync.getTile() << " wait for itself; use tile.wait instead";
    } else {
      const auto signals = source.getSignals();
      if (!signals || !llvm::is_contained(*signals, static_cast<int32_t>(sync.getTile())))
        return sync.emitOpError() << "the operation on tile " << sync.getTile()
                                  << " waits for a task of tile " << source.getTile()
                                  << " that does not signal to this tile";
    }
    return success();
  }

  LogicalResult verifyEngine(mlir::Operation *operation, uint32_t tile, llvm::StringRef name,
                             bool maySequence) {
    const auto engine = engineNamed(name);
    if (!engine || (*engine == Engine::sequencer && !maySequence))
      return operation->emitOpError() << "the operation has the engine '" << name << "'; expected "
                                      << (maySequence ? "sequencer, " : "") << "pod, pe, dma_in or dma_out";
    if (tile >= tiles)
      return operation->emitOpError()
             << "the operation has tile " << tile << ", but the program has " << tiles << " tiles";
    return success();
  }

  LogicalResult verifyTiles(mlir::Operation *operation, llvm::ArrayRef<int32_t> all, llvm::StringRef does) {
    for (const int32_t tile : all)
      if (tile < 0 || static_cast<unsigned>(tile) >= tiles)
        return operation->emitOpError()
               << does << " tile " << tile << ", but the program has " << tiles << " tiles";
    return all.empty() ? operation->emitOpError() << does << " no tile" : success();
  }

  SequenceOp sequence;
  Machine machine;
  unsigned tiles;
  AccessList accesses;
};

} // namespace

LogicalResult SequenceOp::verifyRegions() {
  auto program = getOperation()->getParentOfType<isa::ProgramOp>();
  if (!llvm::hasSingleElement(*getOperation()->getBlock()))
    return emitOpError("the sequence of tasks must be the only operation of its stage");
  const Result<Machine> machine = isa::machineOf(program);
  if (!machine)
    return emitOpError() << machine.error().message();
  return Verifier(*this, *machine, program.getTiles()).verify();
}

} // namespace tilerig::compiler::tile
