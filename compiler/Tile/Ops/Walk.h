// Address streams of several operands, for instructions that run through the elements of all operands in
// lockstep.
//
// A tensor may have any rank, a stream has five dimensions. Neighbouring axes that are contiguous in every
// stream are merged; if more than five remain, the outer ones are unrolled into several instructions.
#pragma once

#include "compiler/Tile/Ops/View.h"

#include <functional>
#include <vector>

namespace tilerig::compiler {

class Walk {
public:
  // Each operand gets one stream, which begins at the address of the operand's View.
  explicit Walk(std::vector<View> views) : views(std::move(views)) {}

  // Adds an axis that varies faster than those added before: its size, and for each stream the bytes from one
  // index to the next.
  void addAxis(uint64_t size, std::vector<uint64_t> strides);

  // Calls `visit` once for each instruction that is needed, with the streams of that instruction, which have
  // at most `mostAxes` axes.
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

// A dimension of a stream (address generator); its stride is 0 if its size is 1.
inline Dimension dimension(uint64_t size, uint64_t stride) {
  return {static_cast<uint32_t>(size), size > 1 ? static_cast<uint32_t>(stride) : 0};
}

// A stream (address generator) through `part` of the view, along its last five axes; all other axes must have
// size 1 in `part`.
Stream streamOf(const View &view, const Box &part);

} // namespace tilerig::compiler
