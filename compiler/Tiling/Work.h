// A network as the back half sees it: tensors as the device stores them, and works, which are layers without
// their places.
//
// A work is an instruction of which everything is known but streams and vectors, and the operands that these
// will be read from. How an element of the result depends on elements of the operands is said axis by axis,
// so that whoever splits a work need not know what it computes. Nothing here sees MLIR.
#pragma once

#include "compiler/Tiling/Box.h"
#include "isa/Instructions/Instruction.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilerig {

using TensorIndex = uint32_t;

struct DeviceTensor {
  std::string name; // the model's; empty where the model has no such tensor
  std::vector<int64_t> shape;
  ElementType type = ElementType::fp32;
  Affine affine; // of a quantised type

  // Of a constant: its elements, without gaps.
  std::shared_ptr<const std::vector<std::byte>> bytes;

  // How the model knows it: its type, and which axis of the model each axis here is.
  std::string modelType;
  std::vector<int64_t> modelAxes;
  int64_t modelRank = 0;
  uint32_t layer = 0; // that makes it

  bool constant() const { return bytes != nullptr; }
  uint64_t sizeInBytes() const { return Box::whole(shape).elements() * sizeBytes(type); }
};

// Bytes of a part of a tensor, where no run of neighbouring bytes counts less than that many.
uint64_t bytesInRuns(const DeviceTensor &tensor, const Box &part, uint64_t least);

// Which indices of an operand's axis the results of a range need:
//
//   (index / grain * numerator + offset) / denominator + low ... + high
//
// with divisions that round down, cut to the axis (or drawn to it, where indices outside stand for the
// nearest inside). An axis that follows no axis of the result is needed whole, or, where the result is a sum
// over it, as much of it as is added up.
struct AxisMap {
  static constexpr int whole = -1;
  int from = whole; // axis of the result
  int64_t grain = 1, numerator = 1, denominator = 1, offset = 0, low = 0, high = 0;
  bool isDrawn = false, isSummed = false;

  static AxisMap along(int axis) { return {.from = axis}; }
  static AxisMap summed() { return {.isSummed = true}; }
  // Index `start` of the operand is index 0 of the result, and each step of the result so many of the
  // operand.
  static AxisMap strided(int axis, int64_t start, int64_t step) {
    return {.from = axis, .numerator = step, .offset = start};
  }
  bool operator==(const AxisMap &) const = default;
};
// `depth`: of what is summed over; empty: all of it.
Range neededRange(const AxisMap &map, Range result, int64_t size, Range depth = {});

struct Operand {
  TensorIndex tensor = 0;
  std::vector<AxisMap> axes;
};
Box neededBox(const Operand &operand, const DeviceTensor &tensor, const Box &result, Range depth = {});

// Neighbouring axes of two shapes that hold the same elements in the same order, as few at a time as can be.
struct ReshapeGroup {
  std::vector<size_t> in, out;
};
std::vector<ReshapeGroup> groupsOfReshape(std::span<const int64_t> in, std::span<const int64_t> out);

// How a reshape can be cut: along the first axis of each group that is longer than one, for rows of the group
// are then neighbours on both sides. What a part needs is whole rows, perhaps with elements of others at
// their ends.
struct ReshapeAxes {
  std::vector<AxisMap> maps;   // of the operand's axes
  std::vector<bool> divisible; // axes of the result
};
ReshapeAxes axesOfReshape(std::span<const int64_t> in, std::span<const int64_t> out);

struct Work;
// How many products each element of the result is a sum of, if that can be cut; else 0.
int64_t depthOf(const Work &work, const std::vector<DeviceTensor> &tensors);
// In which type accumulators are kept between parts of a sum.
ElementType sumTypeOf(const Work &work, const std::vector<DeviceTensor> &tensors);
// Whether its instruction can give nine bits in place of eight.
bool canGiveNineBits(const Work &work, const std::vector<DeviceTensor> &tensors);
// Whether it is a convolution that is a product of matrices once its windows are rows: padding has to be a
// number that adds nothing, which floats do not have (with infinite weights, or below zero).
bool canFlatten(const Work &work, const std::vector<DeviceTensor> &tensors);
// Whether an instruction can compute that part on its own: not if all its windows see nothing but padding.
bool isComputable(const Work &work, const std::vector<DeviceTensor> &tensors, const Box &result);

// Numbers for each output of a product, or a table, which lie in a row: what an epilogue reads besides
// streams.
struct WorkVector {
  uint32_t elementBytes = 4;
  bool perOutput = false; // one for each index of the result's last axis; else all of it is needed
  std::vector<std::byte> bytes;

  bool present() const { return !bytes.empty(); }
};

enum class WorkKind : uint8_t {
  pointwise, // Binary, Select, Activate, Lookup, Copy
  conv,
  matmul,
  pool,
  resize,
  reduce,
  softmax,
  normalize,
  gather,
  reshape, // Copy between groups of axes
  concat,  // Copy of each operand to its place
  pad,     // Fill, then Copy
  dilate,  // Fill, then Copy to every few rows and columns
};

struct Work {
  WorkKind kind = WorkKind::pointwise;
  Instruction action = Copy{};
  std::vector<Operand> operands; // in the order of the action's streams
  TensorIndex result = 0;
  WorkVector bias, scale, table;

  // Axes of the result that may be cut, and of what sizes: cuts fall on whole groups or stay inside one.
  std::vector<bool> divisible;
  std::vector<int64_t> groupSize;

  // What geometry the kinds need besides: axes of a reduction, a softmax or a normalisation; begin of each
  // operand of a concat; pads in front; steps of a dilation; the operand that is an addend.
  std::vector<int64_t> axes;
  std::vector<int64_t> offsets;
  std::optional<size_t> addend;
  std::optional<size_t> outputAxis; // of the result, that weights have too
  uint32_t fillBits = 0;
  std::array<int64_t, 4> pads = {}; // top, left, bottom, right, of windows

  uint32_t layer = 0;
  uint64_t macs = 0;
};

} // namespace tilerig
