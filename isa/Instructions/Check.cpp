#include "isa/Instructions/Check.h"

#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"
#include "isa/Instructions/Codec.h"

namespace tilerig {
namespace {

using namespace rules;

// Stands for the type of an absent operand in the search for a legal combination of operand types.
constexpr ElementType i32 = ElementType::i32;

template <class T>
Status checkOperands(const T &instruction, const RuleBook<T> &book, const Setting &setting) {
  BoundExtents extents;
  for (const Operand<T> &operand : book.operands) {
    const Stream &stream = operand.stream(instruction);
    TILERIG_CHECK_OK(checkStream(topLevel(operand.name), stream, operand.isWritten(), operand.spaces,
                                 operand.optional, setting));
    if (stream.present())
      TILERIG_CHECK_OK(extents.bind(operand.name, stream, operand.sizes));
    if (operand.affine)
      TILERIG_CHECK_OK(checkAffine(topLevel(operand.affineName), operand.affine(instruction),
                                   stream.present() ? stream.type : i32));
  }
  return success();
}

template <class T>
Status checkTypes(const T &instruction, const RuleBook<T> &book) {
  if (book.types.empty())
    return success();
  const auto rows = typeTableOf(instruction).rows;
  const TypedOperands<T> operands(instruction);
  return findTypeRow(rows, operands.span()) ? success() : Status(explainTypes(rows, operands.span()));
}

template <class T>
Status checkRules(const T &instruction, const Setting &setting) {
  const RuleBook<T> &book = rulesOf<T>();
  TILERIG_CHECK_OK(checkOperands(instruction, book, setting));
  TILERIG_CHECK_OK(checkTypes(instruction, book));
  for (const Rule<T> &rule : book.rules)
    TILERIG_CHECK_OK(rule.check(instruction, setting));
  return success();
}

} // namespace

Status checkInstruction(const Instruction &instruction, const Machine &machine, unsigned tile,
                        unsigned tiles) {
  assert(tile < tiles && tiles <= 64);
  TILERIG_CHECK_OK(checkRanges(instruction));
  const Setting setting{machine, tile, tiles};
  return std::visit(
      [&](const auto &typed) {
        Status status = checkRules(typed, setting);
        return status ? std::move(status)
                      : Status(std::move(status).error().within(std::string(typed.mnemonic)));
      },
      instruction);
}

} // namespace tilerig
