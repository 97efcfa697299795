// Both tensors of a comparison a chunk at a time, shared out between threads.
#pragma once

#include "isa/Support/StartThreads.h"
#include "isa/Tensor/TensorStream.h"
#include "verify/Metrics/Kernels.h"

#include <mutex>
#include <thread>

namespace tilerig::verify {

inline size_t chunksOf(size_t elements) { return (elements + chunkElements - 1) / chunkElements; }

// How many threads there is work for; never none.
inline unsigned workersFor(size_t chunks, unsigned threads) {
  return static_cast<unsigned>(std::clamp<size_t>(chunks, 1, std::max(threads, 1u)));
}

// Some elements of both, as they have to be for the passes.
struct PairChunk {
  TensorPair pair; // begins with the chunk
  size_t begin = 0, count = 0;
  std::pair<std::span<const std::byte>, std::span<const std::byte>> lying; // where the streams have them
};

// One way through both. What a thread takes is its own until it takes the next.
class PairReader {
public:
  // What lies where it cannot be worked on, or has to be unpacked, comes in here.
  struct Room {
    std::vector<std::byte> reference, target;
  };

  // The streams have to outlive it; they are of one shape, and of types that can be compared.
  PairReader(const TensorStream &reference, const TensorStream &target);

  // Nothing after the last one, or once something could not be read.
  std::optional<PairChunk> take(Room &room);
  // Of this reader's chunks.
  void release(const PairChunk &chunk) const;
  Status status() const { return failure ? Status(*failure) : success(); }

private:
  struct Side {
    const TensorStream &stream;
    DType type;
    TensorReader reader;
  };
  using Bytes = std::span<const std::byte>;
  std::optional<std::pair<Bytes, Bytes>> read(size_t count, Room &room);

  Side reference, target;
  size_t elements, next = 0;
  std::mutex mutex;
  std::optional<Error> failure;
};

// Calls work(chunk, worker) for every chunk, each once and on any of the workers.
template <class Work>
Status forEachChunk(const TensorStream &reference, const TensorStream &target, unsigned workers, Work work) {
  PairReader reader(reference, target);
  auto loop = [&](unsigned worker) {
    PairReader::Room room;
    while (const auto chunk = reader.take(room)) {
      work(*chunk, worker);
      reader.release(*chunk);
    }
  };
  {
    std::vector<std::jthread> others;
    startThreads(others, workers, loop);
    loop(0);
  }
  return reader.status();
}

} // namespace tilerig::verify
