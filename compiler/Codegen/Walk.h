// Several streams that go through elements together.
//
// The axes of a tensor are as many as a model likes, those of a stream five. Neighbouring axes that every
// stream walks as one become one; what is then still too much is walked by several instructions.
#pragma once

#include "compiler/Codegen/View.h"

#include <functional>
#include <vector>

namespace tilerig {

class Walk {
public:
  // How many streams, and where each begins.
  explicit Walk(std::vector<View> views) : views(std::move(views)) {}

  // An axis inside those that are there: its size, and the bytes by which each stream steps.
  void addAxis(uint64_t size, std::vector<uint64_t> strides);

  // Once for each instruction that it takes. At most so many axes are walked by one.
  using Visit = std::function<void(const std::vector<Stream> &)>;
  void forEach(const Visit &visit, size_t mostAxes = 5) const;

private:
  struct Axis {
    uint64_t size;
    std::vector<uint64_t> strides;
  };
  std::vector<View> views;
  std::vector<Axis> axes;
};

// One index has no stride.
inline Dimension dimension(uint64_t size, uint64_t stride) {
  return {static_cast<uint32_t>(size), size > 1 ? static_cast<uint32_t>(stride) : 0};
}

// The part of the view, in the dimensions of the tensor's last five axes; the others have one index.
Stream streamOf(const View &view, const Box &part);

} // namespace tilerig
