// Decides whether a check can compare a program from a file, tensor by tensor, with the one that it compiled.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::verify {

// Refuses a program with other tensors, or with tensors in another type or quantisation: their bits would
// differ although neither program is wrong. `model` is the model's file, `path` the program's.
Status checkComparable(const Program &other, const std::string &path, const Program &compiled,
                       const std::string &model);

} // namespace tilerig::verify
