// Input of the code generator: tensors as the device stores them, and device operations (`DeviceOp`), which
// are layers without addresses.
//
// A device operation has an instruction that lacks only its streams (address generators) and vectors. For
// each axis of an operand, an `AxisMap` states how it depends on the axes of the result. So the code that
// splits an operation need not know what the operation computes. Nothing here uses MLIR.
#pragma once

#include "compiler/Tile/Ops/Box.h"
#include "compiler/Tile/Ops/ConstantBytes.h"
#include "isa/Instructions/Instruction.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::compiler {

using TensorIndex = uint32_t;

struct DeviceTensor {
  std::string name; // name of the tensor in the model; empty if the model does not have it
  std::vector<int64_t> shape;
  ElementType type = ElementType::fp32;
  // Whether only the host uses the tensor. Such a tensor is stored as bytes: `type` is u8, and `shape` has an
  // extra last axis for the bytes of an element of the model's type.
  bool isRaw = false;
  Affine affine; // scale and zero point if the tensor has a quantised type

  // If the tensor is a constant, its elements, row-major without gaps; else null.
  ConstantBytes bytes;

  // The tensor in the ONNX model: its type, its rank, and the model's axis for each axis of `shape`.
  std::string modelType;
  std::vector<int64_t> modelAxes;
  int64_t modelRank = 0;
  uint32_t layer = 0; // index of the layer that computes the tensor
  // Set if the host dequantises the tensor to make an output of the model: name and axes of that output. The
  // host reads the elements in order as a tensor of shape `shape`; `axes` has, for each axis of `shape`, the
  // number of the corresponding axis of the output.
  struct Dequantised {
    std::string name;
    std::vector<int64_t> shape, axes;
  };
  std::optional<Dequantised> dequantised = {};
  // Set if the shape of an output of the model depends on data, and this tensor has the greatest sizes that the output can
  // have: the name of the output, and that of the output with its sizes in a run.
  struct Cut {
    std::string name, sizes;
  };
  std::optional<Cut> cut = {};

  bool constant() const { return bytes != nullptr; }
  uint64_t sizeInBytes() const { return Box::whole(shape).elements() * sizeBytes(type); }
};

// Bytes of the elements of `part` of a tensor. The length of each contiguous run of bytes is rounded up to a
// multiple of `least` bytes.
uint64_t bytesInRuns(const DeviceTensor &tensor, const Box &part, uint64_t least);

// Which range of an operand's axis is needed to compute a range of the result. For index `index` of the
// result, these indices of the operand are needed:
//
//   (index / grain * numerator + offset) / denominator + low ... + high
//
// Divisions round down. Indices outside the operand's axis are left out of the range. If `isDrawn` is set,
// they are replaced by the nearest index inside, because the operation reads that one instead. An operand's
// axis that depends on no axis of the result (`from` is `whole`) is needed whole. But if the result is a sum
// over that axis (`isSummed`), only the range that is summed is needed.
struct AxisMap {
  static constexpr int whole = -1;
  int from = whole; // the axis of the result on which this axis of the operand depends, or `whole`
  int64_t grain = 1, numerator = 1, denominator = 1, offset = 0, low = 0, high = 0;
  bool isDrawn = false, isSummed = false;

  static AxisMap along(int axis) { return {.from = axis}; }
  static AxisMap summed() { return {.isSummed = true}; }
  // Index i of the result reads index `start` + i * `step` of the operand.
  static AxisMap strided(int axis, int64_t start, int64_t step) {
    return {.from = axis, .numerator = step, .offset = start};
  }
  bool operator==(const AxisMap &) const = default;
};
// The range of an operand's axis that is needed to compute the range `result` of the result's axis. `size` is
// the length of the operand's axis. If the axis is summed, `depth` is the range to sum over; empty for the
// whole axis.
Range neededRange(const AxisMap &map, Range result, int64_t size, Range depth = {});

struct Operand {
  TensorIndex tensor = 0;
  std::vector<AxisMap> axes;
};
Box neededBox(const Operand &operand, const DeviceTensor &tensor, const Box &result, Range depth = {});

