#include "emulator/Execute/Pod/EightBitImage.h"

#include "emulator/Execute/Pod/Kernels.h"
#include "emulator/Execute/Rows.h"

#include <algorithm>
#include <cstring>

namespace tilerig::emulator::pod {

OperandLayout EightBitImage::layout() const {
  constexpr int64_t dense = 1;
  return {top, left, height, width, stepH, stepW, partChannels, zeroPoint, dense};
}

void EightBitImage::fillRow(uint8_t *image, uint32_t row) const {
  const uint32_t n = row / height;
  const int64_t h = int64_t{row % height} * stepH - top;
  const size_t rowBytes = size_t{width} * partChannels;
  for (uint32_t part = 0; part < parts; ++part) {
    uint8_t *to = image + part * partBytes() + row * rowBytes;
    if (h < 0 || h >= input.size(2)) {
      std::memset(to, zeroPoint, rowBytes);
      continue;
    }
    const uint32_t firstChannel = part * partChannels;
    const std::byte *from = input.row({n / input.size(1), n % input.size(1), static_cast<uint32_t>(h), 0}) +
                            firstChannel * input.stride(4);
    fillPart(to, from, std::min(partChannels, input.size(4) - firstChannel));
  }
}

void EightBitImage::fillPart(uint8_t *to, const std::byte *inputRow, uint32_t channels) const {
  // The pixels [first, last) of a row of the converted image are those inside the input; the others are
  // padding.
  const uint32_t first = std::min(width, (left + stepW - 1) / stepW),
                 last = std::clamp((input.size(3) + left + stepW - 1) / stepW, first, width);
  std::memset(to, zeroPoint, size_t{first} * partChannels);
  std::memset(to + size_t{last} * partChannels, zeroPoint, size_t{width - last} * partChannels);
  to += size_t{first} * partChannels;
  const std::byte *from = inputRow + (int64_t{first} * stepW - left) * input.stride(3);
  const int64_t step = stepW * input.stride(3);
  if (step == partChannels && channels == partChannels && input.rowIsDense())
    return copyChannels(to, from, (last - first) * channels);
  for (uint32_t w = first; w < last; ++w, to += partChannels, from += step) {
    copyChannels(to, from, channels);
    // The channels that are added as padding hold zeros.
    std::memset(to + channels, 0, partChannels - channels);
  }
}

void EightBitImage::copyChannels(uint8_t *to, const std::byte *from, uint32_t count) const {
  const auto *bytes = reinterpret_cast<const uint8_t *>(from);
  if (!input.rowIsDense()) {
    moveRow(from, input.stride(4), reinterpret_cast<std::byte *>(to), 1, 1, count);
    bytes = to;
  }
  if (input.type == ElementType::i8)
    addHalfRange(bytes, to, count);
  else if (bytes != to)
    std::memcpy(to, bytes, count);
}

} // namespace tilerig::emulator::pod
