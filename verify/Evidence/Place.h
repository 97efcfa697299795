// Where an element lies in its tensor: its channel, and how far it is from the border and from the nearest
// seam.
//
// Axes are those of ONNX: the second is channels, those from the third on are the image. With one or two axes
// the last one serves as both.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Evidence/Circumstances.h"

#include <optional>
#include <span>

namespace tilerig::verify {

class Place {
public:
  struct Of {
    size_t channel = 0;
    size_t border = 0;          // 0 at the border
    std::optional<size_t> seam; // 0 beside a seam
    size_t row = 0, column = 0; // in the image: its last axis, and those before it together
  };
  // One of the tensor's axes, in elements; of size 1 where there is none of the kind.
  struct Axis {
    size_t size = 1, stride = 1;
  };

  // `elements` are twice those of the shape where numbers are complex.
  Place(Shape shape, uint64_t elements, const Seams &seams);
  Of of(size_t index) const;
  size_t height() const;
  size_t width() const { return widthAxis().size; }
  size_t channels() const { return channelAxis().size; }
  size_t batch() const { return channel > 0 ? dims[0] : 1; }
  Axis channelAxis() const { return axis(channel); }
  Axis widthAxis() const { return imageEnd > image ? axis(imageEnd - 1) : Axis(); }
  // The one before the width.
  Axis heightAxis() const { return imageEnd > image + 1 ? axis(imageEnd - 2) : Axis(); }

private:
  friend class PlaceWalk;
  Axis axis(size_t which) const;
  Of at(std::span<const size_t> counters) const;

  std::vector<size_t> dims;
  size_t channel = 0, image = 0;                 // axes: the image goes from here ...
  size_t imageEnd = 0;                           // ... to here
  std::vector<std::vector<size_t>> seamDistance; // by axis and index; empty where the axis has no seam
};

// The places of one element after the other, without a division.
class PlaceWalk {
public:
  // The place has to outlive it.
  explicit PlaceWalk(const Place &place, size_t begin = 0);
  Place::Of next();

private:
  const Place &place;
  std::vector<size_t> counters; // by axis
};

} // namespace tilerig::verify
