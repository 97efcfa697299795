// Summarises the analyser's result on a program as features for the classifier: the kinds of problems, and
// properties of the conflicts (unordered accesses of two instructions to the same bytes).
#pragma once

#include "isa/Analyser/Analyser.h"
#include "verify/Evidence/Circumstances.h"

namespace tilerig::verify {

Order orderOf(const Program &program, const Analysis &analysis);

} // namespace tilerig::verify
