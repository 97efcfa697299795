#include "isa/Program/Hash.h"

#include "isa/Base/Support/Hash.h"
#include "isa/Instructions/Codec.h"
#include "isa/Program/Canonical.h"

namespace tilerig {

namespace {
class Fold {
public:
  void add(uint64_t number) { hash = combineHashes(hash, number); }
  void add(std::span<const std::byte> bytes) { add(hashBytes(bytes)); }
  void add(std::string_view text) { add(hashText(text)); }
  uint64_t value() const { return hash; }

private:
  uint64_t hash = 0;
};
} // namespace

uint64_t hashConstants(const std::vector<ConstantData> &constants) {
  Fold fold;
  fold.add(constants.size());
  for (const ConstantData &constant : constants) {
    fold.add(constant.address);
    fold.add(constant.bytes.size());
    fold.add(constant.bytes);
  }
  return fold.value();
}

static void addStage(Fold &fold, const Stage &stage, size_t index, const CodeOf &codeOf) {
  fold.add(stage.name);
  fold.add(static_cast<uint64_t>(stage.phase));
  fold.add(stage.work.index());
  if (auto *host = std::get_if<proto::HostWork>(&stage.work))
    return fold.add(serialiseCanonically(*host));
  const auto &tiles = std::get<DeviceStage>(stage.work).tiles;
  fold.add(tiles.size());
  for (size_t tile = 0; tile < tiles.size(); ++tile)
    fold.add(codeOf(index, tile));
}

uint64_t hashContent(const Program &program, const CodeOf &codeOf, uint64_t constantsHash) {
  Fold fold;
  fold.add(program.tiles);
  fold.add(program.stages.size());
  for (size_t index = 0; index < program.stages.size(); ++index)
    addStage(fold, program.stages[index], index, codeOf);
  fold.add(constantsHash);
  fold.add(static_cast<uint64_t>(program.metadata.tensors_size()));
  for (const proto::Tensor &tensor : program.metadata.tensors())
    fold.add(serialiseCanonically(tensor));
  return fold.value();
}

uint64_t hashContent(const Program &program) {
  std::vector<std::byte> code; // buffer for the code of one tile
  auto encodeTile = [&](size_t stage, size_t tile) -> std::span<const std::byte> {
    code.clear();
    for (const Instruction &instruction : std::get<DeviceStage>(program.stages[stage].work).tiles[tile])
      encode(instruction, code);
    return code;
  };
  return hashContent(program, encodeTile, hashConstants(program.constants));
}

} // namespace tilerig
