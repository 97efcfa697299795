#include "compiler/Tile/IR/TileModule.h"

#include "compiler/Isa/IR/Programs.h"
#include "isa/Instructions/Access.h"

#include <fmt/core.h>
#include <llvm/ADT/SetVector.h>
#include <mlir/IR/Builders.h>

namespace tilerig::compiler::tile {

namespace {

constexpr uint32_t forever = UINT32_MAX;

llvm::StringRef nameOf(Engine engine) { return EnumNames<Engine>::values[static_cast<size_t>(engine)]; }

llvm::SmallVector<int32_t> tilesOf(uint64_t set) {
  llvm::SmallVector<int32_t> tiles;
  for (; set; set &= set - 1)
    tiles.push_back(__builtin_ctzll(set));
  return tiles;
}

class ModuleWriter {
public:
  ModuleWriter(mlir::MLIRContext &context, const Program &program, const TileLevel &level)
      : builder(&context), program(program), level(level), locations(&context, program.metadata) {}

  Result<mlir::OwningOpRef<mlir::ModuleOp>> write() {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    isa::ProgramOp result = isa::createProgram(builder, program);
    auto stages = result.getBody().getOps<isa::StageOp>();
    if (stages.empty())
      return module;
    builder.setInsertionPoint(*stages.begin());
    writeBuffers();
    auto stage = stages.begin();
    for (size_t i = 0; i < program.stages.size(); ++i, ++stage)
      if (std::holds_alternative<DeviceStage>(program.stages[i].work)) {
        TILERIG_CHECK_OK(writeStage(*stage, level.stages[i]));
      }
    return module;
  }

private:
  void writeBuffers() {
    for (const PlannedBuffer &buffer : level.buffers) {
      const std::array<int64_t, 2> timeSteps = {buffer.from, buffer.to};
      auto op = BufferOp::create(builder, builder.getUnknownLoc(), BufferType::get(builder.getContext()),
                                 buffer.name, buffer.space == Space::ddr ? "ddr" : "ocm", buffer.address,
                                 buffer.sizeBytes,
                                 buffer.to == forever ? nullptr : builder.getDenseI64ArrayAttr(timeSteps));
      buffers.push_back(op.getBuffer());
    }
  }

  Status writeStage(isa::StageOp stage, const TileStage &its) {
    builder.setInsertionPointToEnd(&stage.getBody().front());
    auto sequence = SequenceOp::create(builder, builder.getUnknownLoc());
    builder.createBlock(&sequence.getBody());
    done.assign(its.tasks.size(), {});
    for (const SyncAction &action : its.sync.actions) {
      const mlir::Location location = locations.of(layerOf(its.tasks[action.task].instruction));
      if (action.kind == SyncActionKind::task) {
        TILERIG_CHECK_OK(
            writeTask(its.tasks[action.task], action.task, its.sync.signalTo[action.task], location));
      } else {
        writeSync(action, its, location);
      }
    }
    return success();
  }

  // --- Creation of the operations for tasks ---

  Status writeTask(const compiler::Task &task, uint32_t number, uint64_t signals, mlir::Location location) {
    llvm::SetVector<size_t> reads, writes;
    AccessList accesses;
    appendAccesses(task.instruction, task.tile, accesses);
    Purpose purpose = Purpose::none;
    for (const Access &access : accesses) {
      const auto buffer = bufferOf(access, task.timeStep);
      if (!buffer)
        return internalError(fmt::format("task {} ({})", number, mnemonicOf(task.instruction)),
                             fmt::format("bytes {} to {} lie in no buffer of time step {}",
                                         access.region.begin, access.region.end, task.timeStep));
      (access.kind == AccessKind::read ? reads : writes).insert(*buffer);
      const auto &receives = level.buffers[*buffer].receives;
      if (access.kind == AccessKind::write && access.memory != ddrMemory &&
          tileOf(access.memory) < receives.size() && purpose == Purpose::none)
        purpose = receives[tileOf(access.memory)];
    }
    mlir::OperationState state(location, taskNameOf(task.instruction));
    state.addAttribute("tile", builder.getI32IntegerAttr(static_cast<int32_t>(task.tile)));
    const bool isShared = llvm::is_contained({SendOp::getOperationName(), MulticastOp::getOperationName()},
                                             state.name.getStringRef());
    if (isShared && purpose != Purpose::none)
      state.addAttribute("purpose",
                         builder.getStringAttr(EnumNames<Purpose>::values[static_cast<size_t>(purpose)]));
    if (signals)
      state.addAttribute("signals", builder.getDenseI32ArrayAttr(tilesOf(signals)));
    for (const auto &list : {reads, writes})
      for (const size_t buffer : list)
        state.addOperands(buffers[buffer]);
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(
                           {static_cast<int32_t>(reads.size()), static_cast<int32_t>(writes.size())}));
    state.addTypes(DoneType::get(builder.getContext()));
    mlir::Region &body = *state.addRegion();
    body.emplaceBlock();
    mlir::Operation *operation = builder.create(state);
    done[number] = operation->getResult(0);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&operation->getRegion(0).front());
    isa::createInstruction(builder, location, task.instruction);
    return success();
  }

  // Index of the smallest buffer that contains the accessed bytes in this time step; empty if no buffer does.
  // Several buffers may contain them, because a buffer may lie inside another one.
  std::optional<size_t> bufferOf(const Access &access, uint32_t timeStep) const {
    std::optional<size_t> best;
    for (size_t i = 0; i < level.buffers.size(); ++i) {
      const PlannedBuffer &buffer = level.buffers[i];
      if ((buffer.space == Space::ddr) == (access.memory == ddrMemory) && buffer.from <= timeStep &&
          timeStep <= buffer.to && buffer.address <= access.region.begin &&
          access.region.end <= buffer.address + buffer.sizeBytes &&
          (!best || buffer.sizeBytes < level.buffers[*best].sizeBytes))
        best = i;
    }
    return best;
  }

  // --- Creation of the operations that synchronise tasks ---

  void writeSync(const SyncAction &action, const TileStage &its, mlir::Location location) {
    const unsigned tile =
        action.engine == noEngine ? its.tasks[action.source].tile : tileOfEngine(action.engine);
    const llvm::StringRef engine =
        action.engine == noEngine ? "sequencer" : nameOf(engineOfId(action.engine));
    switch (action.kind) {
    case SyncActionKind::wait:
      WaitOp::create(builder, location, done[action.source], tile, engine);
      return;
    case SyncActionKind::sync:
    case SyncActionKind::blockingSync:
      LocalSyncOp::create(builder, location, done[action.source], tile, engine);
      return;
    case SyncActionKind::relay:
      RelayOp::create(builder, location, tileOfEngine(action.signaller), nameOf(engineOfId(action.signaller)),
                      tile, engine);
      return;
    case SyncActionKind::barrier:
      BarrierOp::create(builder, location, tilesOf(action.tiles));
      return;
    case SyncActionKind::task:
      return;
    }
  }

  mlir::OpBuilder builder;
  const Program &program;
  const TileLevel &level;
  isa::LayerLocations locations;
  std::vector<mlir::Value> buffers; // MLIR values of the buffers, in the order of TileLevel::buffers
  std::vector<mlir::Value> done;    // MLIR value for the end of each task
};

} // namespace

Result<mlir::OwningOpRef<mlir::ModuleOp>> moduleOf(mlir::MLIRContext &context, const Program &program,
                                                   const TileLevel &level) {
  context.loadDialect<isa::IsaDialect, TileDialect>();
  return ModuleWriter(context, program, level).write();
}

} // namespace tilerig::compiler::tile
