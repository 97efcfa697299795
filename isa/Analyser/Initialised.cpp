#include "isa/Analyser/Initialised.h"

#include "isa/Instructions/Access.h"

namespace tilerig {

void addTensor(const proto::Tensor &tensor, ByteSet &ddr) {
  for (const proto::Piece &piece : tensor.pieces())
    if (piece.ddr())
      forEachRun(tensor, piece, [&](ByteRange run) {
        ddr.add(run);
        return true;
      });
}

void addInputs(const Program &program, ByteSet &ddr) {
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT)
      addTensor(tensor, ddr);
}

static void addWrites(const DeviceStage &stage, std::vector<ByteSet> &initialised) {
  AccessList accesses;
  for (unsigned tile = 0; tile < stage.tiles.size(); ++tile)
    for (const Instruction &instruction : stage.tiles[tile]) {
      accesses.clear();
      appendAccesses(instruction, tile, accesses);
      for (const Access &access : accesses)
        if (access.kind == AccessKind::write)
          initialised[access.memory].add(access.region);
    }
}

std::vector<ByteSet> initialisedBefore(const Program &program, const Constants &constants, uint32_t stage) {
  std::vector<ByteSet> initialised(program.tiles + 1);
  for (const ByteRange &range : constants.stretches())
    initialised[ddrMemory].add(range);
  if (stage < program.stages.size() && program.stages[stage].phase != Phase::initial)
    addInputs(program, initialised[ddrMemory]);
  for (uint32_t before = 0; before < stage; ++before) {
    const auto &work = program.stages[before].work;
    if (auto *device = std::get_if<DeviceStage>(&work))
      addWrites(*device, initialised);
    else
      for (const std::string &name : std::get<proto::HostWork>(work).outputs())
        if (const proto::Tensor *tensor = findTensor(program, name))
          addTensor(*tensor, initialised[ddrMemory]);
  }
  return initialised;
}

} // namespace tilerig
