// Checks of `Finish`, the last steps of an instruction: which functions are legal, and which parameters of
// the function and of the quantisation may be nonzero.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Instructions/CheckTypes.h"
#include "isa/Instructions/Operands.h"

namespace tilerig::rules {

// The rule about `finish`, the last steps of an instruction, as the reference page states it.
inline constexpr std::string_view finishRule =
    "fields of `finish` that the arithmetic or the output type does not use are zero";

// Checks all fields of a `finish` (the last steps of an instruction). `kept` is the scale and zero point of
// the input. With Arithmetic::keep, which leaves the integers unchanged, the output must have the same scale
// and zero point.
Status checkFinish(const FieldPath &at, const Finish &finish, Arithmetic arithmetic, ElementType output,
                   const Affine &kept = {});

// Whether a function is defined on i32 operands.
bool isIntegerFunction(UnaryFunction function);

// Maximum number of terms of an integer sum. Each term is a 9-bit value minus a 9-bit zero point, so its
// magnitude is below 2^9, and 2^22 terms fit in an i32.
inline constexpr uint64_t maxSummands = uint64_t{1} << 22;
inline constexpr std::string_view summandsRule =
    "an exact integer sum has at most 2^22 terms, so that it fits in 32 bits";
// Refuses an integer sum of too many terms, whose result might not fit in 32 bits; `summands` is the number
// of terms for each output element.
Status checkSummands(const FieldPath &field, uint64_t summands, Arithmetic arithmetic);

inline constexpr std::string_view elementBitsRule =
    "the bits of the element stand for a value of the output type: bits beyond the size of the type are 0; "
    "an i9 is sign-extended to 16 bits";
// Refuses the bit pattern of an element if it is no value of the element type.
Status checkElementBits(const FieldPath &field, uint32_t bits, ElementType type);

} // namespace tilerig::rules
