#include "compiler/Tile/Plan/Views.h"

namespace tilerig::compiler {

namespace {

bool isCopyOf(const DeviceOp &deviceOp) { return std::holds_alternative<Copy>(deviceOp.action); }

class ViewFinder {
public:
  explicit ViewFinder(const DeviceNetwork &network)
      : network(network), isMade(network.tensors.size()), views(network.tensors.size()) {}

  TensorViews find() {
    for (const NetworkStep &step : network.steps)
      if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step)) {
        isMade[deviceOp->result] = true;
        if (deviceOp->kind == DeviceOpKind::concat)
          findParts(*deviceOp);
        else if (isCopyOf(*deviceOp) &&
                 (deviceOp->kind == DeviceOpKind::pointwise || deviceOp->kind == DeviceOpKind::reshape))
          findOrigin(*deviceOp);
      }
    return std::move(views);
  }

private:
  bool canHold(TensorIndex whole, TensorIndex part) const {
    const DeviceTensor &a = network.tensors[whole], &b = network.tensors[part];
    return isMade[whole] && isMade[part] && a.type == b.type && !a.shape.empty() && !b.shape.empty();
  }

  void findParts(const DeviceOp &deviceOp) {
    for (size_t i = 0; i < deviceOp.operands.size(); ++i) {
      const TensorIndex part = deviceOp.operands[i].tensor;
      if (views[part] || !canHold(deviceOp.result, part))
        continue;
      TensorView view{.of = deviceOp.result, .groups = {}};
      for (size_t axis = 0; axis < deviceOp.operands[i].axes.size(); ++axis)
        view.groups.push_back(
            {.own = {axis},
             .outer = {axis},
             .begin = static_cast<int64_t>(axis) == deviceOp.axes[0] ? deviceOp.offsets[i] : 0});
      views[part] = std::move(view);
    }
  }

  void findOrigin(const DeviceOp &deviceOp) {
    const Operand &from = deviceOp.operands[0];
    if (!canHold(from.tensor, deviceOp.result))
      return;
    if (deviceOp.kind == DeviceOpKind::reshape)
      views[deviceOp.result] = viewOfReshaped(deviceOp.result, from.tensor);
    else
      findSlice(deviceOp, from);
  }

  TensorView viewOfReshaped(TensorIndex tensor, TensorIndex origin) const {
    TensorView view{.of = origin, .groups = {}};
    for (const ReshapeGroup &group :
         groupsOfReshape(network.tensors[origin].shape, network.tensors[tensor].shape))
      view.groups.push_back({.own = group.out, .outer = group.in});
    return view;
  }

  // If a slice has step 1 along every axis, makes its result a view of its source: a tensor that lies in the
  // source's buffer.
  void findSlice(const DeviceOp &deviceOp, const Operand &from) {
    if (from.axes.size() != network.tensors[deviceOp.result].shape.size())
      return;
    TensorView view{.of = from.tensor, .groups = {}};
    for (size_t axis = 0; axis < from.axes.size(); ++axis) {
      const AxisMap &map = from.axes[axis];
      if (!(map == AxisMap::strided(static_cast<int>(axis), map.offset, 1)))
        return;
      view.groups.push_back({.own = {axis}, .outer = {axis}, .begin = map.offset});
    }
    views[deviceOp.result] = std::move(view);
  }

  const DeviceNetwork &network;
  std::vector<bool> isMade; // for each tensor, whether an operation that was visited so far computes it
  TensorViews views;
};

} // namespace

TensorViews possibleViews(const DeviceNetwork &network) { return ViewFinder(network).find(); }

bool isInPlace(const DeviceOp &deviceOp, size_t operand, const TensorViews &views) {
  const TensorIndex tensor = deviceOp.operands[operand].tensor;
  if (deviceOp.kind != DeviceOpKind::concat)
    return operand == 0 && views[deviceOp.result] && views[deviceOp.result]->of == tensor;
  const std::optional<TensorView> &view = views[tensor];
  return view && view->of == deviceOp.result &&
         view->groups[static_cast<size_t>(deviceOp.axes[0])].begin == deviceOp.offsets[operand];
}

