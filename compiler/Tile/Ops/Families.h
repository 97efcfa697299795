// Functions that generate instructions, one for each kind of device operation, and helpers that they share.
// Instructions.cpp calls these functions.
#pragma once

#include "compiler/Tile/Ops/Instructions.h"
#include "compiler/Tile/Ops/Split.h"

namespace tilerig::compiler {

// A step of a device operation (the part of its result that a tile computes at a time), and the instructions
// generated for it so far.
struct StepWriting {
  const DeviceOp &deviceOp;
  const std::vector<DeviceTensor> &tensors;
  const StepPlaces &places;
  std::vector<Instruction> instructions;

  const DeviceTensor &operandTensor(size_t i) const { return tensors[deviceOp.operands[i].tensor]; }
  Box needed(size_t i) const {
    return neededBox(deviceOp.operands[i], operandTensor(i), places.result, places.depth);
  }
  template <class T>
  void add(T instruction) {
    instruction.layer = deviceOp.layer;
    instructions.push_back(instruction);
  }
};

// Bytes of scratch memory for the flattened windows (rows of the im2col matrix) of a step that computes the
// box `result`.
uint64_t flattenedBytes(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                        const EngineMapping &engineMapping, const Box &result);

// Sets, in the epilogue of a product's instruction, the addresses of the vectors with one element per output
// (bias, scale) and of the table.
void placeVectors(const StepWriting &step, Epilogue &epilogue);

void writePointwise(StepWriting &step);
void writeReshape(StepWriting &step);
void writeConcat(StepWriting &step);
void writePad(StepWriting &step);
void writeDilate(StepWriting &step);
void writeGather(StepWriting &step);
void writeConv(StepWriting &step);
void writeFlattenedConv(StepWriting &step);
void writeMatmul(StepWriting &step);
void writePool(StepWriting &step);
void writeResize(StepWriting &step);
void writeReduce(StepWriting &step);
void writeSoftmax(StepWriting &step);
void writeNormalize(StepWriting &step);

// A permutation of all `rank` axes: first the axes that are not in `inner`, in ascending order, then those in
// `inner`.
std::vector<size_t> axesWithInner(size_t rank, std::span<const int64_t> inner);

} // namespace tilerig::compiler