// Divides the axes of two shapes into the smallest groups of neighbouring axes that hold the same elements in
// the same order in both shapes.
struct ReshapeGroup {
  std::vector<size_t> in, out;
};
std::vector<ReshapeGroup> groupsOfReshape(std::span<const int64_t> in, std::span<const int64_t> out);

// Along which axes the result of a reshape can be split: of each group of axes the first that is longer than
// 1, because its rows are contiguous in both shapes. The operand is read in whole rows, which may include
// some elements that a part of the result does not need.
struct ReshapeAxes {
  std::vector<AxisMap> maps; // for each axis of the operand, on which axis of the result it depends, and how
  std::vector<bool> divisible; // for each axis of the result, whether it may be split
};
ReshapeAxes axesOfReshape(std::span<const int64_t> in, std::span<const int64_t> out);

struct DeviceOp;
// How many products are summed for each element of the result (K of a matrix product), if that sum can be
// split; else 0.
int64_t depthOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors);
// Element type in which partial sums are stored, if the depth of a sum is split into parts.
ElementType sumTypeOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors);
// Whether the instruction can store 9-bit results (i9) instead of 8-bit ones.
bool canGiveNineBits(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors);
// Whether the operation is a convolution that can be computed as im2col and a matrix product. Then padding is
// multiplied like any other element, so it must be a number whose products add nothing to a sum. No float is
// such a number: 0 times an infinite weight is NaN, and adding +0 changes a sum of -0.
bool canFlatten(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors);
// Whether an instruction can compute this part of the result alone. It cannot if all windows of the part
// contain only padding.
bool isComputable(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors, const Box &result);

// A contiguous vector that an instruction reads besides its streams, for its epilogue (what it does with each
// sum): one bias or scale for each output of a product, or a lookup table.
struct OpVector {
  uint32_t elementBytes = 4;
  // Whether the vector has one entry for each output. If not, every part of the result needs the whole
  // vector.
  bool perOutput = false;
  std::vector<std::byte> bytes;

  bool present() const { return !bytes.empty(); }
};

enum class DeviceOpKind : uint8_t {
  pointwise, // elementwise: one of the instructions Binary, Select, Activate, Lookup, Copy
  conv,
  matmul,
  pool,
  resize,
  reduce,
  softmax,
  normalize,
  gather,
  reshape, // a Copy instruction, for which groups of axes with the same elements count as one axis
  concat,  // a Copy instruction for each operand, to the part of the result that it becomes
  pad,     // a Fill instruction with the padding value, then a Copy of the operand into the result
  dilate,  // a Fill instruction with zeros, then a Copy of the operand to every n-th row and column
};

struct DeviceOp {
  DeviceOpKind kind = DeviceOpKind::pointwise;
  Instruction action = Copy{};
  std::vector<Operand> operands; // the operands, in the order in which the instruction reads them by streams
  TensorIndex result = 0;
  OpVector bias, scale, table;

  // For each axis of the result: whether the axis may be split, and the number of indices in each of its
  // groups (1: no groups). A part consists of whole groups or lies within one.
  std::vector<bool> divisible;
  std::vector<int64_t> groupSize;

  // The axes along which a reduction, softmax, normalisation, concatenation or gather works.
  std::vector<int64_t> axes;
  // For a concat, the begin of each operand in the result; for a pad, the leading pads; for a dilation, the
  // strides; for a gather, the rank of the indices; for a normalisation, whether it has a gain and a shift.
  std::vector<int64_t> offsets;
  std::optional<size_t> addend; // index of the operand that the epilogue adds to each sum
  // The axis of the result that counts the outputs of a product (output channels).
  std::optional<size_t> outputAxis;
  uint32_t fillBits = 0;
  std::array<int64_t, 4> pads = {}; // padding of windows: top, left, bottom, right

  uint32_t layer = 0;
  uint64_t macs = 0;
};

} // namespace tilerig::compiler
