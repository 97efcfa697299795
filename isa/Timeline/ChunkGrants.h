// The machine's arbitration of DDR, its ports and the links between routers: a phase of a transfer goes chunk
// by chunk, and a chunk goes when all that it uses is free. First come, first served; of those who ask at one
// time the lower number goes first, and a chunk that cannot go is overtaken only by those that use other
// ways.
//
// The emulator's clock and the compiler's scheduler both let their transfers through here.
#pragma once

#include "isa/Timeline/SharedWays.h"

#include <queue>
#include <tuple>
#include <vector>

namespace tilerig {

class ChunkGrants {
public:
  // Moves one phase at a time.
  using Client = uint32_t;
  struct Grant {
    Client client = 0;
    uint64_t throughTick = 0; // when the chunk is through
    bool isLast = false;      // of its phase
    uint64_t waitedTicks = 0; // of all chunks of the phase so far
  };

  ChunkGrants(const Machine &machine, size_t numClients)
      : network(machine.network), ways(machine), moves(numClients) {}

  // Whether the phase shares anything; one that does not takes its time whatever else goes on.
  static bool isShared(const TransferPhase &phase, const Network &network) {
    return SharedWays::areUsed(phase) && chunksOf(phase, network) > 0;
  }
  // The first chunk asks at `tick`. `streamTicks`: what all chunks take with nothing in the way. The phase
  // has to be there until its last chunk has been granted.
  void begin(Client client, const TransferPhase &phase, uint64_t tick, uint64_t streamTicks);

  // When something can be granted next; UINT64_MAX if nobody asks.
  uint64_t nextTick() const { return std::min(asks.empty() ? UINT64_MAX : asks.top().tick, nextFree); }
  // Grants what can go at nextTick(), and calls onGrant(const Grant &) for each chunk.
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
    uint64_t chunk = 0, chunks = 0; // the next one, of so many
    uint64_t streamTicks = 0, waitedTicks = 0;
  };

  void collectAsks(uint64_t tick);
  Grant send(const Ask &ask, uint64_t tick);
  void findNextFree();

  const Network &network;
  SharedWays ways;
  std::vector<Move> moves; // by client
  std::priority_queue<Ask, std::vector<Ask>, std::greater<>> asks;
  std::vector<Ask> waiting;       // that could not go when they asked, in their order
  uint64_t nextFree = UINT64_MAX; // when the first of them can
};

} // namespace tilerig
