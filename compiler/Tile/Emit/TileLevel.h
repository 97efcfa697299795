// Data from which the text form of a program at level `tile` is made: the buffers of the plan, and for each
// device stage its tasks and their synchronisation. Code generation computes these data in any case, and
// keeps them only on request.
#pragma once

#include "compiler/Planning/Schedule/PlanSync.h"
#include "compiler/Tile/Plan/TilePlan.h"

namespace tilerig::compiler {

// Why other tiles have to send a tile parts of a tensor.
enum class Purpose : uint8_t {
  none,
  halo,      // the tile computes a part of the tensor and reads a margin around it
  gather,    // the tile reads the whole tensor
  rebalance, // the tile reads a part of the tensor and computes none
};
} // namespace tilerig::compiler

template <>
struct tilerig::EnumNames<tilerig::compiler::Purpose> {
  static constexpr auto values = std::to_array<std::string_view>({"none", "halo", "gather", "rebalance"});
};

namespace tilerig::compiler {

// A range of bytes that is allocated for a while, at one address of DDR or at the same address of each tile's
// OCM (on-chip memory).
struct PlannedBuffer {
  std::string name;
  Space space = Space::ocm;
  uint64_t address = 0, sizeBytes = 0;
  uint32_t from = 0, to = 0; // live range of the buffer in time steps, both ends included
  // For each tile, why it receives parts of the buffer's tensor from other tiles; only for tensors in the
  // OCMs (on-chip memories).
  std::vector<Purpose> receives = {};
};

struct TileStage {
  TaskList tasks;
  SyncPlan sync;
};

struct TileLevel {
  std::vector<PlannedBuffer> buffers;
  std::vector<TileStage> stages; // the tasks of each program stage; none for host stages
  std::string metadata;          // text of tile.json (TileMetadata.h)
};

std::vector<PlannedBuffer> describeBuffers(const DeviceNetwork &network, const TilePlan &plan,
                                           ByteRange constants);

} // namespace tilerig::compiler
