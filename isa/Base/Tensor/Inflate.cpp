#include "isa/Base/Tensor/Inflate.h"

#include <algorithm>
#include <array>
#include <string>
#define ZLIB_CONST
#include <zlib.h>

namespace tilerig {

// In zlib, a negative number of window bits selects raw deflate, without the zlib header.
static constexpr int rawWindow = -15;
// zlib counts bytes in 32 bits, so it gets at most this many at once.
static constexpr size_t mostAtOnce = size_t{1} << 30;

uint32_t crc32(std::span<const std::byte> bytes, uint32_t before) {
  if (bytes.empty()) // zlib would restart the checksum if it got a null pointer
    return before;
  return static_cast<uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

// Passes the bytes to zlib as its next input, at most as many as zlib accepts at once.
static void lend(z_stream_s &stream, std::span<const std::byte> bytes) {
  stream.next_in = reinterpret_cast<const Bytef *>(bytes.data());
  stream.avail_in = static_cast<uInt>(std::min(bytes.size(), mostAtOnce));
}

static Error zlibError(const char *doing, const z_stream_s &stream, int code) {
  if (code == Z_MEM_ERROR || code == Z_STREAM_ERROR) // Z_STREAM_ERROR: zlib had no memory to start
    return internalError("", "zlib has not enough memory");
  return invalidInput("", std::string(doing) + (stream.msg ? std::string(": ") + stream.msg : ""));
}

void Inflater::Close::operator()(z_stream_s *stream) const {
  ::inflateEnd(stream);
  delete stream;
}

Inflater::Inflater(std::span<const std::byte> packed)
    : stream(new z_stream_s{}), packed(packed), rest(packed) {
  // Initialisation of zlib can only fail for lack of memory; the first read() reports this failure.
  ::inflateInit2(stream.get(), rawWindow);
}

Result<size_t> Inflater::read(std::span<std::byte> out) {
  size_t filled = 0;
  while (filled < out.size() && !ended) {
    auto piece = out.subspan(filled, std::min(out.size() - filled, mostAtOnce));
    lend(*stream, rest);
    size_t lent = stream->avail_in;
    stream->next_out = reinterpret_cast<Bytef *>(piece.data());
    stream->avail_out = static_cast<uInt>(piece.size());
    int code = ::inflate(stream.get(), Z_NO_FLUSH);
    rest = rest.subspan(lent - stream->avail_in);
    filled += piece.size() - stream->avail_out;
    ended = code == Z_STREAM_END;
    if (code == Z_BUF_ERROR) // zlib made no progress despite space for output: the input is used up
      return invalidInput("", "deflated data are truncated");
    if (code != Z_OK && code != Z_STREAM_END)
      return zlibError("deflated data are damaged", *stream, code);
  }
  return filled;
}

Result<bool> Inflater::atEnd() {
  // zlib may not have read the end of the last block yet. Requesting one more byte makes it read on; the data
  // must not contain such a byte.
  std::byte surplus;
  TILERIG_TRY(size_t more, read({&surplus, 1}));
  return more == 0 && ended && rest.empty();
}

void Deflater::Close::operator()(z_stream_s *stream) const {
  ::deflateEnd(stream);
  delete stream;
}

Deflater::Deflater(Sink sink) : stream(new z_stream_s{}), sink(std::move(sink)) {
  ::deflateInit2(stream.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, rawWindow, 8, Z_DEFAULT_STRATEGY);
}

Status Deflater::run(std::span<const std::byte> bytes, int flush) {
  std::array<std::byte, 1 << 16> buffer;
  do {
    lend(*stream, bytes);
    size_t lent = stream->avail_in;
    bool last = lent == bytes.size();
    stream->next_out = reinterpret_cast<Bytef *>(buffer.data());
    stream->avail_out = buffer.size();
    int code = ::deflate(stream.get(), last ? flush : Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return zlibError("cannot deflate", *stream, code);
    bytes = bytes.subspan(lent - stream->avail_in);
    TILERIG_CHECK_OK(sink(std::span(buffer).first(buffer.size() - stream->avail_out)));
    if (code == Z_STREAM_END)
      return success();
  } while (!bytes.empty() || stream->avail_out == 0 || flush == Z_FINISH);
  return success();
}

Status Deflater::write(std::span<const std::byte> bytes) {
  return bytes.empty() ? success() : run(bytes, Z_NO_FLUSH);
}
Status Deflater::finish() { return run({}, Z_FINISH); }

} // namespace tilerig
