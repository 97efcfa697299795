#include "emulator/Host/Elements.h"

namespace tilerig::emulator {

Result<Shape> broadcastShape(const HostCall &call, std::initializer_list<Shape> shapes) {
  Shape shape;
  for (const Shape &own : shapes) {
    if (own.size() > shape.size())
      shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (size_t d = 0; d < own.size(); ++d) {
      int64_t &size = shape[shape.size() - own.size() + d];
      if (size != own[d] && size != 1 && own[d] != 1)
        return call.refuse(fmt::format("an operand of shape {} cannot be broadcast to shape {}",
                                       showShape(own), showShape(shape)));
      size = size == 1 ? own[d] : size;
    }
  }
  return shape;
}

} // namespace tilerig::emulator
