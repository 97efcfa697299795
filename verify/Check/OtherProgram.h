// A check can be given a program in a file. Decides whether its tensors can be compared with those of the
// program that the check compiles.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::verify {

// Refuses a program whose tensors differ from the model's in name, type or quantisation, because they cannot
// be compared. `model` is the model's file, `path` the program's.
Status checkComparable(const Program &other, const std::string &path, const Program &compiled,
                       const std::string &model);

} // namespace tilerig::verify
