// What must hold of every program, wherever it comes from. The reader accepts and the writer writes nothing
// else, so whoever holds a program that was read need not ask again.
//
//   tiles      1 .. those of the machine; every device stage has instructions for each of them
//   stages     names present and different; phases in order; of each tile one halt, at the end; every
//              instruction passes checkInstruction and names a layer that there is
//   host work  a kernel's name; tensors that there are and lie in DDR (an absent optional input has an empty
//              name)
//   constants  not empty, ascending, disjoint, inside DDR
//   tensors    names present and different; types and shapes that exist; pieces within the shape and within
//              their memory, aligned, no element upon another; inputs and outputs lie in DDR
//   layers     numbered in order; debug ranges and all other references stay inside what they refer to; a
//              program without layers refers to layer 0
//
// What depends on how instructions act together is the analyser's business.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// Refuses a program that breaks a rule; names the spot, e.g. "stage 'main', tile 3, instruction 17,
// input.dims[2].stride". Does not look at program.proof.
Status verifyProgram(const Program &program);
// Refuses a proof that is of another analyser version, machine or content than the program, or speaks of
// instructions that are not the POD's. `contentHash` is the program's.
Status verifyProof(const Program &program, uint64_t contentHash);

} // namespace tilerig
