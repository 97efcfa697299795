// Position of an element in its tensor: its channel, its position in the image, and its distances to the
// border and to the nearest seam between tiles.
//
// Axes are those of ONNX: the second axis is channels, those from the third on are the image. In a tensor of
// one or two axes the last axis serves as both.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "verify/Evidence/Circumstances.h"

#include <optional>
#include <span>

namespace tilerig::verify {

class Place {
public:
  struct Of {
    size_t channel = 0;
    size_t border = 0; // distance to the border of the image in elements; 0 at the border
    // Distance in elements to the nearest seam; 0 beside a seam. A seam is the border between parts of the
    // tensor that are computed by two tiles, or by one tile in two steps. Empty if the seams are unknown.
    std::optional<size_t> seam;
    // Position in the image: its width is the tensor's last axis, its height all other axes of the image
    // together.
    size_t row = 0, column = 0;
  };
  // Size and stride, in elements, of one axis of the tensor. An axis that the tensor does not have has size
  // 1.
  struct Axis {
    size_t size = 1, stride = 1;
  };

  // `elements` is the number of elements of the tensor, where a complex number counts as two elements.
  Place(Shape shape, uint64_t elements, const Seams &seams);
  Of of(size_t index) const;
  size_t height() const;
  size_t width() const { return widthAxis().size; }
  size_t channels() const { return channelAxis().size; }
  size_t batch() const { return channel > 0 ? dims[0] : 1; }
  Axis channelAxis() const { return axis(channel); }
  Axis widthAxis() const { return imageEnd > image ? axis(imageEnd - 1) : Axis(); }
  // Index of the axis for the height of the image: the last but one, if the image has two axes or more.
  Axis heightAxis() const { return imageEnd > image + 1 ? axis(imageEnd - 2) : Axis(); }

private:
  friend class PlaceWalk;
  Axis axis(size_t which) const;
  Of at(std::span<const size_t> counters) const;

  std::vector<size_t> dims;
  // Indices of axes of the tensor: the axis of channels, and the first axis of the image.
  size_t channel = 0, image = 0;
  size_t imageEnd = 0; // index of the first axis of the tensor that follows those of the image
  // Distance of an index to the nearest seam between tiles, by axis and index; empty for an axis without
  // seams.
  std::vector<std::vector<size_t>> seamDistance;
};

// Computes the positions (Place::Of) of consecutive elements one after another, without divisions.
class PlaceWalk {
public:
  // `place`, which describes the tensor's axes and seams, must outlive the object.
  explicit PlaceWalk(const Place &place, size_t begin = 0);
  Place::Of next();

private:
  const Place &place;
  std::vector<size_t> counters; // indices of the next element along each axis of the tensor
};

} // namespace tilerig::verify
