// What the level `tile` shows of a program: the buffers of its plan, and of each stage of the device the
// tasks and what keeps them apart. All of it is made on the way to instructions anyway, and kept only if
// asked for.
#pragma once

#include "compiler/Schedule/PlanSync.h"
#include "compiler/Tiling/TilePlan.h"

namespace tilerig {

// Why a tile gets parts of a tensor that others compute.
enum class Purpose : uint8_t {
  none,
  halo,      // it computes a part itself, and reads a margin around it
  gather,    // it reads all of the tensor
  rebalance, // it reads a part and computes none
};
template <>
struct EnumNames<Purpose> {
  static constexpr auto values = std::to_array<std::string_view>({"none", "halo", "gather", "rebalance"});
};

// Bytes that belong together for a while: at one address of the DDR, or of the OCM of each tile.
struct PlannedBuffer {
  std::string name;
  Space space = Space::ocm;
  uint64_t address = 0, sizeBytes = 0;
  uint32_t from = 0, to = 0;          // turns, both included
  std::vector<Purpose> receives = {}; // by tile: of a tensor that tiles send each other
};

struct TileStage {
  TaskList tasks;
  SyncPlan sync;
};

struct TileLevel {
  std::vector<PlannedBuffer> buffers;
  std::vector<TileStage> stages; // those of the host are empty
  std::string metadata;          // tile.json: TileMetadata.h
};

std::vector<PlannedBuffer> describeBuffers(const DeviceNetwork &network, const TilePlan &plan,
                                           ByteRange constants);

} // namespace tilerig
