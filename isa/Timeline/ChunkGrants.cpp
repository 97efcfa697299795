#include "isa/Timeline/ChunkGrants.h"

#include <algorithm>

namespace tilerig {

void ChunkGrants::begin(Client client, const TransferPhase &phase, uint64_t tick, uint64_t streamTicks) {
  moves[client] = {.phase = &phase, .chunks = chunksOf(phase, network), .streamTicks = streamTicks};
  asks.push({tick, client});
}

void ChunkGrants::collectAsks(uint64_t tick) {
  for (; !asks.empty() && asks.top().tick <= tick; asks.pop())
    waiting.insert(std::ranges::upper_bound(waiting, asks.top()), asks.top());
}

// Grants the shared resources to the next chunk of a transfer phase. The chunk takes an equal share of the
// time that its phase needs without contention: other transfers can delay when a chunk begins, but not how
// long it takes.
ChunkGrants::Grant ChunkGrants::send(const Ask &ask, uint64_t tick) {
  Move &move = moves[ask.client];
  ways.occupy(*move.phase, move.chunks, tick);
  move.waitedTicks += tick - ask.tick;
  const uint64_t own =
      move.streamTicks * (move.chunk + 1) / move.chunks - move.streamTicks * move.chunk / move.chunks;
  const bool isLast = ++move.chunk == move.chunks;
  if (!isLast)
    asks.push({tick + own, ask.client});
  return {ask.client, tick + own, isLast, move.waitedTicks};
}

void ChunkGrants::findNextFree() {
  nextFree = UINT64_MAX;
  for (const Ask &ask : waiting)
    nextFree = std::min(nextFree, ways.freeAt(*moves[ask.client].phase));
}

} // namespace tilerig
