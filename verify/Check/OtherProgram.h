// Decides whether a check can compare a program from a file, tensor by tensor, with the one that it compiled.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::verify {

// Refuses a program that has other tensors than the model, or tensors of another type or quantisation,
// because they cannot be compared. `model` is the model's file, `path` the program's.
Status checkComparable(const Program &other, const std::string &path, const Program &compiled,
                       const std::string &model);

} // namespace tilerig::verify
