// How results are finished: which function, and which of its and the quantisation's parameters mean
// something.
#pragma once

#include "isa/Instructions/CheckTypes.h"
#include "isa/Instructions/Operands.h"
#include "isa/Support/Error.h"

namespace tilerig::rules {

// The rule as the reference page words it.
inline constexpr std::string_view finishRule =
    "`finish` states what the arithmetic and the output type use, and is zero elsewhere";

// `kept` is the scale and zero point of the input, for Arithmetic::keep.
Status checkFinish(const FieldPath &at, const Finish &finish, Arithmetic arithmetic, ElementType output,
                   const Affine &kept = {});

// Whether a function exists on i32.
bool isIntegerFunction(UnaryFunction function);

// With nine bits and a zero point of nine, a sum of that many terms fits in an i32.
inline constexpr uint64_t maxSummands = uint64_t{1} << 22;
inline constexpr std::string_view summandsRule =
    "an exact integer sum has at most 2^22 terms, so that it fits in 32 bits";
// `summands` are combined into each element of the output.
Status checkSummands(const FieldPath &field, uint64_t summands, Arithmetic arithmetic);

inline constexpr std::string_view elementBitsRule = "the bits of the element are those of a value of the "
                                                    "output type: none beyond its size, an i9 sign-extended";
// Refuses bits of an element that are not those of a value of its type.
Status checkElementBits(const FieldPath &field, uint32_t bits, ElementType type);

} // namespace tilerig::rules
