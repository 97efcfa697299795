// Where an element lies in its tensor: its channel, and how far it is from the border and from the nearest
// seam.
//
// Axes are those of ONNX: the second is channels, those from the third on are the image. With one or two axes
// the last one serves as both.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Evidence/Channels.h"

#include <optional>

namespace tilerig::verify {

class Place {
public:
  struct Of {
    size_t channel = 0;
    size_t border = 0;          // 0 at the border
    std::optional<size_t> seam; // 0 beside a seam
    size_t row = 0, column = 0; // in the image: its last axis, and those before it together
  };

  // `elements` are twice those of the shape where numbers are complex.
  Place(Shape shape, uint64_t elements, const Seams &seams);
  Of of(size_t index) const;
  size_t height() const;
  size_t width() const { return imageEnd > imageAxis ? dims[imageEnd - 1] : 1; }
  size_t channels() const { return channelAxis < dims.size() ? dims[channelAxis] : 1; }

private:
  std::vector<size_t> dims;
  size_t channelAxis = 0, imageAxis = 0; // the image goes from imageAxis to imageEnd
  size_t imageEnd = 0;
  std::vector<std::vector<size_t>> seamDistance; // by axis and index; empty where the axis has no seam
};

} // namespace tilerig::verify
