// Generator of the TableGen operation definitions for the compiler's dialect, from the instruction tables.

#include "isa/Instructions/FieldText.h"
#include "isa/Tools/IsaPage/Page.h"
#include "isa/Tools/IsaPage/Prose.h"
#include "isa/Tools/IsaPage/Walk.h"

#include <fmt/format.h>

namespace tilerig {
namespace {

// Converts "leaky_relu" and "Element type" to "LeakyRelu" and "ElementType", so that no name is a C++
// keyword.
std::string camelCase(std::string_view words) {
  std::string text;
  bool begins = true;
  for (char c : words) {
    if (c == '_' || c == ' ') {
      begins = true;
      continue;
    }
    text += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  return text;
}
// Converts "stride_h" to "strideH", the form of attribute parameters.
std::string parameterCase(std::string_view words) {
  std::string text = camelCase(words);
  text[0] = words[0];
  return text;
}

// Converts "Element type" to "element_type".
std::string mnemonicOf(std::string_view title) {
  std::string text(title);
  for (char &c : text)
    c = c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

template <class Enum>
std::string enumDefinition() {
  const std::string name = camelCase(page::titleOf(Enum()));
  std::string cases;
  for (size_t i = 0; i < EnumNames<Enum>::values.size(); ++i)
    cases += fmt::format("{}\n  I32EnumAttrCase<\"{}\", {}, \"{}\">", i ? "," : "",
                         camelCase(EnumNames<Enum>::values[i]), i, EnumNames<Enum>::values[i]);
  return fmt::format("def Isa_{0} : I32EnumAttr<\"{0}\", \"{1}\", [{2}]> {{\n"
                     "  let cppNamespace = \"::tilerig::isa\";\n"
                     "  let genSpecializedAttr = 0;\n"
                     "}}\n"
                     "def Isa_{0}Attr : EnumAttr<Isa_Dialect, Isa_{0}, \"{3}\">;\n\n",
                     name, page::titleOf(Enum()), cases, mnemonicOf(page::titleOf(Enum())));
}

// The TableGen type of a parameter of an attribute, which stands for a field of a group.
template <class Member, class Statement>
std::string parameterType(const Statement &statement) {
  if constexpr (requires { statement.pitch; })
    return fmt::format("ArrayRefParameter<\"::tilerig::isa::{}Attr\">",
                       camelCase(page::textOf(Member()).name));
  else if constexpr (requires { Member::fields(); })
    return fmt::format("\"::tilerig::isa::{}Attr\"", camelCase(page::textOf(Member()).name));
  else if constexpr (NamedEnum<Member>)
    return fmt::format("EnumParameter<Isa_{}>", camelCase(page::titleOf(Member())));
  else if constexpr (std::is_same_v<Member, float>)
    return "APFloatParameter<\"\">";
  else if constexpr (std::is_same_v<Member, bool>)
    return "\"bool\"";
  else
    return std::signed_integral<Member> ? "\"int64_t\"" : "\"uint64_t\"";
}

template <class Group>
std::string groupDefinition() {
  const std::string name = camelCase(page::textOf(Group()).name);
  std::string parameters;
  forEachStatement<Group>([&]<class Member>(const auto &statement) {
    parameters += fmt::format("{}\n    {}:${}", parameters.empty() ? "" : ",",
                              parameterType<Member>(statement), parameterCase(statement.name));
  });
  return fmt::format("def Isa_{0}Attr : AttrDef<Isa_Dialect, \"{0}\"> {{\n"
                     "  let mnemonic = \"{1}\";\n"
                     "  let parameters = (ins{2});\n"
                     "  let hasCustomAssemblyFormat = 1; // as in assembly text\n"
                     "}}\n\n",
                     name, mnemonicOf(page::textOf(Group()).name), parameters);
}

// The TableGen constraint on an attribute of an operation.
template <class Member, class Statement>
std::string attributeType(const Statement &statement) {
  if constexpr (requires { Member::fields(); })
    return fmt::format("Isa_{}Attr", camelCase(page::textOf(Member()).name));
  else if constexpr (NamedEnum<Member>)
    return fmt::format("Isa_{}Attr", camelCase(page::titleOf(Member())));
  else if constexpr (std::is_same_v<Member, float>)
    return "F32Attr";
  else if constexpr (std::is_same_v<Member, bool>)
    return "BoolAttr";
  else if (statement.width == 64)
    return "I64Attr"; // any 64-bit value of the attribute is legal
  else
    return fmt::format("ConfinedAttr<I64Attr, [IntMinValue<{}>, IntMaxValue<{}>]>", statement.low,
                       statement.high);
}

template <class T>
std::string operationDefinition() {
  std::string arguments;
  forEachStatement<T>([&]<class Member>(const auto &statement) {
    arguments += fmt::format("{}\n    {}:${}", arguments.empty() ? "" : ",", attributeType<Member>(statement),
                             statement.name);
  });
  return fmt::format("def Isa_{0}Op : Isa_Op<\"{1}\"> {{\n"
                     "  let summary = \"opcode {2:#04x}\";\n"
                     "  let description = [{{\n    {3}\n  }}];\n"
                     "  let arguments = (ins{4});\n"
                     "  let assemblyFormat = \"attr-dict\";\n"
                     "}}\n\n",
                     camelCase(T::mnemonic), T::mnemonic, static_cast<unsigned>(T::opcode), T::meaning,
                     arguments);
}

constexpr std::string_view preamble = R"(// Generated by tilerig-isa-page --tablegen: do not edit.
//
// TableGen text that defines each instruction as an operation with the instruction's fields as attributes.

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Isa_Dialect : Dialect {
  let name = "isa";
  let summary = "one operation for each instruction of the machine";
  let cppNamespace = "::tilerig::isa";
  let useDefaultAttributePrinterParser = 1;
}

class Isa_Op<string mnemonic, list<Trait> traits = []> : Op<Isa_Dialect, mnemonic, traits>;

)";

} // namespace

std::string isaTablegen() {
  std::string text(preamble);
  forEachFieldType([&]<class T>() {
    if constexpr (NamedEnum<T>)
      text += enumDefinition<T>();
    else
      text += groupDefinition<T>();
  });
  forEachInstructionType([&]<class T>() { text += operationDefinition<T>(); });
  return text;
}

} // namespace tilerig
