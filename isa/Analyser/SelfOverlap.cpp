#include "isa/Analyser/SelfOverlap.h"

#include <fmt/format.h>

namespace tilerig {

namespace {

bool sameElements(const Stream &operand, const Stream &output) {
  return operand.base == output.base && sizeBytes(operand.type) == sizeBytes(output.type) &&
         operand.dims == output.dims;
}

// Whether the output may overwrite the named operand in place.
template <class T>
bool mayReplace(const T &, std::string_view) {
  return false;
}
bool mayReplace(const Binary &binary, std::string_view operand) {
  return (operand == "a" && sameElements(binary.a, binary.output)) ||
         (operand == "b" && sameElements(binary.b, binary.output));
}
bool mayReplace(const Select &select, std::string_view operand) {
  return (operand == "condition" && sameElements(select.condition, select.output)) ||
         (operand == "a" && sameElements(select.a, select.output)) ||
         (operand == "b" && sameElements(select.b, select.output));
}
bool mayReplace(const Activate &activate, std::string_view operand) {
  return operand == "input" && sameElements(activate.input, activate.output);
}
bool mayReplace(const Lookup &lookup, std::string_view operand) {
  return operand == "input" && sameElements(lookup.input, lookup.output);
}
bool mayReplace(const Softmax &softmax, std::string_view operand) {
  return operand == "input" && sameElements(softmax.input, softmax.output);
}
bool mayReplace(const Epilogue &epilogue, const Stream &output, std::string_view operand) {
  return (operand == "epilogue.accumulate_from" && sameElements(epilogue.accumulateFrom, output)) ||
         (operand == "epilogue.addend" && sameElements(epilogue.addend, output));
}
bool mayReplace(const Matmul &matmul, std::string_view operand) {
  return mayReplace(matmul.epilogue, matmul.output, operand);
}
bool mayReplace(const Conv &conv, std::string_view operand) {
  return mayReplace(conv.epilogue, conv.output, operand);
}

} // namespace

void checkSelfOverlap(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction,
                      const AccessList &accesses, Report &report) {
  for (const Access &written : accesses) {
    if (written.kind != AccessKind::write)
      continue;
    for (const Access &read : accesses) {
      if (read.kind != AccessKind::read || read.memory != written.memory ||
          !overlap(read.region, written.region))
        continue;
      const auto &code = std::get<DeviceStage>(program.stages[stage].work).tiles[tile];
      if (std::visit([&](const auto &typed) { return mayReplace(typed, read.operand); }, code[instruction]))
        continue;
      report.add({.kind = ProblemKind::selfOverlap,
                  .places = {placeOf(program, stage, tile, instruction, written.operand)},
                  .memory = written.memory,
                  .bytes = *firstOverlap(read.region, written.region),
                  .text = fmt::format(
                      "writes its operand {} over bytes of its operand {} that it may not have read yet",
                      written.operand, read.operand)});
    }
  }
}

} // namespace tilerig
