#include "emulator/Beats/Slices.h"

#include <algorithm>

namespace tilerig::emulator {

Slices::Slices(const std::array<Dimension, 5> &dims, unsigned elementBytes, uint64_t mostBytes)
    : dims(dims), cut(4), outer(1) {
  uint64_t inner = elementBytes;
  for (; cut > 0 && inner * dims[cut].size <= mostBytes; --cut)
    inner *= dims[cut].size;
  together = static_cast<uint32_t>(std::clamp<uint64_t>(mostBytes / inner, 1, dims[cut].size));
  perOuter = (dims[cut].size + together - 1) / together;
  for (unsigned d = 0; d < cut; ++d)
    outer *= dims[d].size;
}

Slice Slices::operator[](uint64_t index) const {
  Slice slice;
  slice.first[cut] = static_cast<uint32_t>(index % perOuter) * together;
  slice.count[cut] = std::min(together, dims[cut].size - slice.first[cut]);
  index /= perOuter;
  for (unsigned d = cut; d-- > 0; index /= dims[d].size) {
    slice.first[d] = static_cast<uint32_t>(index % dims[d].size);
    slice.count[d] = 1;
  }
  for (unsigned d = cut + 1; d < 5; ++d)
    slice.count[d] = dims[d].size;
  return slice;
}

Stream sliced(Stream stream, const Slice &slice) {
  for (unsigned d = 0; d < 5; ++d) {
    stream.base += uint64_t{slice.first[d]} * stream.dims[d].stride;
    stream.dims[d] = {slice.count[d], slice.count[d] > 1 ? stream.dims[d].stride : 0};
  }
  return stream;
}

Stream dense(Stream stream) {
  uint32_t stride = sizeBytes(stream.type);
  for (unsigned d = 5; d-- > 0;) {
    stream.dims[d].stride = stream.dims[d].size > 1 ? stride : 0;
    stride *= stream.dims[d].size;
  }
  return stream;
}

uint64_t elementBytes(const Stream &stream) {
  uint64_t bytes = sizeBytes(stream.type);
  for (const Dimension &dim : stream.dims)
    bytes *= dim.size;
  return bytes;
}

} // namespace tilerig::emulator
