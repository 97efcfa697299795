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
bool mayReplace(const Binary &it, std::string_view operand) {
  return (operand == "a" && sameElements(it.a, it.output)) ||
         (operand == "b" && sameElements(it.b, it.output));
}
bool mayReplace(const Select &it, std::string_view operand) {
  return (operand == "condition" && sameElements(it.condition, it.output)) ||
         (operand == "a" && sameElements(it.a, it.output)) ||
         (operand == "b" && sameElements(it.b, it.output));
}
bool mayReplace(const Activate &it, std::string_view operand) {
  return operand == "input" && sameElements(it.input, it.output);
}
bool mayReplace(const Lookup &it, std::string_view operand) {
  return operand == "input" && sameElements(it.input, it.output);
}
bool mayReplace(const Softmax &it, std::string_view operand) {
  return operand == "input" && sameElements(it.input, it.output);
}
bool mayReplace(const Epilogue &epilogue, const Stream &output, std::string_view operand) {
  return (operand == "epilogue.accumulate_from" && sameElements(epilogue.accumulateFrom, output)) ||
         (operand == "epilogue.addend" && sameElements(epilogue.addend, output));
}
bool mayReplace(const Matmul &it, std::string_view operand) {
  return mayReplace(it.epilogue, it.output, operand);
}
bool mayReplace(const Conv &it, std::string_view operand) {
  return mayReplace(it.epilogue, it.output, operand);
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
      if (std::visit([&](const auto &it) { return mayReplace(it, read.operand); }, code[instruction]))
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
