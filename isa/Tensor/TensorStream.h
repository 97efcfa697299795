// A tensor that is gone through front to back, as often as wanted, and need not fit into memory: one of an
// archive, or one that is there.
//
//   TRY(const TensorStream stream, archive.stream("x"));
//   TensorReader reader(stream);
//   TRY(const auto bytes, reader.next(1 << 20, room));     // where they lie, or unpacked into room
//   ...
//   stream.release(bytes);                                 // nobody looks at them any more
#pragma once

#include "isa/Tensor/EntryReader.h"
#include "isa/Tensor/Tensor.h"

#include <optional>

namespace tilerig {

class TensorStream {
public:
  // What is in memory is a stream as well.
  TensorStream(Tensor tensor); // NOLINT(google-explicit-constructor): wherever a stream is taken, a tensor is

  DType dtype() const { return type; }
  const Shape &shape() const { return dims; }
  size_t sizeBytes() const { return byteCount; }
  size_t elementCount() const { return byteCount / tilerig::sizeBytes(type); }

  // The same bits as another type of the same size.
  Result<TensorStream> reinterpreted(DType type) const;
  // All of it in memory.
  Result<Tensor> whole() const;
  // Gives back the memory of bytes that a reader gave out; they may be read again.
  void release(std::span<const std::byte> bytes) const;

private:
  friend class NpzReader;
  friend class TensorReader;

  // Stored in a file as it is.
  struct Placed {
    std::span<const std::byte> bytes;
  };
  // Deflated, behind a header of so many bytes.
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
  std::shared_ptr<const void> owner; // of the bytes in the archive
  std::span<const std::byte> mapped; // all of it, where it is a file
};

// One way through a stream, which has to outlive it.
class TensorReader {
public:
  explicit TensorReader(const TensorStream &stream) : stream(stream) {}

  // The next bytes, as many or what is left: where they lie, aligned or not, for as long as the stream lives;
  // or in `room`.
  Result<std::span<const std::byte>> next(size_t bytes, std::vector<std::byte> &room);

private:
  Status unpack(const TensorStream::Packed &packed, std::span<std::byte> to);

  const TensorStream &stream;
  size_t position = 0, released = 0; // of the tensor; of the packed bytes
  std::optional<EntryReader> unpacker;
};

} // namespace tilerig
