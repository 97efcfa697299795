// Checks the rules of the instructions of the PE (vector engine) that move elements or write constants.

#include "isa/Instructions/CheckFinish.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"
#include "isa/Instructions/CheckWindow.h"

namespace tilerig::rules {
namespace {

using namespace types;

constexpr Operand<Copy> copyOperands[] = {plainInput<Copy>, plainOutput<Copy>};
constexpr TypeTable<Copy> copyTypes[] = {{.rows = sameTypeRows}};

constexpr Operand<Fill> fillOperands[] = {plainOutput<Fill>};
constexpr TypeRow fillRows[] = {{{any}, Arithmetic::move}};
constexpr TypeTable<Fill> fillTypes[] = {{.rows = fillRows}};
constexpr Rule<Fill> fillRules[] = {
    {elementBitsRule,
     [](const Fill &fill, const Setting &) {
       return checkElementBits(topLevel("value"), fill.value, fill.output.type);
     }},
};

constexpr Operand<Flatten> flattenOperands[] = {
    {.name = "input",
     .stream = part<&Flatten::input>,
     .sizes = {Extent::one, Extent::one, Extent::H, Extent::W, Extent::C}},
    {.name = "output",
     .stream = part<&Flatten::output>,
     .sizes = {Extent::OH, Extent::OW, Extent::KH, Extent::KW, Extent::C}},
};
constexpr TypeTable<Flatten> flattenTypes[] = {{.rows = sameTypeRows}};

Status checkFlattenReach(const Flatten &flatten, const Setting &) {
  TILERIG_CHECK_OK(
      checkReach(rowsOf(flatten.window, flatten.input, flatten.output, flatten.output.dims[2].size, 0)));
  return checkReach(columnsOf(flatten.window, flatten.input, flatten.output, flatten.output.dims[3].size, 1));
}
constexpr Rule<Flatten> flattenRules[] = {
    {elementBitsRule,
     [](const Flatten &flatten, const Setting &) {
       return checkElementBits(topLevel("pad_value"), flatten.padValue, flatten.output.type);
     }},
    {windowRule, checkFlattenReach},
};

constexpr RuleBook<Copy> bookOf(Of<Copy>) { return {copyOperands, copyTypes, {}}; }
constexpr RuleBook<Flatten> bookOf(Of<Flatten>) { return {flattenOperands, flattenTypes, flattenRules}; }
constexpr RuleBook<Fill> bookOf(Of<Fill>) { return {fillOperands, fillTypes, fillRules}; }

constexpr auto moveBooks = collectBooks(InstructionsOf<Family::move>(), [](auto of) { return bookOf(of); });

} // namespace

const RuleBooks<InstructionsOf<Family::move>> &booksOf(In<Family::move>) { return moveBooks; }

} // namespace tilerig::rules
