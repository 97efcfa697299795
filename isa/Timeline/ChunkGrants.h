// Arbitration of the bandwidth that transfers share: DDR, its ports, and the links between routers.
//
// A phase of a transfer (its read phase or its write phase) proceeds chunk by chunk, and a chunk is granted
// when all resources that it uses are free: first come, first served; among requests of the same time the
// lower client number goes first. A chunk that must wait can be overtaken by a chunk whose own resources are
// all free.
//
// Both the timed emulator and the compiler's scheduler use this class.
#pragma once

#include "isa/Timeline/SharedWays.h"

#include <queue>
#include <tuple>
#include <vector>

namespace tilerig {

class ChunkGrants {
public:
  // The number of a client: a DMA thread or another requester of transfers. Each client has at most one
  // transfer phase in progress.
  using Client = uint32_t;
  struct Grant {
    Client client = 0;
    uint64_t throughTick = 0; // tick at which the chunk has passed all its resources
    bool isLast = false;      // whether the chunk is the last one of its transfer phase
    uint64_t waitedTicks = 0; // ticks that all chunks of the transfer phase have waited so far
  };

  ChunkGrants(const Machine &machine, size_t numClients)
      : network(machine.network), ways(machine), moves(numClients) {}

  // Whether a transfer phase uses a shared resource. If it uses none, its time does not depend on other
  // transfers.
  static bool isShared(const TransferPhase &phase, const Network &network) {
    return SharedWays::areUsed(phase) && chunksOf(phase, network) > 0;
  }
  // Starts a transfer phase whose first chunk is requested at `tick`. `streamTicks` is the time that all
  // chunks take without contention. `phase` must stay alive until its last chunk has been granted.
  void begin(Client client, const TransferPhase &phase, uint64_t tick, uint64_t streamTicks);

  // The next tick at which a chunk can be granted its resources; UINT64_MAX if there are no requests.
  uint64_t nextTick() const { return std::min(asks.empty() ? UINT64_MAX : asks.top().tick, nextFree); }
  // Grants the resources to all chunks whose resources are free at nextTick(), and calls onGrant(const Grant
  // &) for each chunk.
  template <class Visitor>
  void advance(Visitor &&onGrant) {
    const uint64_t tick = nextTick();
    collectAsks(tick);
    std::erase_if(waiting, [&](const Ask &ask) {
      if (ways.freeAt(*moves[ask.client].phase) > tick)
        return false;
      onGrant(send(ask, tick));
      return true;
    });
    findNextFree();
  }

private:
  struct Ask {
    uint64_t tick;
    Client client;
    auto operator<=>(const Ask &) const = default;
  };
  struct Move {
    const TransferPhase *phase = nullptr;
    // Index of the next chunk of the phase, and number of all its chunks.
    uint64_t chunk = 0, chunks = 0;
    uint64_t streamTicks = 0, waitedTicks = 0;
  };

  void collectAsks(uint64_t tick);
  Grant send(const Ask &ask, uint64_t tick);
  void findNextFree();

  const Network &network;
  SharedWays ways;
  std::vector<Move> moves; // indexed by client
  std::priority_queue<Ask, std::vector<Ask>, std::greater<>> asks;
  // Requests of chunks whose resources were busy, in the order in which they are to be granted.
  std::vector<Ask> waiting;
  // Earliest tick at which a waiting chunk can be granted its resources.
  uint64_t nextFree = UINT64_MAX;
};

} // namespace tilerig
