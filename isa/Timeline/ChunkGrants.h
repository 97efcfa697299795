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
  // The number of a requester of transfers, such as a DMA thread. Each client has at most one phase in
  // progress.
  using Client = uint32_t;
  struct Grant {
    Client client = 0;
    uint64_t throughTick = 0; // time at which the chunk has passed all its resources
    bool isLast = false;      // whether it is the last chunk of its phase
    uint64_t waitedTicks = 0; // waiting time of all chunks of the phase so far
  };

  ChunkGrants(const Machine &machine, size_t numClients)
      : network(machine.network), ways(machine), moves(numClients) {}

  // Whether the phase uses a shared resource. If it uses none, its time does not depend on other transfers.
  static bool isShared(const TransferPhase &phase, const Network &network) {
    return SharedWays::areUsed(phase) && chunksOf(phase, network) > 0;
  }
  // Starts a phase whose first chunk is requested at `tick`. `streamTicks` is the time that all chunks take
  // without contention. `phase` must stay alive until its last chunk has been granted.
  void begin(Client client, const TransferPhase &phase, uint64_t tick, uint64_t streamTicks);

  // The time of the next possible grant; UINT64_MAX if there are no requests.
  uint64_t nextTick() const { return std::min(asks.empty() ? UINT64_MAX : asks.top().tick, nextFree); }
  // Grants all chunks that can go at nextTick(), and calls onGrant(const Grant &) for each.
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
    uint64_t chunk = 0, chunks = 0; // index of the next chunk, and number of chunks
    uint64_t streamTicks = 0, waitedTicks = 0;
  };

  void collectAsks(uint64_t tick);
  Grant send(const Ask &ask, uint64_t tick);
  void findNextFree();

  const Network &network;
  SharedWays ways;
  std::vector<Move> moves; // indexed by client
  std::priority_queue<Ask, std::vector<Ask>, std::greater<>> asks;
  std::vector<Ask> waiting;       // requests that could not be granted at once, in order
  uint64_t nextFree = UINT64_MAX; // earliest time at which one of `waiting` can be granted
};

} // namespace tilerig
