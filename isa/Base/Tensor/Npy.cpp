#include "isa/Base/Tensor/Npy.h"

#include "isa/Base/Support/Advice.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <utility>

namespace tilerig {

// Copies an element of `bytes` bytes, reversing the byte order of its components if `reverse` is set.
template <size_t bytes>
static void copyElement(const std::byte *from, std::byte *to, size_t component, bool reverse) {
  std::memcpy(to, from, bytes);
  if (reverse)
    for (size_t begin = 0; begin < bytes; begin += component)
      std::reverse(to + begin, to + begin + component);
}

// Converts an array to native layout: visits the destination in row-major order while stepping through the
// source, which may be in Fortran order.
template <size_t bytes>
static void convert(const NpyHeader &header, const std::byte *from, std::byte *to) {
  const size_t component = componentBytes(header.dtype), rank = header.shape.size(),
               count = header.dataBytes / bytes;
  if (!header.fortranOrder || rank < 2) {
    for (size_t element = 0; element < count; ++element)
      copyElement<bytes>(from + element * bytes, to + element * bytes, component, header.bigEndian);
    return;
  }
  std::vector<size_t> steps(rank), index(rank, 0);
  for (size_t dim = 0, step = bytes; dim < rank; step *= static_cast<size_t>(header.shape[dim++]))
    steps[dim] = step;
  size_t source = 0;
  for (size_t element = 0; element < count; ++element) {
    copyElement<bytes>(from + source, to + element * bytes, component, header.bigEndian);
    for (size_t dim = rank; dim-- > 0;) {
      source += steps[dim];
      if (++index[dim] < static_cast<size_t>(header.shape[dim]))
        break;
      source -= steps[dim] * index[dim];
      index[dim] = 0;
    }
  }
}

static void convert(const NpyHeader &header, const std::byte *from, std::byte *to) {
  switch (sizeBytes(header.dtype)) {
  case 1:
    return convert<1>(header, from, to);
  case 2:
    return convert<2>(header, from, to);
  case 4:
    return convert<4>(header, from, to);
  case 8:
    return convert<8>(header, from, to);
  case 16:
    return convert<16>(header, from, to);
  }
}

static Result<Tensor> decode(const NpyHeader &header, std::span<const std::byte> data,
                             std::shared_ptr<const void> owner) {
  if (header.isNative())
    return Tensor::view(header.dtype, header.shape, data, std::move(owner));
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(header.dtype, header.shape));
  convert(header, data.data(), tensor.mutableBytes().data());
  return tensor;
}

Result<Tensor> decodeNpyData(const NpyHeader &header, std::span<const std::byte> data,
                             std::shared_ptr<const void> owner, const std::string &place) {
  if (data.size() < header.dataBytes)
    return invalidInput(
        place, fmt::format("the file is truncated: it has {} bytes of data, but {} {} needs {}", data.size(),
                           nameOf(header.dtype), showShape(header.shape), header.dataBytes));
  if (data.size() > header.dataBytes)
    return invalidInput(place, fmt::format("the file has {} surplus bytes after the data of {} {}",
                                           data.size() - header.dataBytes, nameOf(header.dtype),
                                           showShape(header.shape)));
  auto tensor = decode(header, data, std::move(owner));
  if (!tensor)
    return std::move(tensor).error().within(place);
  TILERIG_CHECK_OK(checkBools(*tensor, place));
  return tensor;
}

Result<Tensor> parseNpy(std::span<const std::byte> file, std::shared_ptr<const void> owner,
                        const std::string &place) {
  TILERIG_TRY(NpyHeader header, parseNpyHeader(file, place));
  return decodeNpyData(header, file.subspan(header.dataOffset), std::move(owner), place);
}

Result<Tensor> readNpy(const std::string &path) {
  TILERIG_TRY(MappedFile mapped, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  return advised(parseNpy(file->bytes(), file, path), "save the array again with numpy.save");
}

Status writeNpy(const std::string &path, const Tensor &tensor) {
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  TILERIG_CHECK_OK(file.write(formatNpyHeader(tensor.dtype(), tensor.shape())));
  TILERIG_CHECK_OK(file.write(tensor.bytes()));
  return file.commit();
}

} // namespace tilerig
