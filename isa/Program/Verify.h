// The rules that every program obeys, whatever its source. The reader accepts and the writer writes only such
// programs, so a program that was read need not be verified again.
//
//   tiles      1 .. number of tiles of the machine; every device stage has instructions for each of them
//   stages     names present and different; phases in order; each tile has one halt, at the end; every
//              instruction passes checkInstruction and names an existing layer
//   host work  a kernel's name; tensors that exist and lie in DDR (an absent optional input has an empty
//              name)
//   constants  not empty, ascending, disjoint, inside DDR
//   tensors    names present and different; valid types and shapes; pieces within the shape and within their
//              memory, aligned, elements do not overlap; inputs and outputs lie in DDR
//   layers     numbered in order; debug ranges and all other references stay inside the list they refer to; a
//              program without layers refers to layer 0
//
// Rules about several instructions together are checked by the analyser.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Refuses a program that breaks a rule; the error names the place, e.g. "stage 'main', tile 3, instruction
// 17, input.dims[2].stride". Ignores program.proof.
Status verifyProgram(const Program &program);
// Refuses a proof by another analyser version, for another machine or content, or one that lists instructions
// with possible accumulator overflow (Proof.wide) which are not instructions of the POD (matrix engine).
// `contentHash` is that of the program.
Status verifyProof(const Program &program, uint64_t contentHash);

} // namespace tilerig
