// Internal interface between the source files of verifyProgram. Errors name the place inside the program; the
// caller prepends the file or model.
#pragma once

#include "isa/Program/Program.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tilerig {

// Verifies all tensors and their pieces.
Status verifyTensors(const Program &program);

// Verifies that a layer with this index exists. In a program without layers only 0 is allowed.
Status verifyLayer(const Program &program, uint32_t layer);
// Verifies that a name is not empty and not in `taken`, and adds it to `taken`.
Status verifyName(std::unordered_set<std::string_view> &taken, std::string_view name);

// Prepends `outer` to the place of an error: "outer, inner".
inline Error inside(const std::string &outer, Error error) {
  error.place = error.place.empty() ? outer : outer + ", " + error.place;
  return error;
}
// Prepends the text that `place` returns to the place of a failed status; `place` is called only on an error.
template <std::invocable Place>
Status inside(Place &&place, Status status) {
  return status ? std::move(status) : Status(inside(std::string(place()), std::move(status).error()));
}

} // namespace tilerig
