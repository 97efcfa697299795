// Generator of the instruction reference page: text from Prose.h, everything else from the instruction
// tables.

#include "isa/Tools/IsaPage/Page.h"

#include "isa/Assembly/Grammar.h"
#include "isa/Instructions/CheckFinish.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/FieldText.h"
#include "isa/Tools/IsaPage/Prose.h"
#include "isa/Tools/IsaPage/Walk.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilerig {
namespace {

using page::textOf;
using page::titleOf;

// A link such as "[Element type](#element-type)", with the anchor that Markdown viewers create for a heading.
std::string linkTo(std::string_view title) {
  std::string anchor;
  for (char c : title)
    anchor += c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return fmt::format("[{}](#{})", title, anchor);
}

std::string bitRange(unsigned first, unsigned count) {
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}–{}", first, first + count - 1);
}

std::string_view trimmed(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

// Whether T is an instruction and not a group of fields, which has no opcode.
template <class T>
concept HasOpcode = requires {
  T::opcode;
};

// Text of the reference page that lists the reserved bits of T: those that no entry of T::fields() covers.
template <class T>
std::string reservedBits() {
  std::vector<bool> used(T::bits);
  if constexpr (HasOpcode<T>)
    std::fill_n(used.begin(), 8, true);
  forEachStatement<T>([&]<class Member>(const auto &statement) {
    std::fill_n(used.begin() + statement.bit, bitsOf<Member>(statement), true);
  });
  std::string text;
  for (unsigned bit = 0; bit < T::bits;) {
    const auto end =
        static_cast<unsigned>(std::find(used.begin() + bit, used.end(), !used[bit]) - used.begin());
    if (!used[bit])
      text += (text.empty() ? "" : ", ") + bitRange(bit, end - bit);
    bit = end;
  }
  return text.empty() ? "No bits are reserved.\n" : "Reserved: bits " + text + ".\n";
}

// Kind and range of an instruction's field, as two cells of a table in the reference page.
template <class Member, class Statement>
std::string kindCells(const Statement &statement) {
  if constexpr (requires { statement.pitch; }) {
    return fmt::format("{} × {} | {} bits apart", countOf(statement), linkTo(textOf(Member()).name),
                       statement.pitch);
  } else if constexpr (requires { Member::fields(); }) {
    return linkTo(textOf(Member()).name) + " | ";
  } else if constexpr (NamedEnum<Member>) {
    const bool whole =
        statement.low == 0 && statement.high + 1 == static_cast<int64_t>(EnumNames<Member>::values.size());
    return linkTo(titleOf(Member())) + " | " + (whole ? "" : rangeText(statement));
  } else if constexpr (std::is_same_v<Member, float>) {
    return "fp32 | ";
  } else if constexpr (std::is_same_v<Member, bool>) {
    return "flag | 0, 1";
  } else {
    return fmt::format("{} | {}", std::signed_integral<Member> ? "signed" : "unsigned", rangeText(statement));
  }
}

template <class T>
std::string fieldTable() {
  std::string text = "| bits | field | kind | values | meaning |\n|---|---|---|---|---|\n";
  if constexpr (HasOpcode<T>)
    text += fmt::format("| 0–7 | | unsigned | {:#04x} | opcode |\n", static_cast<unsigned>(T::opcode));
  forEachStatement<T>([&]<class Member>(const auto &statement) {
    text += fmt::format("| {} | `{}` | {} | {} |\n", bitRange(statement.bit, bitsOf<Member>(statement)),
                        statement.name, kindCells<Member>(statement), statement.meaning);
  });
  return text + "\n" + reservedBits<T>() + "\n";
}

// --- sections of the page about operands, enumerations and arithmetic ---

std::string groupSections() {
  std::string text;
  forEachFieldType([&]<class T>() {
    if constexpr (requires { T::fields(); })
      text += fmt::format("### {}\n\n{} bits.\n\n{}{}\n", textOf(T()).name, T::bits, fieldTable<T>(),
                          textOf(T()).prose);
  });
  return text;
}

template <class Enum>
std::string enumTable() {
  std::string text = "| number | name |\n|---|---|\n";
  for (size_t i = 0; i < EnumNames<Enum>::values.size(); ++i)
    text += fmt::format("| {} | `{}` |\n", i, EnumNames<Enum>::values[i]);
  return text + "\n";
}
template <>
std::string enumTable<ElementType>() {
  std::string text = "| number | name | bytes |\n|---|---|---|\n";
  for (size_t i = 0; i < EnumNames<ElementType>::values.size(); ++i)
    text += fmt::format("| {} | `{}` | {} |\n", i, EnumNames<ElementType>::values[i],
                        sizeBytes(static_cast<ElementType>(i)));
  return text + "\n" + std::string(page::elementTypes) + "\n";
}
template <>
std::string enumTable<UnaryFunction>() {
  std::string text = "| number | name | parameters | on i32 |\n|---|---|---|---|\n";
  for (size_t i = 0; i < EnumNames<UnaryFunction>::values.size(); ++i) {
    const auto function = static_cast<UnaryFunction>(i);
    constexpr std::string_view parameters[] = {"", "alpha", "alpha, beta"};
    text += fmt::format("| {} | `{}` | {} | {} |\n", i, EnumNames<UnaryFunction>::values[i],
                        parameters[numParameters(function)], rules::isIntegerFunction(function) ? "yes" : "");
  }
  return text + "\nThe formulas stand in the [numerics](Numerics/README.md#functions).\n\n";
}

std::string enumSections() {
  std::string text = "## Enumerations\n\n";
  forEachFieldType([&]<class T>() {
    if constexpr (NamedEnum<T>)
      text += fmt::format("### {}\n\n{}", titleOf(T()), enumTable<T>());
  });
  return text;
}

std::string arithmeticSection() {
  using rules::Arithmetic;
  std::string text =
      std::string(page::arithmetic) + "\nKinds of arithmetic, as the tables of types name them:\n\n";
  text += "| arithmetic | what is computed |\n|---|---|\n";
  for (size_t i = 0; i < EnumNames<Arithmetic>::values.size(); ++i)
    text += fmt::format("| {} | {} |\n", EnumNames<Arithmetic>::values[i],
                        rules::meaningOf(static_cast<Arithmetic>(i)));
  return text + "\n";
}

// --- Instructions ---

template <class T>
std::string engineText() {
  if constexpr (std::is_same_v<T, Multicast>)
    return "`dma_in`, or `dma_out` where the source is the tile's own OCM";
  else if constexpr (std::is_member_object_pointer_v<decltype(&T::engine)>)
    return "its field `engine`";
  else
    return fmt::format("`{}`", valueText(T::engine));
}

std::string sizesText(const rules::Extents &sizes) {
  std::string text;
  for (rules::Extent extent : sizes)
    text += (text.empty() ? "" : " ") + valueText(extent);
  return text;
}

template <class T>
std::string operandTable(std::span<const rules::Operand<T>> operands) {
  if (operands.empty())
    return {};
  std::string text =
      "Streams:\n\n| stream | | space | sizes | scale and zero point |\n|---|---|---|---|---|\n";
  for (const rules::Operand<T> &operand : operands) {
    std::string affine = operand.affine ? fmt::format("`{}`", operand.affineName) : "";
    if constexpr (requires(T instruction) { instruction.finish; })
      affine = operand.isWritten() ? "`finish.output`" : affine;
    text += fmt::format("| `{}` | {}{} | {} | {} | {} |\n", operand.name,
                        operand.isWritten() ? "written" : "read", operand.optional ? ", optional" : "",
                        rules::spacesText(operand.spaces), sizesText(operand.sizes), affine);
  }
  return text + "\n";
}

template <class T>
std::string typeTable(const rules::TypeTable<T> &table, std::span<const rules::Operand<T>> operands) {
  std::string text = table.when.empty() ? "Types:\n\n" : fmt::format("Types where {}:\n\n", table.when);
  std::string rule = "|";
  text += "|";
  for (const auto &operand : operands) {
    text += fmt::format(" `{}` |", operand.name);
    rule += "---|";
  }
  text += " arithmetic |\n" + rule + "---|\n";
  for (const rules::TypeRow &row : table.rows) {
    text += "|";
    for (size_t i = 0; i < operands.size(); ++i)
      text += fmt::format(" {} |", row.types[i].empty() ? "absent" : rules::typeSetText(row.types[i]));
    text += fmt::format(" {} |\n", valueText(row.arithmetic));
  }
  return text + "\n";
}

template <class T>
std::string instructionSection() {
  const rules::RuleBook<T> &book = rules::rulesOf<T>();
  std::string text =
      fmt::format("### `{}`\n\nOpcode {:#04x}, {} word{} ({} bytes). Engine: {}.\n\n{}\n\n", T::mnemonic,
                  static_cast<unsigned>(T::opcode), numWords<T>, numWords<T> == 1 ? "" : "s", T::bits / 8,
                  engineText<T>(), trimmed(T::meaning));
  text += fieldTable<T>() + operandTable<T>(book.operands);
  for (const rules::TypeTable<T> &table : book.types)
    text += typeTable<T>(table, book.operands);
  if (!book.rules.empty())
    text += "Rules:\n\n";
  for (const rules::Rule<T> &rule : book.rules)
    text += fmt::format("- {}\n", rule.text);
  return text + (book.rules.empty() ? "" : "\n");
}

std::string instructionSections() {
  std::string text =
      std::string(page::instructions) + "\n| instruction | opcode | words | engine |\n|---|---|---|---|\n";
  forEachInstructionType([&]<class T>() {
    text += fmt::format("| {} | {:#04x} | {} | {} |\n", linkTo(T::mnemonic), static_cast<unsigned>(T::opcode),
                        numWords<T>, engineText<T>());
  });
  text += "\n";
  forEachInstructionType([&]<class T>() { text += instructionSection<T>(); });
  return text;
}

std::string contents() {
  std::string text;
  for (std::string_view title : {"Conventions", "How a program runs", "Operands", "Enumerations",
                                 "Arithmetic", "Instructions", "Assembly text"})
    text += fmt::format("- {}\n", linkTo(title));
  return text;
}

} // namespace

std::string isaPage() {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n", page::title, contents(), page::conventions,
                                 page::execution, page::operands);
  text += groupSections() + enumSections() + arithmeticSection() + instructionSections();
  text += fmt::format("{}{}", page::assembly, trasmGrammar);
  return text;
}

} // namespace tilerig