bool isInPlaceInPart(const DeviceOp &deviceOp, const TensorViews &views) {
  for (size_t i = 0; i < deviceOp.operands.size(); ++i)
    if (isInPlace(deviceOp, i, views))
      return true;
  return false;
}

std::vector<Box> partsMade(const DeviceOp &deviceOp, const Box &part, const DeviceNetwork &network,
                           const TensorViews &views) {
  std::vector<Box> parts;
  if (deviceOp.kind != DeviceOpKind::concat) {
    if (!isInPlaceInPart(deviceOp, views))
      parts.push_back(part);
    return parts;
  }
  const auto axis = static_cast<size_t>(deviceOp.axes[0]);
  for (size_t i = 0; i < deviceOp.operands.size(); ++i) {
    const int64_t begin = deviceOp.offsets[i],
                  size = network.tensors[deviceOp.operands[i].tensor].shape[axis];
    Box its = part;
    its[axis] = intersection(its[axis], {begin, begin + size});
    if (!its.empty() && !isInPlace(deviceOp, i, views))
      parts.push_back(its);
  }
  return parts;
}

namespace {

// Row-major indices over the given axes: the range from the first to the last element of the part.
Range interval(std::span<const size_t> axes, const Box &part, std::span<const int64_t> shape) {
  Range all{0, 1};
  int64_t last = 0;
  for (const size_t axis : axes) {
    all.begin = all.begin * shape[axis] + part[axis].begin;
    last = last * shape[axis] + part[axis].end - 1;
  }
  all.end = last + 1;
  return all;
}

// Sets the ranges of `part` along `axes` to the smallest box that contains all elements whose flat
// (row-major) indices over `axes` are in `all`.
void spread(Range all, std::span<const size_t> axes, std::span<const int64_t> shape, Box &part) {
  int64_t behind = 1;
  for (const size_t axis : axes)
    behind *= shape[axis];
  bool isWhole = false; // whether the box covers the remaining axes entirely
  for (const size_t axis : axes) {
    behind /= shape[axis];
    const int64_t first = all.begin / behind, last = (all.end - 1) / behind;
    part[axis] = isWhole ? Range{0, shape[axis]} : Range{first, last + 1};
    isWhole |= first != last;
    all = {all.begin - first * behind, all.end - first * behind};
  }
}

bool isInside(std::span<const size_t> axes, const Box &part, std::span<const int64_t> shape) {
  return std::ranges::all_of(axes, [&](size_t axis) { return Range{0, shape[axis]}.contains(part[axis]); });
}
int64_t elementsOf(std::span<const size_t> axes, const Box &part) {
  int64_t all = 1;
  for (const size_t axis : axes)
    all *= part[axis].size();
  return all;
}

} // namespace

Box boxInWhole(const TensorView &view, const Box &part, std::span<const int64_t> shape,
               std::span<const int64_t> wholeShape) {
  Box box(wholeShape.size());
  if (part.empty())
    return box;
  for (const TensorView::Group &group : view.groups)
    if (group.isOneAxis())
      box[group.outer[0]] = {part[group.own[0]].begin + group.begin, part[group.own[0]].end + group.begin};
    else
      spread(interval(group.own, part, shape), group.outer, wholeShape, box);
  return box;
}

Box boxInView(const TensorView &view, const Box &part, std::span<const int64_t> shape,
              std::span<const int64_t> wholeShape) {
  Box box(shape.size());
  if (part.empty())
    return box;
  for (const TensorView::Group &group : view.groups) {
    if (group.isOneAxis()) {
      box[group.own[0]] = {part[group.outer[0]].begin - group.begin, part[group.outer[0]].end - group.begin};
      continue;
    }
    if (!isInside(group.outer, part, wholeShape))
      return Box(shape.size());
    const Range all = interval(group.outer, part, wholeShape);
    spread(all, group.own, shape, box);
    if (elementsOf(group.outer, part) != all.size() || elementsOf(group.own, box) != all.size())
      return Box(shape.size());
  }
  return box;
}

} // namespace tilerig::compiler
