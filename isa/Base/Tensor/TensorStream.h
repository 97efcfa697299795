// A tensor that is read sequentially, any number of times, and need not fit into memory: an entry of an
// archive, or a tensor in memory.
//
//   TILERIG_TRY(const TensorStream stream, archive.stream("x"));
//   TensorReader reader(stream);
//   TILERIG_TRY(const auto bytes, reader.next(1 << 20, buffer));  // view of the file, or of buffer
//   ...
//   stream.release(bytes);                                      // the bytes are no longer needed
#pragma once

#include "isa/Base/Tensor/EntryReader.h"
#include "isa/Base/Tensor/Tensor.h"

#include <optional>

namespace tilerig {

class TensorStream {
public:
  // A stream of a tensor in memory. The conversion is implicit, so that a tensor can be passed as a stream.
  TensorStream(Tensor tensor); // NOLINT(google-explicit-constructor)

  DType dtype() const { return type; }
  const Shape &shape() const { return dims; }
  size_t sizeBytes() const { return byteCount; }
  size_t elementCount() const { return byteCount / tilerig::sizeBytes(type); }

  // A stream of the same bits, read as elements of another type of the same size.
  Result<TensorStream> reinterpreted(DType type) const;
  // Loads the whole tensor into memory.
  Result<Tensor> whole() const;
  // Frees the memory of bytes returned by a reader; they may be read again.
  void release(std::span<const std::byte> bytes) const;

private:
  friend class NpzReader;
  friend class TensorReader;

  // A tensor whose bytes are stored uncompressed in a file.
  struct Placed {
    std::span<const std::byte> bytes;
  };
  // A tensor whose archive entry is deflated, with an .npy header of `headBytes` in front of the data.
  struct Packed {
    ZipEntry entry;
    size_t headBytes = 0;
    bool checksSum = true;
  };
  TensorStream() = default;

  DType type = DType::f32;
  Shape dims = {0};
  size_t byteCount = 0;
  std::variant<Tensor, Placed, Packed> content;
  std::string place;                 // for messages
  std::shared_ptr<const void> owner; // the owner of the archive's bytes, which must stay in memory
  std::span<const std::byte> mapped; // the whole archive, if it is a mapped file
};

// One sequential pass through a TensorStream. Keeps a reference to the stream.
class TensorReader {
public:
  explicit TensorReader(const TensorStream &stream) : stream(stream) {}

  // Returns the next `bytes` bytes of the tensor, or all that are left: a view of the file, with any
  // alignment and valid as long as the stream lives, or bytes that were decompressed into `buffer`.
  Result<std::span<const std::byte>> next(size_t bytes, std::vector<std::byte> &buffer);

private:
  Status unpack(const TensorStream::Packed &packed, std::span<std::byte> to);

  const TensorStream &stream;
  size_t position = 0; // number of bytes of the tensor that have been read
  size_t released = 0; // number of compressed bytes in the file whose memory pages have been released
  std::optional<EntryReader> unpacker;
};

} // namespace tilerig
