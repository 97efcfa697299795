#include "isa/Instructions/Schema.h"

#include "isa/Base/Support/Hash.h"
#include "isa/Instructions/FieldText.h"
#include "isa/Instructions/Instruction.h"

#include <fmt/format.h>

namespace tilerig {
namespace {

// The legal values of a field as text. Unlike the texts of error messages, whose wording may change, this
// text must stay the same.
template <class Owner, class Member>
std::string valuesOf(const Field<Owner, Member> &field) {
  if constexpr (NamedEnum<Member>)
    return fmt::format("enum {}", fmt::join(EnumNames<Member>::values, ","));
  else if constexpr (std::is_same_v<Member, float>)
    return "float";
  else
    return fmt::format("{} {}..{}", std::signed_integral<Member> ? "signed" : "unsigned", field.low,
                       field.width == 64 ? ~uint64_t{0} : static_cast<uint64_t>(field.high));
}

} // namespace

std::string schemaText() {
  std::string text;
  forEachInstructionType([&]<class T>() {
    text += fmt::format("{} {:#x} {}\n", T::mnemonic, static_cast<unsigned>(T::opcode), T::bits);
    const T instruction;
    forEachField(instruction, [&](const FieldPath &path, const auto &field, const auto &, unsigned bit) {
      text += fmt::format(" {} {}+{} {}\n", fieldName(path), bit, field.width, valuesOf(field));
    });
  });
  return text;
}

uint64_t schemaHash() {
  static const uint64_t hash = hashText(schemaText());
  return hash;
}

} // namespace tilerig
