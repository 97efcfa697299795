// Position of an element in its tensor: its channel, its place in the image, and its distances to the border
// and to the nearest seam between tiles.
//
// Axes are those of ONNX: the second axis is channels, those from the third on are the image. In a tensor of
// one or two axes the last axis serves as both.
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
    size_t border = 0;          // distance in elements; 0 at the border
    std::optional<size_t> seam; // distance in elements; 0 beside a seam
    size_t row = 0, column = 0; // in the image: width is its last axis, rows all others
  };
  // Size and stride in elements of one of the tensor's axes; size 1 if the tensor has no such axis.
  struct Axis {
    size_t size = 1, stride = 1;
  };

  // `elements` is twice that of the shape if numbers are complex.
  Place(Shape shape, uint64_t elements, const Seams &seams);
  Of of(size_t index) const;
  size_t height() const;
  size_t width() const { return widthAxis().size; }
  size_t channels() const { return channelAxis().size; }
  size_t batch() const { return channel > 0 ? dims[0] : 1; }
  Axis channelAxis() const { return axis(channel); }
  Axis widthAxis() const { return imageEnd > image ? axis(imageEnd - 1) : Axis(); }
  // The axis before the width.
  Axis heightAxis() const { return imageEnd > image + 1 ? axis(imageEnd - 2) : Axis(); }

private:
  friend class PlaceWalk;
  Axis axis(size_t which) const;
  Of at(std::span<const size_t> counters) const;

  std::vector<size_t> dims;
  size_t channel = 0, image = 0;                 // axes: the image begins here ...
  size_t imageEnd = 0;                           // ... and ends before this one
  std::vector<std::vector<size_t>> seamDistance; // by axis and index; empty for an axis without seams
};

// Computes the places of consecutive elements without divisions.
class PlaceWalk {
public:
  // `place` must outlive the walk.
  explicit PlaceWalk(const Place &place, size_t begin = 0);
  Place::Of next();

private:
  const Place &place;
  std::vector<size_t> counters; // by axis
};

} // namespace tilerig::verify
