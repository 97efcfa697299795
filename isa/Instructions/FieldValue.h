// Conversion between a field's value and its bits, and the check of its range. The codec and the assembler
// share this, so that both refuse the same values.
#pragma once

#include "isa/Instructions/Field.h"

#include <bit>

namespace tilerig {

constexpr uint64_t lowBits(unsigned width) { return width < 64 ? (uint64_t{1} << width) - 1 : ~uint64_t{0}; }

// The value of a field as 64 bits, not yet truncated to the width of a field: a negative value is
// sign-extended.
template <class Member>
constexpr uint64_t toBits(Member value) {
  if constexpr (std::is_same_v<Member, float>)
    return std::bit_cast<uint32_t>(value);
  else
    return static_cast<uint64_t>(value);
}

// The value that the low `width` bits encode; signed values are sign-extended. `width` is at most the width
// of Member.
template <class Member>
constexpr Member fromBits(uint64_t bits, unsigned width) {
  if constexpr (std::is_same_v<Member, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else if constexpr (std::is_same_v<Member, bool>)
    return bits != 0;
  else if constexpr (std::signed_integral<Member>)
    return static_cast<Member>(static_cast<int64_t>(bits << (64 - width)) >> (64 - width));
  else
    return static_cast<Member>(bits);
}

// Whether a value is in the range of its field. For floats all 32-bit patterns are in range; instructions
// with restrictions on floats state them as rules.
template <class Owner, class Member>
constexpr bool inRange(const Field<Owner, Member> &field, Member value) {
  if constexpr (std::is_same_v<Member, float>)
    return true;
  else if constexpr (std::signed_integral<Member>)
    return field.low <= value && value <= field.high;
  else
    return toBits(value) >= static_cast<uint64_t>(field.low) &&
           (field.width == 64 || toBits(value) <= static_cast<uint64_t>(field.high));
}

} // namespace tilerig
