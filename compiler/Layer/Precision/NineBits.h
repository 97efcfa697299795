// Nine bits for tensors that only the vector engine reads.
//
// The machine's i9 has twice as many values as an 8-bit type, so that for the same range its step is half as
// large. The POD (matrix engine) cannot multiply such integers, but the PE (vector engine) reads and writes
// them like 8-bit integers: sums, averages, normalisations and functions get operands with half the rounding
// error.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <mlir/IR/Block.h>

namespace tilerig::compiler {

// Stores values of 8 bits as i9 of the same range, if the instructions that compute them can round to nine
// bits and only the vector engine reads them. Changes only values for which `mayChange` returns true.
// Values that leave the device, or come from outside, keep 8 bits.
void widenToNineBits(mlir::Block &body, llvm::function_ref<bool(mlir::Value)> mayChange);

} // namespace tilerig::compiler
