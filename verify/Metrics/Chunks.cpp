#include "verify/Metrics/Chunks.h"

namespace tilerig::verify {

namespace {

using Bytes = std::span<const std::byte>;

// Returns bytes that are aligned: the given bytes or, if numpy has not aligned them in its archive, a copy of
// them. Decompressed bytes are aligned already.
const std::byte *aligned(Bytes bytes, DType type, std::vector<std::byte> &buffer) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % sizeBytes(type) == 0)
    return bytes.data();
  buffer.assign(bytes.begin(), bytes.end());
  return buffer.data();
}

} // namespace

PairReader::PairReader(const TensorStream &reference, const TensorStream &target)
    : reference{reference, partType(reference.dtype()), TensorReader(reference)},
      target{target, partType(target.dtype()), TensorReader(target)},
      elements(target.sizeBytes() / sizeBytes(partType(target.dtype()))) {}

std::optional<std::pair<Bytes, Bytes>> PairReader::read(size_t count, Buffers &buffers) {
  auto fromReference = reference.reader.next(count * sizeBytes(reference.type), buffers.reference);
  auto fromTarget = target.reader.next(count * sizeBytes(target.type), buffers.target);
  for (auto *read : {&fromReference, &fromTarget})
    if (!*read)
      failure = std::move(*read).error();
  if (failure)
    return {};
  return std::pair(*fromReference, *fromTarget);
}

std::optional<PairChunk> PairReader::take(Buffers &buffers) {
  PairChunk chunk{{reference.type, target.type, nullptr, nullptr}, 0, 0, {}};
  std::optional<std::pair<Bytes, Bytes>> bytes;
  {
    // Only one thread at a time reads the tensors, in order, because compressed data can only be read
    // sequentially.
    const std::lock_guard lock(mutex);
    if (next == elements || failure)
      return {};
    chunk.begin = next;
    chunk.count = std::min(chunkElements, elements - next);
    next += chunk.count;
    bytes = read(chunk.count, buffers);
  }
  if (!bytes)
    return {};
  chunk.pair.reference = aligned(bytes->first, reference.type, buffers.reference);
  chunk.pair.target = aligned(bytes->second, target.type, buffers.target);
  chunk.lying = *bytes;
  return chunk;
}

void PairReader::release(const PairChunk &chunk) const {
  reference.stream.release(chunk.lying.first);
  target.stream.release(chunk.lying.second);
}

} // namespace tilerig::verify
