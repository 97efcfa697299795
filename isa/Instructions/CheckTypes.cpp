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
    return "computed in fp32, then `finish`";
  case Arithmetic::integer:
    return "computed in i32, exact modulo 2^32; the function of `finish` is one of identity, relu, abs, neg, "
           "sign, not, on integers";
  case Arithmetic::toInteger:
    return "computed in fp32, then the function; the result is rounded by `rounding` and saturates; NaN "
           "gives 0";
  case Arithmetic::keep:
    return "quantised integers are compared or selected, but not changed: output type, scale and zero point "
           "are those of the input, and `finish` changes nothing";
  case Arithmetic::integerSum:
    return "exact integer sum of q - zero point, times the factor; `finish` has no function";
  case Arithmetic::index:
    return "positions of elements as i32; all fields of `finish` are zero";
  case Arithmetic::podInteger:
    return "i32 accumulators, stored as they are; i32 bias; no scale, table or function";
  case Arithmetic::podQuantised:
    return "i32 accumulators, requantised; i32 bias; scale required; a table in place of a function";
  case Arithmetic::podScaled:
    return "i32 accumulators, scaled to fp32, then the function; i32 bias; scale required; no table";
  case Arithmetic::podFloat:
    return "fp32 accumulators, then the function; fp32 bias; no scale, no table";
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
