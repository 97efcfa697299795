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
            fmt::format("shapes {} and {} do not broadcast", showShape(shapes.front()), showShape(shape)));
      dim = shape[i];
    }
  return result;
}

} // namespace tilerig::reference
