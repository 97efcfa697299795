// Work on a tensor, shared out between threads in chunks.
#pragma once

#include "verify/Metrics/Kernels.h"

#include <atomic>
#include <thread>
#include <vector>

namespace tilerig::verify {

inline size_t chunksOf(size_t elements) { return (elements + chunkElements - 1) / chunkElements; }

inline ChunkRange rangeOf(size_t chunk, size_t elements) {
  return {chunk * chunkElements, std::min(elements, (chunk + 1) * chunkElements)};
}

// How many threads there is work for; never none.
inline unsigned workersFor(size_t chunks, unsigned threads) {
  return static_cast<unsigned>(std::clamp<size_t>(chunks, 1, std::max(threads, 1u)));
}

// Calls work(chunk, worker) for every chunk, each once and on any of the workers.
template <class Work>
void forEachChunk(size_t chunks, unsigned workers, Work work) {
  std::atomic<size_t> next = 0;
  auto loop = [&](unsigned worker) {
    for (size_t chunk = next++; chunk < chunks; chunk = next++)
      work(chunk, worker);
  };
  std::vector<std::jthread> others;
  for (unsigned worker = 1; worker < workers; ++worker)
    others.emplace_back(loop, worker);
  loop(0);
}

} // namespace tilerig::verify
