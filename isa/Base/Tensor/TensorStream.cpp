#include "isa/Base/Tensor/TensorStream.h"

#include "isa/Base/Support/MappedPages.h"
#include "isa/Base/Tensor/Bools.h"

#include <fmt/core.h>

namespace tilerig {

TensorStream::TensorStream(Tensor tensor)
    : type(tensor.dtype()), dims(tensor.shape()), byteCount(tensor.sizeBytes()), content(std::move(tensor)) {}

Result<TensorStream> TensorStream::reinterpreted(DType wanted) const {
  TensorStream stream = *this;
  if (const auto *tensor = std::get_if<Tensor>(&content)) {
    TILERIG_TRY(stream.content, tensor->reinterpreted(wanted));
  } else if (tilerig::sizeBytes(wanted) != tilerig::sizeBytes(type) || wanted == DType::boolean) {
    return invalidInput(place,
                        fmt::format("the bits of {} cannot be read as {}", nameOf(type), nameOf(wanted)));
  }
  stream.type = wanted;
  return stream;
}

Result<Tensor> TensorStream::whole() const {
  if (const auto *tensor = std::get_if<Tensor>(&content))
    return *tensor;
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(type, dims));
  TensorReader reader(*this);
  std::vector<std::byte> buffer;
  constexpr size_t stretch = size_t{1} << 20;
  for (size_t done = 0; done < byteCount;) {
    TILERIG_TRY(const std::span<const std::byte> bytes, reader.next(stretch, buffer));
    std::ranges::copy(bytes, tensor.mutableBytes().begin() + static_cast<ptrdiff_t>(done));
    release(bytes);
    done += bytes.size();
  }
  return tensor;
}

void TensorStream::release(std::span<const std::byte> bytes) const {
  if (!mapped.empty() && std::holds_alternative<Placed>(content))
    releasePages(bytes, mapped);
}

Result<std::span<const std::byte>> TensorReader::next(size_t bytes, std::vector<std::byte> &buffer) {
  const size_t begin = position, count = std::min(bytes, stream.byteCount - begin);
  position += count;
  if (const auto *tensor = std::get_if<Tensor>(&stream.content))
    return tensor->bytes().subspan(begin, count);
  if (const auto *placed = std::get_if<TensorStream::Placed>(&stream.content))
    return placed->bytes.subspan(begin, count);
  buffer.resize(count);
  if (count == 0)
    return std::span<const std::byte>(buffer);
  if (auto status = unpack(std::get<TensorStream::Packed>(stream.content), buffer); !status)
    return std::move(status).error().within(stream.place);
  if (stream.type == DType::boolean)
    TILERIG_CHECK_OK(checkBoolBytes(buffer, begin, stream.place));
  return std::span<const std::byte>(buffer);
}

Status TensorReader::unpack(const TensorStream::Packed &packed, std::span<std::byte> to) {
  if (!unpacker) {
    unpacker.emplace(packed.entry, packed.checksSum);
    std::vector<std::byte> head(packed.headBytes);
    TILERIG_CHECK_OK(unpacker->read(head));
  }
  TILERIG_CHECK_OK(unpacker->read(to));
  if (!stream.mapped.empty())
    releasePages(unpacker->used().subspan(released), stream.mapped);
  released = unpacker->used().size();
  return success();
}

} // namespace tilerig
