// The value of one elementary field: its bits in an instruction, and whether it is within the range that the
// field states. Codec and assembler share this, so that both refuse the same values.
#pragma once

#include "isa/Instructions/Field.h"

#include <bit>

namespace tilerig {

constexpr uint64_t lowBits(unsigned width) { return width < 64 ? (uint64_t{1} << width) - 1 : ~uint64_t{0}; }

// The value as bits, not yet cut to the width of a field: a negative one fills all 64.
template <class Member>
constexpr uint64_t toBits(Member value) {
  if constexpr (std::is_same_v<Member, float>)
    return std::bit_cast<uint32_t>(value);
  else
    return static_cast<uint64_t>(value);
}

// The value that `width` bits stand for. A field holds at most as many bits as its member.
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

// Floats have no range: their 32 bits are all legal here, and what an instruction makes of them is its own
// rule.
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
