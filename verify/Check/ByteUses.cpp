#include "verify/Check/ByteUses.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

bool areShared(const Access &access, const Finding &finding) {
  return finding.memory == access.memory &&
         overlap(access.region, Region::ofRun(finding.bytes.begin, finding.bytes.size()));
}

// Range of bytes that a piece of a tensor occupies: from the first byte of its first element to the last byte
// of its last one.
ByteRange boundsOf(const proto::Piece &piece) {
  uint64_t end = piece.address() + 1;
  for (int axis = 0; axis < piece.extent_size(); ++axis)
    end += static_cast<uint64_t>(std::max<int64_t>(piece.extent(axis) - 1, 0)) * piece.stride(axis);
  return {piece.address(), end};
}

bool isOfHost(const Program &program, const proto::Tensor &tensor) {
  return tensor.role() == proto::INPUT ||
         std::holds_alternative<proto::HostWork>(program.stages[tensor.stage()].work);
}

} // namespace

std::vector<std::vector<ByteUse>> usesOfBytes(const Program &program, const std::vector<Finding> &findings) {
  std::vector<std::vector<ByteUse>> uses(findings.size());
  AccessList accesses;
  for (const Stage &stage : program.stages) {
    const auto *device = std::get_if<DeviceStage>(&stage.work);
    for (unsigned tile = 0; device && tile < device->tiles.size(); ++tile)
      for (const Instruction &instruction : device->tiles[tile]) {
        accesses.clear();
        appendAccesses(instruction, tile, accesses);
        for (const Access &access : accesses)
          for (size_t i = 0; i < findings.size(); ++i)
            if (areShared(access, findings[i]))
              uses[i].push_back({layerOf(instruction), access.kind == AccessKind::write});
      }
  }
  return uses;
}

LayerSources::LayerSources(const Program &program, const TensorSources &tensors) {
  std::map<std::string, uint32_t> layers;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() != proto::INPUT)
      layers[tensor.name()] = tensor.layer();
  for (const auto &[tensor, layer] : layers) {
    std::set<uint32_t> &own = sources[layer];
    if (const auto entry = tensors.find(tensor); entry != tensors.end())
      for (const std::string &source : entry->second)
        if (const auto from = layers.find(source); from != layers.end())
          own.insert(from->second);
  }
  addAncestors();
}

// Adds to each layer's dependencies those of the layers that it depends on. Layers are visited in the order
// in which they run, so the dependencies of an earlier layer are already complete.
void LayerSources::addAncestors() {
  for (auto &[layer, own] : sources)
    for (const uint32_t source : std::set<uint32_t>(own))
      if (const auto entry = sources.find(source); source < layer && entry != sources.end())
        own.insert(entry->second.begin(), entry->second.end());
}

bool LayerSources::mayFeed(uint32_t writer, uint32_t reader) const {
  const auto entry = sources.find(reader);
  return writer == reader || entry == sources.end() || !sources.contains(writer) ||
         entry->second.contains(writer);
}

DataFlow dataFlowOf(uint32_t reader, const std::vector<ByteUse> &uses, bool hostWrites,
                    const LayerSources &layers) {
  bool isFed = hostWrites;
  // The last layer, in the order of layers, that writes the bytes and does not come after the reader.
  std::optional<uint32_t> last;
  for (const ByteUse &use : uses) {
    if (!use.writes)
      continue;
    isFed |= layers.mayFeed(use.layer, reader);
    if (use.layer <= reader)
      last = std::max(last.value_or(0), use.layer);
  }
  if (!isFed)
    return DataFlow::stray;
  return !last || layers.mayFeed(*last, reader) ? DataFlow::own : DataFlow::intruded;
}

bool hostWrites(const Program &program, MemoryId memory, ByteRange bytes) {
  if (memory != ddrMemory)
    return false;
  return std::ranges::any_of(program.metadata.tensors(), [&](const proto::Tensor &tensor) {
    return isOfHost(program, tensor) && std::ranges::any_of(tensor.pieces(), [&](const proto::Piece &piece) {
             const ByteRange own = boundsOf(piece);
             return piece.ddr() && own.begin < bytes.end && bytes.begin < own.end;
           });
  });
}

} // namespace tilerig::verify
