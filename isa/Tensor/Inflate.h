// Streams through zlib: raw deflate in and out, in pieces of any size, and the checksum of zip.
#pragma once

#include "isa/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

struct z_stream_s;

namespace tilerig {

// CRC-32 of zip, continued: crc32(b, crc32(a)) is that of a and b.
uint32_t crc32(std::span<const std::byte> bytes, uint32_t before = 0);

// Unpacks a deflated byte string front to back.
class Inflater {
public:
  explicit Inflater(std::span<const std::byte> packed);

  // Fills `out`; fewer bytes only at the end of the stream. Refuses damaged data.
  Result<size_t> read(std::span<std::byte> out);
  // All of the input was used and said that it is complete; asks zlib for the last block's end if need be.
  Result<bool> atEnd();
  // What was read of the packed bytes so far.
  std::span<const std::byte> used() const { return packed.first(packed.size() - rest.size()); }

private:
  struct Close {
    void operator()(z_stream_s *stream) const;
  };
  std::unique_ptr<z_stream_s, Close> stream;
  std::span<const std::byte> packed, rest;
  bool ended = false;
};

// Packs byte strings, handing on the output as it comes.
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
