#include "reference/Ops/Broadcast.h"

#include <algorithm>

namespace tilerig::reference {

Result<Shape> broadcastShape(const OpContext &context, std::span<const Shape> shapes) {
  size_t rank = 0;
  for (const Shape &shape : shapes)
    rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  for (const Shape &shape : shapes)
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t &dim = result[rank - shape.size() + i];
      if (shape[i] == 1 || shape[i] == dim)
        continue;
      if (dim != 1)
        return context.invalid(
            fmt::format("shapes {} and {} cannot be broadcast", showShape(shapes.front()), showShape(shape)));
      dim = shape[i];
    }
  return result;
}

static Result<Shape> legacyShape(const OpContext &context) {
  const Shape &left = context.input(0).shape(), &right = context.input(1).shape();
  TILERIG_TRY(int64_t broadcast, context.intAttribute("broadcast", 0));
  if (!broadcast) {
    if (left != right)
      return context.invalid(fmt::format("shapes {} and {} differ", showShape(left), showShape(right)),
                             "set attribute broadcast to 1");
    return right;
  }
  auto spare = static_cast<int64_t>(left.size()) - static_cast<int64_t>(right.size());
  TILERIG_TRY(int64_t axis, context.intAttribute("axis", spare));
  axis += axis < 0 ? static_cast<int64_t>(left.size()) : 0;
  if (axis < 0 || axis > spare)
    return context.invalid(fmt::format("shape {} cannot be aligned with shape {} at axis {}",
                                       showShape(right), showShape(left), axis));
  Shape shape(static_cast<size_t>(axis), 1);
  shape.insert(shape.end(), right.begin(), right.end());
  shape.resize(left.size(), 1);
  TILERIG_TRY(Shape common, broadcastShape(context, std::array{left, shape}));
  if (common != left)
    return context.invalid(
        fmt::format("shape {} cannot be broadcast to {}", showShape(right), showShape(left)));
  return shape;
}

Status withSecondInput(OpContext &context, Tensor second, Kernel kernel) {
  OpContext changed(context.node, {context.take(0), std::move(second)}, {true, true}, context.threads,
                    context.arithmetic);
  TILERIG_CHECK_OK(kernel(changed));
  context.outputs = std::move(changed.outputs);
  return success();
}

Status withLegacyBroadcast(OpContext &context, Kernel kernel) {
  TILERIG_TRY(Shape shape, legacyShape(context));
  TILERIG_TRY(Tensor right, context.input(1).reshaped(shape));
  return withSecondInput(context, std::move(right), kernel);
}

} // namespace tilerig::reference
