#include "compiler/Tile/ToIsa/LowerToIsa.h"

#include "compiler/Isa/IR/Messages.h"
#include "compiler/Isa/IR/Programs.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Planning/Schedule/EmitStage.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler::tile {

namespace {

// Converts a verified sequence (the tasks of all tiles in a stage) to a task list and a synchronisation plan,
// from which the scheduler emits the instruction lists.
class SequenceReader {
public:
  DeviceStage read(SequenceOp sequence, unsigned tiles) {
    mlir::Block &body = sequence.getBody().front();
    for (mlir::Operation &operation : body)
      if (auto task = llvm::dyn_cast<Task>(operation))
        addTask(task);
      else
        addSync(operation);
    return emitStage(tasks, plan, tiles);
  }

private:
  // Index of the next task. An operation that synchronises belongs to the task that follows it.
  uint32_t next() const { return static_cast<uint32_t>(tasks.size()); }

  void addTask(Task task) {
    plan.actions.push_back({.kind = SyncActionKind::task, .task = next()});
    uint64_t signals = 0;
    for (const int32_t tile : task.getSignals().value_or(llvm::ArrayRef<int32_t>()))
      signals |= uint64_t{1} << tile;
    plan.signalTo.push_back(signals);
    numbers[task] = next();
    tasks.push_back({.tile = task.getTile(), .instruction = instructionOf(task)});
  }

  void addSync(mlir::Operation &operation) {
    SyncAction action{.task = next()};
    llvm::TypeSwitch<mlir::Operation *>(&operation)
        .Case([&](WaitOp wait) {
          action.kind = SyncActionKind::wait;
          action.source = sourceOf(wait);
          action.engine = engineOf(wait.getTile(), wait.getEngine());
        })
        .Case([&](LocalSyncOp sync) {
          action.source = sourceOf(sync);
          action.kind = sync.getEngine() == "sequencer" ? SyncActionKind::blockingSync : SyncActionKind::sync;
          if (action.kind == SyncActionKind::sync)
            action.engine = engineOf(sync.getTile(), sync.getEngine());
        })
        .Case([&](RelayOp relay) {
          action.kind = SyncActionKind::relay;
          action.engine = engineOf(relay.getTile(), relay.getEngine());
          action.signaller = engineOf(relay.getFromTile(), relay.getFromEngine());
        })
        .Case([&](BarrierOp barrier) {
          action.kind = SyncActionKind::barrier;
          for (const int32_t tile : barrier.getTiles())
            action.tiles |= uint64_t{1} << tile;
        });
    plan.actions.push_back(action);
  }

  template <class Op>
  uint32_t sourceOf(Op sync) const {
    return numbers.lookup(sync.getSource().getDefiningOp());
  }
  static EngineId engineOf(unsigned tile, llvm::StringRef name) {
    const auto &names = EnumNames<Engine>::values;
    const auto index = std::ranges::find(names, std::string_view(name)) - names.begin();
    return engineId(tile, static_cast<Engine>(index));
  }

  TaskList tasks;
  SyncPlan plan;
  // Index of each task in the task list. The map is never iterated, so the order of its entries has no
  // effect.
  llvm::DenseMap<mlir::Operation *, uint32_t> numbers;
};

} // namespace

void lowerToIsa(isa::ProgramOp program) {
  const isa::LayerLocations locations(program);
  for (isa::StageOp stage : program.getBody().getOps<isa::StageOp>()) {
    auto sequences = stage.getBody().getOps<SequenceOp>();
    if (sequences.empty())
      continue;
    SequenceOp sequence = *sequences.begin();
    const DeviceStage work = SequenceReader().read(sequence, program.getTiles());
    sequence.erase();
    isa::createTiles(stage, work, locations);
  }
  for (BufferOp buffer : llvm::make_early_inc_range(program.getBody().getOps<BufferOp>()))
    buffer.erase();
}

} // namespace tilerig::compiler::tile

namespace tilerig::compiler {

#define GEN_PASS_DEF_LOWERTOISA
#include "compiler/Passes/Passes.h.inc"

namespace {

struct LowerToIsaPass : impl::LowerToIsaBase<LowerToIsaPass> {
  void runOnOperation() override {
    for (isa::ProgramOp program : getOperation().getOps<isa::ProgramOp>())
      tile::lowerToIsa(program);
  }
};

} // namespace

} // namespace tilerig::compiler
