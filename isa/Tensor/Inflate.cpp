#include "isa/Tensor/Inflate.h"

#include <algorithm>
#include <array>
#include <string>
#define ZLIB_CONST
#include <zlib.h>

namespace tilerig {

// Negative: the raw format, without zlib's own frame.
static constexpr int rawWindow = -15;
// zlib counts in 32 bits.
static constexpr size_t mostAtOnce = size_t{1} << 30;

uint32_t crc32(std::span<const std::byte> bytes, uint32_t before) {
  if (bytes.empty()) // zlib starts anew at a null pointer
    return before;
  return static_cast<uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

// Lends the stream the beginning of the bytes.
static void lend(z_stream_s &stream, std::span<const std::byte> bytes) {
  stream.next_in = reinterpret_cast<const Bytef *>(bytes.data());
  stream.avail_in = static_cast<uInt>(std::min(bytes.size(), mostAtOnce));
}

static Error zlibError(const char *doing, const z_stream_s &stream, int code) {
  if (code == Z_MEM_ERROR || code == Z_STREAM_ERROR) // the latter: it had none to begin with
    return internalError("", "no memory for zlib");
  return invalidInput("", std::string(doing) + (stream.msg ? std::string(": ") + stream.msg : ""));
}

void Inflater::Close::operator()(z_stream_s *stream) const {
  ::inflateEnd(stream);
  delete stream;
}

Inflater::Inflater(std::span<const std::byte> packed)
    : stream(new z_stream_s{}), packed(packed), rest(packed) {
  // The one possible failure, no memory, shows in the first read().
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
    if (code == Z_BUF_ERROR) // there is room for more, so there is nothing left to read
      return invalidInput("", "deflated data are truncated");
    if (code != Z_OK && code != Z_STREAM_END)
      return zlibError("deflated data are damaged", *stream, code);
  }
  return filled;
}

Result<bool> Inflater::atEnd() {
  // The last block's end may still be ahead: look for it with room for one byte, which must not come.
  std::byte surplus;
  TRY(size_t more, read({&surplus, 1}));
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
    CHECK_OK(sink(std::span(buffer).first(buffer.size() - stream->avail_out)));
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
