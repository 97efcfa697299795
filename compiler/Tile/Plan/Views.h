// Tensor views: tensors that share the buffer of another tensor, as an operand of a concat in its result, a
// slice in its source, or a reshaped tensor in its source. Their elements are computed where they belong,
// without a copy.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

struct TensorView {
  // A group of neighbouring axes that hold the same elements in the same order in both tensors. If the group
  // consists of one axis of each tensor, index 0 of the view's axis is index `begin` of the outer tensor's
  // axis.
  struct Group {
    std::vector<size_t> own, outer;
    int64_t begin = 0;

    bool isOneAxis() const { return own.size() == 1 && outer.size() == 1; }
  };
  TensorIndex of = 0;
  std::vector<Group> groups;
};

// For each tensor that lies in the buffer of another tensor (a view), how it lies there; nullopt for a tensor
// with a buffer of its own.
using TensorViews = std::vector<std::optional<TensorView>>;

// For every tensor, how it could lie in the buffer of another one (as a view). There are no cycles: no tensor
// lies, directly or through others, in its own view.
TensorViews possibleViews(const DeviceNetwork &network);

// Whether the operation need not copy its operand number `operand`, because the operand is a view: it lies in
// the buffer of the result, and its elements are already where the result has them.
bool isInPlace(const DeviceOp &deviceOp, size_t operand, const TensorViews &views);
// Whether the operation has an operand that it need not copy (isInPlace()).
bool isInPlaceInPart(const DeviceOp &deviceOp, const TensorViews &views);
// The boxes of the result's part `part` that the operation has to write. All other elements of the part lie
// in the result's buffer already, as elements of an operand.
std::vector<Box> partsMade(const DeviceOp &deviceOp, const Box &part, const DeviceNetwork &network,
                           const TensorViews &views);

// The smallest box of the outer tensor that contains `part` of a tensor that lies in its buffer (a view).
Box boxInWhole(const TensorView &view, const Box &part, std::span<const int64_t> shape,
               std::span<const int64_t> wholeShape);
// Converts the box `part` of the outer tensor to indices of the view that lies in it; the box may reach
// beyond the view's shape. Empty if those elements do not form a box of the view in the same order.
Box boxInView(const TensorView &view, const Box &part, std::span<const int64_t> shape,
              std::span<const int64_t> wholeShape);

} // namespace tilerig::compiler
