// The activations of an 8-bit product as oneDNN wants them: dense unsigned bytes, and nothing outside of
// them.
//
// Signed bytes become unsigned by adding 128, to them and to the zero point. Where taps of a convolution fall
// into the padding, the image has pixels of zero points, whose products the zero point's share takes away
// again. Pixels that no tap reads are left out. Channels may be parted, so that no part's sum grows too
// large: then there is an image for each part, one after the other.
#pragma once

#include "emulator/Execute/Prepare.h"

namespace tilerig::pod {

struct EightBitImage {
  View input; // any two of batch, rows, columns, channels
  // Pixels of all images, and where the first of them lies in the input: `top` rows above it, `left` columns
  // before it. From pixel to pixel the input advances by a step.
  uint32_t height = 1, width = 1;
  uint32_t top = 0, left = 0, stepH = 1, stepW = 1;
  uint32_t parts = 1, partChannels = 1;
  uint8_t zeroPoint = 0; // as the bytes have it

  uint32_t images() const { return input.size(0) * input.size(1); }
  // What fillRow() takes one of.
  uint32_t rows() const { return images() * height; }
  size_t partBytes() const { return size_t{rows()} * width * partChannels; }
  size_t bytes() const { return parts * partBytes(); }
  OperandLayout layout() const;

  // In all parts.
  void fillRow(uint8_t *image, uint32_t row) const;

private:
  void fillPart(uint8_t *to, const std::byte *inputRow, uint32_t channels) const;
  void copyChannels(uint8_t *to, const std::byte *from, uint32_t count) const;
};

} // namespace tilerig::pod
