// Summarises the analyser's result on a program as features for the classifier: which kinds of problems there
// are, and properties of the conflicts between two instructions.
#pragma once

#include "isa/Analyser/Analyser.h"
#include "verify/Evidence/Circumstances.h"

namespace tilerig::verify {

Order orderOf(const Program &program, const Analysis &analysis);

} // namespace tilerig::verify
