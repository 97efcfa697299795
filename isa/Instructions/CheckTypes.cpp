#include "isa/Instructions/CheckTypes.h"

#include "isa/Instructions/FieldText.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tilerig::rules {

std::string typeSetText(TypeSet set) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < EnumNames<ElementType>::values.size(); ++i)
    if (set.contains(static_cast<ElementType>(i)))
      names.push_back(EnumNames<ElementType>::values[i]);
  return choiceText(names);
}

std::string_view meaningOf(Arithmetic arithmetic) {
  switch (arithmetic) {
  case Arithmetic::move:
    return "elements are moved, and converted where the types differ";
  case Arithmetic::lookup:
    return "each element is replaced by an entry of the lookup table";
  case Arithmetic::real:
    return "computed in fp32, then `finish` is applied to the result";
  case Arithmetic::integer:
    return "computed in i32, exact modulo 2^32; the function of `finish` is one of identity, relu, abs, "
           "neg, sign, not, on integers";
  case Arithmetic::toInteger:
    return "computed in fp32, then the function is applied; the result is rounded by `rounding` and "
           "saturates; NaN gives 0";
  case Arithmetic::keep:
    return "quantised integers are compared or selected, but not changed: output type, scale and zero point "
           "are those of the input, and `finish` changes nothing";
  case Arithmetic::integerSum:
    return "the exact integer sum of q - zero point is multiplied by the factor; `finish` has no function";
  case Arithmetic::index:
    return "the result is the index of an element, as i32; all fields of `finish` are zero";
  case Arithmetic::podInteger:
    return "sums are accumulated in i32 and stored unchanged; the bias is i32; scale, table and function "
           "are absent";
  case Arithmetic::podQuantised:
    return "sums are accumulated in i32 and requantised; the bias is i32; the scale is required; a function "
           "is possible only as a table";
  case Arithmetic::podScaled:
    return "sums are accumulated in i32 and scaled to fp32, then the function is applied; the bias is i32; "
           "the scale is required; the table is absent";
  case Arithmetic::podFloat:
    return "sums are accumulated in fp32, then the function is applied; the bias is fp32; scale and table "
           "are absent";
  }
  return {};
}

static bool fits(const TypeRow &row, std::span<const TypedOperand> operands) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].type && !row.types[i].contains(*operands[i].type))
      return false;
  return true;
}

const TypeRow *findTypeRow(std::span<const TypeRow> rows, std::span<const TypedOperand> operands) {
  const auto row =
      std::ranges::find_if(rows, [&](const TypeRow &candidate) { return fits(candidate, operands); });
  return row == rows.end() ? nullptr : &*row;
}

Error explainTypes(std::span<const TypeRow> rows, std::span<const TypedOperand> operands) {
  std::string before;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].type)
      continue;
    TypeSet possible;
    for (const TypeRow &row : rows)
      if (fits(row, operands.first(i)))
        possible = possible | row.types[i];
    if (possible.empty())
      return invalidInput(fmt::format("{}.space", operands[i].name), "is present" + before,
                          "expected the operand to be absent");
    if (!possible.contains(*operands[i].type))
      return invalidInput(fmt::format("{}.type", operands[i].name),
                          fmt::format("is {}{}", valueText(*operands[i].type), before),
                          fmt::format("expected {}", typeSetText(possible)));
    before += fmt::format("{}{} is {}", before.empty() ? " where " : ", ", operands[i].name,
                          valueText(*operands[i].type));
  }
  return internalError("types", "the operand types were refused, although their combination is legal");
}

} // namespace tilerig::rules
