// Converts the activations of an 8-bit product to the form that oneDNN needs: dense unsigned bytes without
// padding.
//
// Signed bytes become unsigned by adding 128 to them and to the zero point. Where taps of a convolution fall
// into the padding, the image is extended by pixels that hold the zero point; the zero-point correction
// cancels their products. Pixels that no tap reads are left out. If the channels are split into parts, so
// that no part's sum grows too large, there is an image for each part, one after the other.
#pragma once

#include "emulator/Execute/Prepare.h"

namespace tilerig::emulator::pod {

struct EightBitImage {
  // The images to convert: two outer dimensions that number them, then rows, columns and channels.
  View input;
  // Height and width of every converted image in pixels. Its first pixel lies `top` rows above and `left`
  // columns before the first pixel of the input; neighbouring pixels of a converted image are stepH rows and
  // stepW columns apart in the input.
  uint32_t height = 1, width = 1;
  uint32_t top = 0, left = 0, stepH = 1, stepW = 1;
  uint32_t parts = 1, partChannels = 1;
  uint8_t zeroPoint = 0; // zero point of the activations after the conversion to unsigned bytes

  uint32_t images() const { return input.size(0) * input.size(1); }
  // Number of rows of all images of the batch together; fillRow() fills one of them.
  uint32_t rows() const { return images() * height; }
  size_t partBytes() const { return size_t{rows()} * width * partChannels; }
  size_t bytes() const { return parts * partBytes(); }
  OperandLayout layout() const;

  // Converts row `row` (the rows of all images of the batch are numbered consecutively) and stores it in
  // every part of `image`.
  void fillRow(uint8_t *image, uint32_t row) const;

private:
  void fillPart(uint8_t *to, const std::byte *inputRow, uint32_t channels) const;
  void copyChannels(uint8_t *to, const std::byte *from, uint32_t count) const;
};

} // namespace tilerig::emulator::pod
