// Reads both tensors of a comparison in chunks and distributes these to threads.
#pragma once

#include "isa/Base/Support/InParallel.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Metrics/Kernels.h"

#include <mutex>

namespace tilerig::verify {

inline size_t chunksOf(size_t elements) { return (elements + chunkElements - 1) / chunkElements; }

// Number of threads that get work: at most one for each chunk, at least one.
inline unsigned workersFor(size_t chunks, unsigned threads) {
  return static_cast<unsigned>(std::clamp<size_t>(chunks, 1, std::max(threads, 1u)));
}

// The elements of one chunk of both tensors, aligned in memory.
struct PairChunk {
  TensorPair pair; // the first elements of the chunk in reference and target
  size_t begin = 0, count = 0;
  // The bytes of the chunk as the streams returned them, to be passed to release(). The elements may lie in
  // aligned copies instead.
  std::pair<std::span<const std::byte>, std::span<const std::byte>> lying;
};

// Hands out the chunks of both tensors in order. A chunk stays valid until its thread takes the next one.
class PairReader {
public:
  // Buffers of one thread, into which chunks are copied that are unaligned in their stream or must be
  // decompressed.
  struct Buffers {
    std::vector<std::byte> reference, target;
  };

  // The streams must outlive the reader and have the same shape; their types must be comparable.
  PairReader(const TensorStream &reference, const TensorStream &target);

  // Returns the next chunk; empty after the last one, or after a read error (status()).
  std::optional<PairChunk> take(Buffers &buffers);
  // Tells the streams that a chunk from take() is no longer needed.
  void release(const PairChunk &chunk) const;
  Status status() const { return failure ? Status(*failure) : success(); }

private:
  struct Side {
    const TensorStream &stream;
    DType type;
    TensorReader reader;
  };
  using Bytes = std::span<const std::byte>;
  std::optional<std::pair<Bytes, Bytes>> read(size_t count, Buffers &buffers);

  Side reference, target;
  size_t elements, next = 0;
  std::mutex mutex;
  std::optional<Error> failure;
};

// Calls work(chunk, worker) exactly once for each chunk. The calls run in parallel; `worker` is the number of
// the thread.
template <class Work>
Status forEachChunk(const TensorStream &reference, const TensorStream &target, unsigned workers, Work work) {
  PairReader reader(reference, target);
  onThreads(workers, [&](unsigned worker) {
    PairReader::Buffers buffers;
    while (const auto chunk = reader.take(buffers)) {
      work(*chunk, worker);
      reader.release(*chunk);
    }
  });
  return reader.status();
}

} // namespace tilerig::verify
