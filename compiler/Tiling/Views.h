// Tensors that lie inside others: an operand of a concat in its result, a slice in what it is cut from, a
// reshaped tensor in what it was before. Their elements are made where they belong, and nobody copies them.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"

namespace tilerig {

struct TensorView {
  // Neighbouring axes that hold the same elements in the same order; or one of each, where index 0 of the
  // tensor's is index `begin` of the other.
  struct Group {
    std::vector<size_t> own, outer;
    int64_t begin = 0;

    bool isOneAxis() const { return own.size() == 1 && outer.size() == 1; }
  };
  TensorIndex of = 0;
  std::vector<Group> groups;
};

using TensorViews = std::vector<std::optional<TensorView>>; // by tensor

// Of every tensor, in what it could lie: never in itself, however many are between.
TensorViews possibleViews(const DeviceNetwork &network);

// Whether such a view spares the work that operand: it is where the result has it.
bool isInPlace(const Work &work, size_t operand, const TensorViews &views);
// Whether one spares it any of them.
bool isInPlaceInPart(const Work &work, const TensorViews &views);
// What of a part of its result the work makes itself.
std::vector<Box> partsMade(const Work &work, const Box &part, const DeviceNetwork &network,
                           const TensorViews &views);

// The least part of `of` that has a part of the tensor.
Box boxInWhole(const TensorView &view, const Box &part, std::span<const int64_t> shape,
               std::span<const int64_t> wholeShape);
// A part of `of` as indices of the tensor, which may reach beyond its shape. Empty if it is no box of the
// tensor whose elements follow each other as those of the part do.
Box boxInView(const TensorView &view, const Box &part, std::span<const int64_t> shape,
              std::span<const int64_t> wholeShape);

} // namespace tilerig
