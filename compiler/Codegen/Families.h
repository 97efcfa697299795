// What a file for each family of works gives to Instructions.cpp.
#pragma once

#include "compiler/Codegen/Instructions.h"
#include "compiler/Tiling/Split.h"

namespace tilerig {

// A step that is being written.
struct StepWriting {
  const Work &work;
  const std::vector<DeviceTensor> &tensors;
  const StepPlaces &places;
  std::vector<Instruction> instructions;

  const DeviceTensor &operandTensor(size_t i) const { return tensors[work.operands[i].tensor]; }
  Box needed(size_t i) const {
    return neededBox(work.operands[i], operandTensor(i), places.result, places.depth);
  }
  template <class T>
  void add(T instruction) {
    instruction.layer = work.layer;
    instructions.push_back(instruction);
  }
};

// Of the windows that are laid out as rows.
uint64_t flattenedBytes(const Work &work, const std::vector<DeviceTensor> &tensors, const Way &way,
                        const Box &result);

// Where the numbers for each output and the table lie.
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

// Axes in an order that a family wants innermost: those of `inner` last, all others before in their order.
std::vector<size_t> axesWithInner(size_t rank, std::span<const int64_t> inner);

} // namespace tilerig
