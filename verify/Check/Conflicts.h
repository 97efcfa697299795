// What the analyser says of a program, as evidence has it: which kinds of problems there are, and what those
// are like that lie between two instructions.
#pragma once

#include "isa/Analyser/Analyser.h"
#include "verify/Evidence/Circumstances.h"

namespace tilerig::verify {

Order orderOf(const Program &program, const Analysis &analysis);

} // namespace tilerig::verify
