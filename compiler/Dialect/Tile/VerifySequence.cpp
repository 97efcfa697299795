// Verifier of a sequence: every task is a legal instruction of its kind that accesses exactly the buffers it
// names, and synchronisation refers to existing tasks. The analyser later proves that the synchronisation
// suffices.
#include "compiler/Codegen/TileLevel.h"
#include "compiler/Dialect/Isa/Programs.h"
#include "compiler/Dialect/Tile/Tile.h"
#include "isa/Instructions/Access.h"
#include "isa/Instructions/Check.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::tile {

namespace {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

std::optional<Engine> engineNamed(llvm::StringRef name) {
  const auto &names = EnumNames<Engine>::values;
  const auto found = std::ranges::find(names, std::string_view(name));
  if (found == names.end())
    return {};
  return static_cast<Engine>(found - names.begin());
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
      return body.back().emitOpError("has no task behind it");
    return success();
  }

private:
  LogicalResult verifyOne(mlir::Operation &operation) {
    if (auto task = llvm::dyn_cast<Task>(operation))
      return verifyTask(task);
    return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&operation)
        .Case<WaitOp, LocalSyncOp>([&](auto it) { return verifySource(it); })
        .Case([&](RelayOp it) {
          return success(mlir::succeeded(verifyEngine(it, it.getTile(), it.getEngine(), false)) &&
                         mlir::succeeded(verifyEngine(it, it.getFromTile(), it.getFromEngine(), false)));
        })
        .Case([&](BarrierOp it) { return verifyTiles(it, it.getTiles(), "meets"); })
        .Default(
            [](mlir::Operation *it) { return it->emitOpError("is neither a task nor synchronisation"); });
  }

  // --- Tasks ---

  LogicalResult verifyTask(Task task) {
    mlir::Operation *operation = task.getOperation();
    mlir::Block &body = task.getBody().front();
    if (!llvm::hasSingleElement(body) || !isa::isInstruction(&body.front()))
      return operation->emitOpError("holds one instruction, and nothing else");
    const Instruction &instruction = instructionOf(task);
    if (operation->getName().getStringRef() != taskNameOf(instruction))
      return operation->emitOpError()
             << "holds isa." << mnemonicOf(instruction) << ", which is " << taskNameOf(instruction) << "'s";
    if (llvm::isa<MarkOp>(operation) && !std::holds_alternative<Marker>(instruction) &&
        !std::holds_alternative<Delay>(instruction))
      return operation->emitOpError() << "holds isa." << mnemonicOf(instruction)
                                      << "; synchronisation is said by the dialect's own operations";
    if (task.getTile() >= tiles)
      return operation->emitOpError() << "is on tile " << task.getTile() << " of " << tiles;
    if (const Status legal = checkInstruction(instruction, machine, task.getTile(), tiles); !legal)
      return operation->emitOpError() << "on tile " << task.getTile() << ": " << legal.error().message();
    if (const auto signals = task.getSignals();
        signals && mlir::failed(verifyTiles(operation, *signals, "signals")))
      return failure();
    if (const auto purpose = operation->getAttrOfType<mlir::StringAttr>("purpose"))
      if (const auto &names = EnumNames<Purpose>::values;
          std::ranges::find(names, std::string_view(purpose.getValue())) == names.end())
        return operation->emitOpError()
               << "is for '" << purpose.getValue() << "'; expected halo, gather or rebalance";
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
        return task->emitOpError() << "on tile " << task.getTile() << (isRead ? " reads" : " writes")
                                   << " bytes " << access.region.begin << " to " << access.region.end << " ("
                                   << access.operand.data() << ") of "
                                   << (access.memory == ddrMemory ? "DDR" : "an OCM")
                                   << ", which are in no buffer that it names";
      used.insert(buffer);
    }
    for (const mlir::Value buffer : task->getOperands())
      if (!used.contains(buffer))
        return task->emitOpError() << "on tile " << task.getTile() << " names buffer '"
                                   << buffer.getDefiningOp<BufferOp>().getName() << "' and does not touch it";
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

  // --- Synchronisation ---

  template <class Op>
  LogicalResult verifySource(Op sync) {
    auto source = llvm::dyn_cast_if_present<Task>(sync.getSource().getDefiningOp());
    if (!source || source->getParentOp() != sequence)
      return sync.emitOpError("waits for something that is no task of its sequence");
    constexpr bool isLocal = std::is_same_v<Op, LocalSyncOp>;
    if (mlir::failed(verifyEngine(sync, sync.getTile(), sync.getEngine(), isLocal)))
      return failure();
    const Engine from = engineOf(instructionOf(source));
    if (from == Engine::sequencer)
      return sync.emitOpError("waits for a task of the sequencer, which has no end");
    if constexpr (isLocal) {
      if (source.getTile() != sync.getTile())
        return sync.emitOpError() << "on tile " << sync.getTile() << " waits for a task of tile "
                                  << source.getTile() << ", which takes tile.wait";
      if (engineNamed(sync.getEngine()) == from)
        return sync.emitOpError() << "makes engine " << sync.getEngine() << " of tile " << sync.getTile()
                                  << " wait for itself, which takes tile.wait";
    } else {
      const auto signals = source.getSignals();
      if (!signals || !llvm::is_contained(*signals, static_cast<int32_t>(sync.getTile())))
        return sync.emitOpError() << "on tile " << sync.getTile() << " waits for a task of tile "
                                  << source.getTile() << " that does not signal to it";
    }
    return success();
  }

  LogicalResult verifyEngine(mlir::Operation *operation, uint32_t tile, llvm::StringRef name,
                             bool maySequence) {
    const auto engine = engineNamed(name);
    if (!engine || (*engine == Engine::sequencer && !maySequence))
      return operation->emitOpError() << "names engine '" << name << "'; expected "
                                      << (maySequence ? "sequencer, " : "") << "pod, pe, dma_in or dma_out";
    if (tile >= tiles)
      return operation->emitOpError() << "names tile " << tile << " of " << tiles;
    return success();
  }

  LogicalResult verifyTiles(mlir::Operation *operation, llvm::ArrayRef<int32_t> all, llvm::StringRef does) {
    for (const int32_t tile : all)
      if (tile < 0 || static_cast<unsigned>(tile) >= tiles)
        return operation->emitOpError() << does << " tile " << tile << " of " << tiles;
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
    return emitOpError("stands beside something else in its stage");
  const Result<Machine> machine = isa::machineOf(program);
  if (!machine)
    return emitOpError() << machine.error().message();
  return Verifier(*this, *machine, program.getTiles()).verify();
}

} // namespace tilerig::tile
