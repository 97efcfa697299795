// Streaming compression and decompression by zlib: raw deflate, in pieces of any size, and the CRC-32 of zip.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

struct z_stream_s;

namespace tilerig {

// The CRC-32 of zip. `before` is the checksum of the preceding bytes: crc32(b, crc32(a)) is the checksum of a
// followed by b.
uint32_t crc32(std::span<const std::byte> bytes, uint32_t before = 0);

// Decompresses a deflated byte string sequentially.
class Inflater {
public:
  explicit Inflater(std::span<const std::byte> packed);

  // Fills `out` and returns the number of bytes written, which is less than its size only at the end of the
  // stream. Refuses damaged data.
  Result<size_t> read(std::span<std::byte> out);
  // Whether the stream is complete and all input was consumed. May ask zlib to read the end of the last
  // block.
  Result<bool> atEnd();
  // The part of the compressed input that has been consumed so far.
  std::span<const std::byte> used() const { return packed.first(packed.size() - rest.size()); }

private:
  struct Close {
    void operator()(z_stream_s *stream) const;
  };
  std::unique_ptr<z_stream_s, Close> stream;
  std::span<const std::byte> packed, rest;
  bool ended = false;
};

// Compresses byte strings; passes the output to a sink as it is produced.
class Deflater {
public:
  using Sink = std::function<Status(std::span<const std::byte>)>;
  explicit Deflater(Sink sink);

  Status write(std::span<const std::byte> bytes);
  Status finish();

private:
  Status run(std::span<const std::byte> bytes, int flush);

  struct Close {
    void operator()(z_stream_s *stream) const;
  };
  std::unique_ptr<z_stream_s, Close> stream;
  Sink sink;
};

} // namespace tilerig
